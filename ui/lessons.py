"""The truth beside a release, and repeated draws. Classroom mode only."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st

from dpcore.figures import answers as figures
from dpcore.figures.covariances.covariance import ellipses_picture
from dpcore.figures.wording import percent
from dpcore.inference.psd_repair import repair
from dpcore.mechanisms.covariance_layout import matrix_of
from dpcore.releases.record import Mode
from dpcore.statistics.order_statistics import sample_quantile
from dpcore.studies.proportions.share_coverage import coverage
from ui import results, session
from ui.answers import parts_picture

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.figures.theme import Picture
    from dpcore.releases.matrix_plan import MatrixPlan
    from dpcore.releases.rank_plan import RankPlan
    from dpcore.releases.record import Release
    from dpcore.releases.request import Request
    from dpcore.releases.share_plan import SharePlan
    from ui.study import Study

_DRAWS = 200
_SURVEYS = 1000
_LESSON = "_lesson"


def lesson(answer: Release, asked: Request, study: Study) -> None:
    """Show the truth and repeated draws, if the lesson is not about a private table."""
    if session.mode() is not Mode.CLASSROOM:
        return
    analysis = asked.analysis(study.fingerprint)
    truth = session.remember(
        "truth",
        analysis,
        lambda: asked.query.statistic.value(asked.query.values(study.dataset)),
    )
    kind = asked.query.kind
    with st.container(border=True, key="classroom-lesson"):
        st.badge("Classroom: true values", icon=":material/school:", color="gray")
        if kind.of_matrix:
            picture = _matrix(answer, asked, truth)
        elif kind.of_ranks:
            quantile = session.remember(
                "quantile", analysis, lambda: _quantile(asked, study)
            )
            picture = _ranks(answer, asked, truth, quantile)
        elif len(truth) > 1:
            picture = parts_picture(answer, asked, truth=truth, watermark=True)
        else:
            picture = _draws(answer, asked, float(truth[0]))
        results.show(picture, "lesson")
        if asked.constraint is not None:
            _coverage(answer, asked)


def _draws(answer: Release, asked: Request, truth: float) -> Picture:
    return figures.draws_picture(
        asked.mechanism_key,
        asked.mechanism.simulate(truth, rng=_rng(), size=(_DRAWS,)),
        truth=truth,
        released=float(answer.values[0]),
        bias=float(asked.mechanism.bias(truth)),
        axis=asked.query.title,
        unit=asked.query.unit_text,
    )


def _ranks(
    answer: Release, asked: Request, scores: FloatArray, truth: float
) -> Picture:
    plan = cast("RankPlan", asked.plan)
    grid = plan.statistic.grid
    drawn = plan.mechanism.simulate(scores, rng=_rng(), size=(_DRAWS,))
    mean = float(plan.mechanism.probabilities(scores) @ grid)
    return figures.draws_picture(
        asked.mechanism_key,
        grid[drawn],
        truth=truth,
        released=float(answer.values[0]),
        bias=mean - truth,
        axis=asked.query.title,
        unit=asked.query.unit_text,
    )


def _matrix(answer: Release, asked: Request, truth: FloatArray) -> Picture:
    plan = cast("MatrixPlan", asked.plan)
    repaired = repair(matrix_of(answer.values))
    return ellipses_picture(
        plan.statistic.names,
        repaired.before,
        repaired.after,
        watermark=True,
        truth=matrix_of(truth),
    )


def _coverage(answer: Release, asked: Request) -> None:
    """Say how often the intervals hold, for a population with the released shares."""
    plan = cast("SharePlan", asked.plan)
    shares = np.array(answer.values)
    found = coverage(plan, shares, surveys=_SURVEYS, rng=np.random.default_rng(1))
    st.markdown(
        f"**Do the intervals hold?** In {_SURVEYS:,} simulated surveys of a "
        "population with the released shares, a 95 % interval that knows only of "
        f"sampling holds the true share in {percent(float(found.naive.min()))} "
        "(its worst category), the noise-aware one in "
        f"{percent(float(found.released.min()))}."
    )


def _quantile(asked: Request, study: Study) -> float:
    plan = cast("RankPlan", asked.plan)
    values = plan.statistic.bounds.clip(asked.query.values(study.dataset))
    return float(sample_quantile(values, plan.statistic.q))


def _rng() -> np.random.Generator:
    st.button(f"Repeat {_DRAWS} draws", on_click=_another_lesson)
    return np.random.default_rng(cast("int", session.public(_LESSON) or 1))


def _another_lesson() -> None:
    session.set_public(_LESSON, cast("int", session.public(_LESSON) or 1) + 1)
