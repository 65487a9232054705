"""What scores of a column of the table in use reveal. CONFIDENTIAL."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import streamlit as st

from dpcore.arrays import FloatArray
from dpcore.individual.exposure import Exposure, expose
from dpcore.wording import epsilon_text, people, significant
from ui import confidential, session
from ui.resampling.resized import tour
from ui.resampling.resized.own import ColumnScores
from ui.resampling.resized.settings import ResizedCase
from ui.study import Study
from ui.text import after_number


def show(own: ColumnScores, study: Study) -> None:
    """Show what scores of this very column reveal. CONFIDENTIAL."""
    what = "what scores of this column reveal"
    with confidential.area("resized", what) as shown:
        if not shown:
            return
        rows = _rows(own, study)
        if own.request.shares:
            ones = int(rows.sum())
            st.markdown(f"In this table: {people(ones)} of {len(rows):,}.")
            if own.bootstrap.rows > 1:
                st.caption(
                    "What follows is about single rows. A unit of several rows is "
                    "drawn more often, as the numbers above say."
                )
            tour.show_tour(
                ResizedCase(
                    bootstrap=replace(own.bootstrap, rows=1),
                    ones=ones,
                    scores=own.size.scores,
                    epsilon=own.size.epsilon,
                    simulated=False,
                ),
                "resized-own",
            )
        else:
            _spread(own, rows)
        _losses(own, study, rows)


def _rows(own: ColumnScores, study: Study) -> FloatArray:
    """Return everybody's value. CONFIDENTIAL."""
    return session.while_shown(
        "resized-rows", study.about(own.request.query), lambda: own.request.value(study.dataset)
    )


def _spread(own: ColumnScores, rows: FloatArray) -> None:
    """Say how far scores of a mean are off, as published and repaired."""
    bootstrap, width = own.bootstrap, own.request.query.bounds.width
    spread = float(np.var(rows))
    published = math.sqrt(spread / bootstrap.draws)
    fixed = own.request.plan.resample  # type: ignore[union-attr] # the repaired form
    repaired = math.sqrt(float(fixed.variance(width, spread)))
    claimed = width * math.sqrt(bootstrap.claimed_variance)
    unit = after_number(own.request.unit_text)
    cells = st.columns(3)
    cells[0].metric(
        "Typical error, claimed",
        f"{significant(claimed)}{unit}",
        help="√(Z)/n times the width of the bounds.",
    )
    cells[1].metric(
        "Typical error, as published",
        f"{significant(published)}{unit}",
        help="How far answers of the published method typically lie from the mean of "
        "this table. Computed from the table: confidential.",
    )
    cells[2].metric(
        "Typical error, repaired",
        f"{significant(repaired)}{unit}",
        help="The same of the repaired method, which keeps its promise.",
    )
    st.markdown(
        f"The mean of this table is {significant(float(rows.mean()), 6)}{unit}. A "
        "score may show which values were drawn, and through a rare value, who: as "
        "published no finite loss can be promised to anybody."
    )


def _losses(own: ColumnScores, study: Study, rows: FloatArray) -> None:
    """Say what everybody loses by one repaired answer. CONFIDENTIAL."""
    exposure = session.while_shown(
        "resized-exposure", own.request.analysis(study.fingerprint), lambda: _exposed(own, rows)
    )
    middle, most = exposure.quantiles([0.5, 1.0])
    st.markdown(
        "**Everybody's own loss from one repaired answer:** ε "
        f"{epsilon_text(float(middle))} for the person in the middle, ε "
        f"{epsilon_text(float(most))} for the most exposed one here; the guarantee is "
        f"ε {epsilon_text(exposure.worst_case)}."
    )


def _exposed(own: ColumnScores, rows: FloatArray) -> Exposure:
    query = own.request.query
    return expose(
        own.request.plan,
        query.statistic,
        rows,
        relation=query.relation,
        delta=own.request.delta,
        rows=query.unit.rows,
    )
