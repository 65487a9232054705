"""A quantile on the Release page: the ranks that noise moves it by, and the answer."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.quantiles import RankPlan
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.figures.draws import WIDEST, Shot, draws_picture
from dpcore.figures.theme import Picture
from dpcore.formatting import significant
from dpcore.inference.intervals import LEVEL
from dpcore.releases.digits import number_text
from dpcore.releases.record import Release
from ui import results, session
from ui.answering import numbers
from ui.answering.numbers import DRAWS, NOISE, RELEASED, Z, rng, sampling
from ui.answering.views import AnswerView, Cells
from ui.text import after_number, literal

_RARE = 0.01


def preview(asked: Request, cells: Cells) -> None:
    """Show how many ranks the answer will be off."""
    plan = cast("RankPlan", asked.plan)
    statistic, size = plan.statistic, asked.query.size
    people = size.people
    (ranks,) = plan.half_widths(LEVEL)
    off_by_chance = Z * math.sqrt(people * statistic.q * (1 - statistic.q))
    results.metrics(
        {
            NOISE: (
                f"± {math.ceil(ranks):,} ranks",
                (
                    "The answer may be the value that many places away in the "
                    "sorted table. How far off the value is then depends on the data, and cannot "
                    "be said in advance."
                ),
            ),
            f"In shares of the {session.unit().counted}": (
                f"± {points(min(math.ceil(ranks) / people, 1.0))}",
                (
                    f"The same as a share of {'' if size.public else 'at least '}{people:,} "
                    f"{session.unit().counted}."
                ),
            ),
        },
        places=cells,
    )
    sampling(cells[2], "Sampling error", f"± {math.ceil(off_by_chance):,} ranks")
    st.caption(
        f"The answer is one of {statistic.candidates} evenly spaced values between the "
        f"bounds, {significant(statistic.step)} apart."
    )
    unit = literal(asked.query.quantity.name) or "the column's unit"
    st.caption(f"The answer has no interval in {unit}. “Several quantiles” gives each one.")
    if ranks >= people / 2:
        st.warning(
            "This result will say almost nothing: any place in the sorted table is likely. "
            "Increase ε."
        )


def points(share: float) -> str:
    """Return a share in percent with 3 digits, as far off as it may be."""
    return f"{significant(100 * share, up=True)}%"


def show(answer: Release, asked: Request) -> None:
    """Show the chosen value, and how far its rank may be off."""
    plan = cast("RankPlan", asked.plan)
    (ranks,) = plan.half_widths(LEVEL)
    st.metric(
        f"Private {literal(asked.query.title)}",
        number_text(answer, answer.labels[0], answer.values[0])
        + after_number(asked.query.quantity.suffix),
        help=RELEASED,
    )
    st.markdown(
        "With 95% probability its place in the sorted table is at most "
        f"{math.ceil(ranks):,} ranks away from the one asked for. How far off that "
        "makes the value depends on how dense the data are there, which is not public. "
        "A long empty stretch between the bounds attracts answers: choose bounds no "
        "wider than needed."
    )


def picture(answer: Release, asked: Request, *, truth: FloatArray) -> Picture:
    """Return repeated draws of the value; ``truth`` are the scores of all."""
    quantile = session.remember(
        "quantile", session.require_study().about(asked.query), lambda: _quantile(asked)
    )
    plan = cast("RankPlan", asked.plan)
    grid = plan.statistic.grid
    drawn = plan.mechanism.simulate(truth, rng=rng(), size=(DRAWS,))
    mean = float(plan.mechanism.probabilities(truth) @ grid)
    widest = cast("RankPlan", replace(asked, epsilon=WIDEST).plan).mechanism
    return draws_picture(
        asked.mechanism_key,
        grid[drawn],
        shot=Shot(
            truth=quantile,
            bounds=asked.query.bounds,
            window=_likely(grid, widest.probabilities(truth), quantile),
        ),
        released=float(answer.values[0]),
        bias=mean - quantile,
        statement=asked.statement,
        quantity=asked.query.quantity,
    )


def _likely(grid: FloatArray, chances: FloatArray, truth: float) -> Interval:
    """Return where nearly all answers of these chances lie, and the truth."""
    ends = np.searchsorted(np.cumsum(chances), [_RARE, 1 - _RARE])
    low, high = grid[np.minimum(ends, len(grid) - 1)]
    return Interval(lower=float(min(low, truth)), upper=float(max(high, truth)))


def _quantile(asked: Request) -> float:
    plan = cast("RankPlan", asked.plan)
    values = plan.statistic.bounds.clip(asked.query.values(session.require_study().in_memory))
    return float(np.quantile(values, plan.statistic.q))


VIEWS: Final = (
    AnswerView(plan=RankPlan, preview=preview, show=show, picture=picture, details=numbers.details),
)
