"""The truth beside a release, and repeated draws. Classroom mode only."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.differences import DifferencePlan
from dpcore.analyses.groups import GroupPlan
from dpcore.analyses.matrix import MatrixPlan
from dpcore.analyses.means import MeansPlan, MeansQuery
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.analyses.shares import SharePlan
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.figures.covariances import ellipses_picture
from dpcore.figures.draws import WIDEST, Shot, draws_picture
from dpcore.figures.theme import Picture
from dpcore.formatting import percent
from dpcore.mechanisms.covariances import matrix_of
from dpcore.postprocessing.psd_repair import repair
from dpcore.releases.record import Release
from dpcore.studies.proportion_intervals import coverage
from ui import partwise, results, session
from ui.answering import chains, crossed, groups, means, pair
from ui.answering.answers import parts_picture
from ui.study import Study

_DRAWS = 200
_SURVEYS = 1000
_RARE = 0.01
_LESSON = "_lesson"


def lesson(answer: Release, asked: Request, study: Study) -> None:
    """Show the truth and repeated draws, if the lesson is not about a private table."""
    if session.mode() is not Mode.CLASSROOM:
        return
    question = study.about(asked.query)
    truth = _truth(asked, study, question)
    if truth is None:
        return
    kind = asked.query.kind
    with st.container(border=True, key="classroom-lesson"):
        st.badge("Classroom: answers without noise", icon=":material/school:", color="gray")
        if kind.of_matrix:
            picture = _matrix(answer, asked, truth)
        elif kind.of_ranks and study.parts is not None:
            partwise.in_memory(study, "The quantile beside its draws")
            return
        elif kind.of_ranks:
            quantile = session.remember("quantile", question, lambda: _quantile(asked, study))
            picture = _ranks(answer, asked, truth, quantile)
        else:
            picture = _of_groups(answer, asked, truth)
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


def _of_groups(answer: Release, asked: Request, truth: FloatArray) -> Picture:
    """Return the picture of what follows from sums, of several numbers, or of one."""
    plan, query = asked.plan, asked.query
    if isinstance(plan, GroupPlan):
        return groups.picture(answer, asked, plan, truth=truth)
    if isinstance(plan, DifferencePlan):
        return pair.picture(answer, asked, plan, truth)
    if isinstance(plan, MeansPlan) and isinstance(query, MeansQuery):
        return means.picture(answer, asked, query, plan, truth=truth)
    if isinstance(plan, ChainPlan):
        return chains.picture(answer, asked, plan, truth=truth)
    if isinstance(query, CrossedQuery):
        return crossed.picture(answer, asked, query, truth=truth)
    return _of_numbers(answer, asked, truth)


def _of_numbers(answer: Release, asked: Request, truth: FloatArray) -> Picture:
    if len(truth) > 1:
        return parts_picture(answer, asked, truth=truth)
    return _draws(answer, asked, float(truth[0]))


def _draws(answer: Release, asked: Request, truth: float) -> Picture:
    return draws_picture(
        asked.mechanism_key,
        asked.mechanism.simulate(truth, rng=_rng(), size=(_DRAWS,)),
        shot=Shot.around(truth, sensitivity=asked.sensitivity.largest, bounds=asked.query.bounds),
        released=float(answer.values[0]),
        bias=float(asked.mechanism.bias(truth)),
        statement=asked.statement,
        quantity=asked.query.quantity,
    )


def _ranks(answer: Release, asked: Request, scores: FloatArray, truth: float) -> Picture:
    plan = cast("RankPlan", asked.plan)
    grid = plan.statistic.grid
    drawn = plan.mechanism.simulate(scores, rng=_rng(), size=(_DRAWS,))
    mean = float(plan.mechanism.probabilities(scores) @ grid)
    widest = cast("RankPlan", replace(asked, epsilon=WIDEST).plan).mechanism
    return draws_picture(
        asked.mechanism_key,
        grid[drawn],
        shot=Shot(
            truth=truth,
            bounds=asked.query.bounds,
            window=_likely(grid, widest.probabilities(scores), truth),
        ),
        released=float(answer.values[0]),
        bias=mean - truth,
        statement=asked.statement,
        quantity=asked.query.quantity,
    )


def _likely(grid: FloatArray, chances: FloatArray, truth: float) -> Interval:
    """Return where nearly all answers of these chances lie, and the truth."""
    below = np.cumsum(chances)
    ends = np.searchsorted(below, [_RARE, 1 - _RARE])
    low, high = grid[np.minimum(ends, len(grid) - 1)]
    return Interval(lower=float(min(low, truth)), upper=float(max(high, truth)))


def _matrix(answer: Release, asked: Request, truth: FloatArray) -> Picture:
    plan = cast("MatrixPlan", asked.plan)
    repaired = repair(matrix_of(answer.values))
    return ellipses_picture(
        plan.statistic.names, repaired.before, repaired.after, truth=matrix_of(truth)
    )


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


def _quantile(asked: Request, study: Study) -> float:
    plan = cast("RankPlan", asked.plan)
    values = plan.statistic.bounds.clip(asked.query.values(study.in_memory))
    return float(np.quantile(values, plan.statistic.q))


def _rng() -> np.random.Generator:
    st.button(f"Repeat {_DRAWS} draws", on_click=session.count_up, args=(_LESSON,))
    return np.random.default_rng(1 + session.count(_LESSON))
