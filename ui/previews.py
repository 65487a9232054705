"""What a release will cost and how far off it will be. Public numbers only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd
import streamlit as st
from scipy.special import ndtri

from dpcore.figures.wording import epsilon_text, significant
from dpcore.inference.expectation import expect
from dpcore.inference.intervals import LEVEL
from dpcore.releases.plans import Direct
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.kinds import StatisticKind
from ui import accounts, results
from ui.asking import inputs
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.releases.account import Account
    from dpcore.releases.matrix_plan import MatrixPlan
    from dpcore.releases.plans import Plan
    from dpcore.releases.rank_plan import RankPlan
    from dpcore.releases.request import Request

_IN_UNITS = ("noise scale", "noise, 95 times of 100", "largest possible")
_NOISE = "Noise, 95 times of 100"
_DIVIDED = frozenset(StatisticKind) - {
    StatisticKind.COUNT,
    StatisticKind.SUM,
    StatisticKind.HISTOGRAM,
    StatisticKind.MEDIAN,
    StatisticKind.QUANTILE,
    StatisticKind.STANDARD_DEVIATION,
    StatisticKind.POPULATION_STANDARD_DEVIATION,
}
"""What needs less noise in proportion to the people behind it."""
_Z = float(-ndtri((1 - LEVEL) / 2))


def price(asked: Request) -> str:
    """Return the cost of a release in words."""
    text = f"ε {epsilon_text(asked.real_epsilon)}"
    if asked.used_delta:
        text += f", δ {significant(asked.used_delta)}"
    return text


def preview(asked: Request, account: Account, *, answered: bool) -> None:
    """Show the expected error and the price; an answer on screen is paid for."""
    first, second, third, fourth = st.columns(4)
    cells = (first, second, third)
    if asked.query.kind.of_ranks:
        _of_ranks(asked, cells)
    elif asked.query.kind.of_matrix:
        _of_matrix(asked, cells)
    elif isinstance(asked.plan, Direct):
        _of_number(asked, cells)
    else:
        _of_shares(asked, asked.plan, cells)
    cost = asked.cost
    fits = answered or account.budget.admits(account.spent, cost)
    fourth.metric(
        "Price",
        price(asked),
        delta=f"{accounts.short(account.budget, account.remaining)} left"
        if fits
        else accounts.beyond(account.budget, cost),
        delta_color="off" if fits else "inverse",
        delta_arrow="off",
        help="Charged once. “ε” is the privacy really given, not the one asked for.",
    )
    title = asked.query.title
    st.caption(
        f"{literal(title[0].upper() + title[1:])}. {inputs.odds(asked.real_epsilon)}."
    )
    _private_number(asked)
    if asked.query.kind.of_matrix:
        _numbers(asked)


def _private_number(asked: Request) -> None:
    """Say that a public minimum stands in for the number of people, and costs noise."""
    size, kind = asked.query.size, asked.query.kind
    if size.public or kind not in _DIVIDED or isinstance(asked.query, GroupedQuery):
        return
    st.caption(
        "The number of people who count is private here, so the noise is made for "
        f"{size.people:,} of them, the public minimum. If you know without the table "
        "that there are more, say so on “Data”: twice as many need half the noise."
    )


Cells = tuple[
    st.delta_generator.DeltaGenerator,
    st.delta_generator.DeltaGenerator,
    st.delta_generator.DeltaGenerator,
]


def _of_number(asked: Request, cells: Cells) -> None:
    unit = f" {asked.query.unit_text}" if asked.query.unit_text else ""
    ahead = expect(asked.mechanism, asked.query.statistic, asked.query.bounds)
    first, second, third = cells
    first.metric(
        _NOISE,
        f"± {significant(ahead.noise)}{unit}",
        help="Before you pay, at worst: how far a release falls from the value of this "
        "table, wherever that lies.",
    )
    second.metric(
        "Typical noise, at most",
        f"{significant(ahead.typical)}{unit}",
        help="Root mean squared error of the noise at the least favorable position.",
    )
    third.metric(
        "Sampling error, at most",
        _limit(ahead.sampling, unit),
        help="If the table is a random sample: the error that even the exact answer "
        "has. No mechanism can remove it.",
    )
    width = asked.query.bounds.width
    if 2 * ahead.noise >= width:
        st.warning(
            f"This answer will say almost nothing: the noise alone spans ± "
            f"{significant(ahead.noise)}{unit}, and all possible answers lie within "
            f"{significant(width)}{unit}. Spend more, or ask for a mean or a share."
        )


def _of_ranks(asked: Request, cells: Cells) -> None:
    plan = cast("RankPlan", asked.plan)
    statistic, size = plan.statistic, asked.query.size
    people = size.people
    (ranks,) = plan.half_widths(LEVEL)
    sampling = _Z * math.sqrt(people * statistic.q * (1 - statistic.q))
    first, second, third = cells
    first.metric(
        _NOISE,
        f"± {math.ceil(ranks):,} ranks",
        help="The answer may be the value of somebody that many places away in the "
        "sorted table. How far off the value is then depends on the data, and cannot "
        "be said in advance.",
    )
    second.metric(
        "In shares of the people",
        f"± {_points(min(math.ceil(ranks) / people, 1.0))}",
        help=f"The same as a share of {'' if size.public else 'at least '}{people:,} "
        "people.",
    )
    third.metric(
        "Sampling error",
        f"± {math.ceil(sampling):,} ranks",
        help="If the table is a random sample: the error that even the exact answer "
        "has, 95 times of 100.",
    )
    st.caption(
        f"The answer is one of {statistic.candidates} evenly spaced values between "
        f"the bounds, {significant(2 * statistic.grid_error)} apart."
    )
    if ranks >= people / 2:
        st.warning(
            "This answer will say almost nothing: any place in the sorted table is "
            "likely. Spend more."
        )


def _of_matrix(asked: Request, cells: Cells) -> None:
    plan = cast("MatrixPlan", asked.plan)
    parts = plan.half_widths(LEVEL) / plan.release.largest
    columns = plan.release.columns
    first, second, third = cells
    first.metric(
        "Noise of a variance",
        f"± {_points(float(np.max(parts[:columns])))}",
        help="95 times of 100, of the largest variance that the bounds allow; the "
        "worst of all columns.",
    )
    second.metric(
        "Noise of a covariance",
        f"± {_points(float(np.max(parts[columns:])))}",
        help="95 times of 100, of the largest covariance that the bounds allow.",
    )
    third.metric(
        "Numbers released",
        f"{len(parts)}",
        help=f"{columns} variances, then {len(parts) - columns} covariances within "
        "what the released variances allow. They share the budget.",
    )


def _of_shares(asked: Request, plan: Plan, cells: Cells) -> None:
    widths = plan.half_widths(LEVEL)
    people = asked.query.size.people
    first, second, third = cells
    first.metric(
        _NOISE,
        f"± {_points(float(widths.max()))}",
        help="How far a share falls from that of this table, to first order, if all "
        "categories are equally large; the worst of them.",
    )
    second.metric(
        "Categories",
        f"{len(widths)}",
        help="They add up to 100 % after the procedure, which costs nothing.",
    )
    third.metric(
        "Sampling error, at most",
        f"± {_points(min(_Z * 0.5 / math.sqrt(people), 1.0))}",
        help="If the table is a random sample: the error that even the exact share "
        "has, at a share of one half.",
    )


def _numbers(asked: Request) -> None:
    """List every number of a matrix with its part of the budget and its noise."""
    shown = st.expander("Every number, its part of the budget and its noise")
    plan = cast("MatrixPlan", asked.plan)
    release = plan.release
    shown.dataframe(
        pd.DataFrame(
            {
                "number": plan.statistic.labels,
                "asked ε": release.epsilons,
                "real ε": release.levels,
                "noise scale": release.scales,
                "noise, 95 times of 100": plan.half_widths(LEVEL),
                "largest possible": release.largest,
            }
        ),
        column_config=dict.fromkeys(_IN_UNITS, results.THREE_DIGITS),
        hide_index=True,
        key="matrix-numbers",
    )


def _points(share: float) -> str:
    """Return a share in percent with 3 digits, as far off as it may be."""
    return f"{significant(100 * share, up=True)} %"


def _limit(sampling: float, unit: str) -> str:
    if np.isinf(sampling):
        return "depends on the answer"
    return f"± {significant(sampling)}{unit}"
