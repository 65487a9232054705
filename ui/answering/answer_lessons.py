"""The truth beside a release, and repeated draws. Classroom mode only."""

from __future__ import annotations

from typing import cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.shares import SharePlan
from dpcore.arrays import FloatArray
from dpcore.formatting import percent
from dpcore.releases.record import Release
from dpcore.studies.proportion_intervals import coverage
from ui import partwise, results, session
from ui.answering.views import view
from ui.study import Study

_SURVEYS = 1000


def lesson(answer: Release, asked: Request, study: Study) -> None:
    """Show the truth and repeated draws, if the lesson is not about a private table."""
    if session.mode() is not Mode.CLASSROOM:
        return
    question = study.about(asked.query)
    truth = _truth(asked, study, question)
    if truth is None:
        return
    with st.container(border=True, key="classroom-lesson"):
        st.badge("Classroom: answers without noise", icon=":material/school:", color="gray")
        if asked.query.kind.of_ranks and study.parts is not None:
            partwise.in_memory(study, "The quantile beside its draws")
            return
        picture = view(asked).picture(answer, asked, truth=truth)
        results.show(picture, "lesson")
        if asked.constraint is not None:
            _coverage(answer, asked)


def _truth(asked: Request, study: Study, question: str) -> FloatArray | None:
    """Return the answer without noise; ``None`` while the parts of a table are read."""
    if study.parts is not None:
        return partwise.found(
            "truth",
            question,
            study.parts,
            asked.query.value,
            doing="Computing the answer without noise",
        )
    table = study.in_memory
    return session.remember("truth", question, lambda: asked.query.value(table))


def _coverage(answer: Release, asked: Request) -> None:
    """Say how often the intervals hold, for a population with the released shares."""
    plan = cast("SharePlan", asked.plan)
    shares = np.array(answer.values)
    found = coverage(plan, shares, surveys=_SURVEYS, rng=np.random.default_rng(1))
    st.markdown(
        f"**Do the intervals hold?** The page simulates {_SURVEYS:,} surveys of a "
        "population with the released shares. The 95% interval of the answer contains the "
        "true share "
        f"in {percent(float(found.released.min()))} (the worst category). An interval for "
        f"sampling alone contains it in {percent(float(found.naive.min()))}."
    )
