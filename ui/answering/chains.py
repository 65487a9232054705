"""Several quantiles on the Release page: their noise before, the answer after."""

from __future__ import annotations

import math
from typing import Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.quantiles import ChainPlan
from dpcore.arrays import FloatArray
from dpcore.figures.answers import Quantiles, chain_picture
from dpcore.figures.theme import Picture
from dpcore.formatting import percent, significant
from dpcore.inference.intervals import LEVEL
from dpcore.releases.record import Release
from ui import results, session
from ui.answering.views import AnswerView, Cells
from ui.text import literal


def preview(asked: Request, cells: Cells) -> None:
    """Show how many ranks the quantiles are off, and how fine the grid is."""
    plan = cast("ChainPlan", asked.plan)
    ranks, size = float(plan.ranks.max()), asked.query.size
    people = size.people
    unit = literal(asked.query.quantity.name) or "the column's unit"
    results.metrics(
        {
            "Margin of error (95%, noise only)": (
                f"± {math.ceil(ranks):,} ranks",
                (
                    f"How far off the number of {session.unit().counted} up to a value may be "
                    f"counted, at worst. The error of the value itself depends on how dense the "
                    f"data are there, which is not public. All {len(plan.shares)} quantiles at "
                    "once, 95%."
                ),
            ),
            f"In shares of the {session.unit().counted}": (
                f"± {significant(100 * min(ranks / people, 1.0), up=True)}%",
                (
                    f"The same as a share of {'' if size.public else 'at least '}{people:,} "
                    f"{session.unit().counted}."
                ),
            ),
            "Quantiles": (
                f"{len(plan.shares)}",
                (
                    "All follow from the same noisy counts and cost no more than two of them. "
                    "Each further one widens the intervals a little, because all hold at once."
                ),
            ),
        },
        places=cells,
    )
    st.caption(
        f"Each comes with an interval in {unit}, and none is lower than the one before. "
        f"Values are distinguished in steps of {significant(plan.statistic.step)} between the "
        "bounds."
    )
    if ranks >= people / 2:
        st.warning(
            "This result will say almost nothing: any place in the sorted table is likely. "
            "Increase ε."
        )


def show(answer: Release, asked: Request) -> None:
    """Show the quantiles with their intervals."""
    results.show(picture(answer, asked, truth=None), "answer")
    st.caption(
        f"With {percent(LEVEL)} all quantiles of this table lie within their thin bars together, "
        f"for any distribution of the values. A bar is long where few {session.unit().counted} "
        "have values, or where a bound of the "
        "column is near."
    )


def picture(answer: Release, asked: Request, *, truth: FloatArray | None) -> Picture:
    """Return the picture of an answer; ``truth`` holds the counts of the table."""
    plan = cast("ChainPlan", asked.plan)
    bounds = plan.statistic.bounds
    everything = (bounds.lower, bounds.upper)
    noise = answer.noise_ends
    total = answer.total_ends if session.require_study().sampled else {}
    names = answer.labels
    return chain_picture(
        Quantiles(
            shares=plan.shares,
            values=np.array(answer.values),
            noise=np.array([noise.get(name, everything) for name in names]),
            total=np.array([total[name] for name in names]) if total else None,
            bounds=everything,
        ),
        statement=asked.statement,
        quantity=asked.query.quantity,
        counted=asked.query.unit.counted,
        truth=None if truth is None else plan.truth(truth),
    )


def details(asked: Request) -> str:
    """Say what is released, and what one person can change of it."""
    plan = cast("ChainPlan", asked.plan)
    unit, most = asked.query.unit, significant(asked.query.sensitivity.l1, up=True)
    return (
        f"The release contains the numbers of {session.unit().counted} in 8 ranges of the "
        "bounds, in 8 parts of each, and in 8 parts of each part. All quantiles are computed "
        f"from them. One {unit.noun} can change all of these counts together by at most "
        f"{most} ({asked.query.unit.change(asked.query.relation)}).\n\n**Which values are "
        "left.** A value remains possible as a quantile if the noisy numbers of "
        f"{session.unit().counted} below and above it allow it. This holds for all "
        f"{len(plan.shares)} quantiles together in {percent(LEVEL)} of releases"
    )


VIEWS: Final = (
    AnswerView(plan=ChainPlan, preview=preview, show=show, picture=picture, details=details),
)
