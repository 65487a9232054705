"""What a release will cost and how far off it will be. Public numbers only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st
from scipy.special import ndtri

from dpcore.analyses.base import Request, offered
from dpcore.analyses.differences import DifferencePlan
from dpcore.analyses.groups import GroupedQuery, GroupPlan
from dpcore.analyses.matrix import MatrixPlan
from dpcore.analyses.means import MeansPlan, MeansQuery
from dpcore.analyses.measurement import Direct, Plan
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.formatting import epsilon_text, significant
from dpcore.inference.intervals import LEVEL, Expectation, expect, level_of_each
from dpcore.ledger.account import Account
from dpcore.statistics.kinds import StatisticKind
from ui import accounts, results, session
from ui.answering import chains, groups, means, pair
from ui.text import after_number, literal

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


_IN_UNITS = ("noise scale", "noise", "largest possible")
_ADVISED = ("laplace", "bit", "truncated", "gaussian", "exponential")
"""What to use instead of a mechanism that cannot be released, in display order."""
_NOISE = "Margin of error (95%, noise only)"
_NOISE_OF_ALL = "Margin of error, all at once (95%, noise only)"
_DIVIDED = frozenset(StatisticKind) - {
    StatisticKind.COUNT,
    StatisticKind.SUM,
    StatisticKind.HISTOGRAM,
    StatisticKind.CROSS_TABLE,
    StatisticKind.MEDIAN,
    StatisticKind.QUANTILE,
    StatisticKind.QUANTILES,
    StatisticKind.DIFFERENCE,
    StatisticKind.MEANS,
    StatisticKind.STANDARD_DEVIATION,
    StatisticKind.POPULATION_STANDARD_DEVIATION,
}
"""What needs less noise in proportion to the people behind it."""
Cells = tuple["DeltaGenerator", "DeltaGenerator", "DeltaGenerator"]
_Z = float(-ndtri((1 - LEVEL) / 2))


def price(asked: Request) -> str:
    """Return what is charged for a release, in words."""
    text = f"ε = {epsilon_text(float(asked.cost.epsilon))}"
    if asked.used_delta:
        text += f", δ = {significant(asked.used_delta)}"
    return text


def expected(asked: Request) -> None:
    """Show how far off the answer will be, before it is released."""
    _errors(asked, cast("Cells", tuple(st.columns(3))))
    private_number(asked)
    if asked.query.kind.of_matrix:
        _numbers(asked)


def obstacles(asked: Request, account: Account, fits: bool) -> None:  # noqa: FBT001
    """Say why a question cannot be released; nothing where it can."""
    if asked.refusal(session.mode()) is not None:
        _explain_refusal(asked)
    elif not fits:
        st.warning(accounts.way_on(account, asked.cost, price(asked)))


def given(asked: Request) -> str:
    """Say that less is given away than is charged for, where that is so."""
    real, charged = (
        epsilon_text(at) for at in (asked.effective_epsilon, float(asked.cost.epsilon))
    )
    if asked.effective_epsilon >= float(asked.cost.epsilon) or real == charged:
        return ""
    return f" The noise really drawn gives ε = {real}; ε = {charged} is charged."


def _errors(asked: Request, cells: Cells) -> None:
    """Show how far off the answer will be."""
    if asked.query.kind.of_ranks:
        _of_ranks(asked, cells)
    elif asked.query.kind.of_matrix:
        _of_matrix(asked, cells)
    elif isinstance(asked.plan, GroupPlan):
        groups.preview(asked, asked.plan, cells)
    elif isinstance(asked.plan, DifferencePlan):
        pair.preview(asked, asked.plan, cells)
    elif isinstance(asked.plan, MeansPlan):
        means.preview(asked, cast("MeansQuery", asked.query), asked.plan, cells)
    elif isinstance(asked.plan, ChainPlan):
        chains.preview(asked, asked.plan, cells)
    elif isinstance(asked.plan, Direct):
        _of_number(asked, asked.plan, cells)
    else:
        _of_shares(asked, asked.plan, cells)


def _explain_refusal(asked: Request) -> None:
    """Say why this mechanism cannot be used in Live mode, and what to use."""
    if not asked.entry.releasable:
        st.warning(
            f"“{asked.entry.label}” has no secure sampler: noise from ordinary floats "
            "would reveal the true value. It can be studied on the other pages; for a "
            f"release choose {_instead(asked)}."
        )
        return
    st.warning(
        f"This mechanism claims ε = {epsilon_text(asked.epsilon)} and really gives ε = "
        f"{epsilon_text(asked.effective_epsilon)}: {asked.entry.flaw}. It can be studied in "
        f"Classroom mode; for a release choose {_instead(asked)}."
    )


def _instead(asked: Request) -> str:
    """Name mechanisms that keep their promise and can answer this question."""
    keeping = [
        f"“{entry.label}”"
        for key, entry in offered(asked.query.kind).items()
        if key in _ADVISED and entry.claim_holds and entry.releasable
    ]
    return " or ".join(filter(None, [", ".join(keeping[:-1]), keeping[-1]]))


def private_number(asked: Request) -> None:
    """Say that a public minimum stands in for the number of people, and costs noise."""
    size, kind = asked.query.size, asked.query.kind
    if size.public or kind not in _DIVIDED or isinstance(asked.query, GroupedQuery):
        return
    capped = asked.query.unit.cap is not None
    who = "rows that count" if capped else f"{asked.query.unit.counted} that count"
    st.caption(
        f"The number of {who} is private here, so the noise is made for "
        f"{size.people:,} of them, the public minimum. If you know without the table "
        "that there are more, say so on “Data”: twice as many need half the noise."
    )


def _of_number(asked: Request, plan: Direct, cells: Cells) -> None:
    unit = after_number(asked.query.quantity.of_differences)
    statistic, bounds = asked.query.statistic, asked.query.bounds
    count = plan.numbers
    ahead = expect(asked.mechanism, statistic, bounds, level=level_of_each(count))
    results.metrics(
        {
            _NOISE if count == 1 else _NOISE_OF_ALL: (
                f"± {significant(ahead.noise)}{unit}",
                (
                    "Before you pay, at worst: how far a release falls from the value of this "
                    f"table, wherever that lies.{_together(count)}"
                ),
            ),
            "RMSE of the noise, at most": (
                f"{significant(ahead.typical)}{unit}",
                "Root mean squared error of the noise at the least favorable position.",
            ),
        },
        places=cells,
    )
    _sampling(cells[2], "Margin of sampling error, at most", _limit(ahead.sampling, unit))
    _apart(asked, 2 * ahead.noise, f"{significant(2 * ahead.noise)}{unit}")


def remarks(asked: Request, ahead: Expectation) -> None:
    """Say what to know of a single number before it is released."""
    private_number(asked)
    if not session.require_study().sampled:
        st.caption(_no_sampling())
    width = asked.query.bounds.width
    if 2 * ahead.noise >= width:
        unit = after_number(asked.query.quantity.of_differences)
        st.warning(
            f"This answer will say almost nothing. The noise alone spans ± "
            f"{significant(ahead.noise)}{unit}; all possible answers lie within "
            f"{significant(width)}{unit}. Spend more, or use a table of more "
            f"{session.unit().counted}."
        )


def _of_ranks(asked: Request, cells: Cells) -> None:
    plan = cast("RankPlan", asked.plan)
    statistic, size = plan.statistic, asked.query.size
    people = size.people
    (ranks,) = plan.half_widths(LEVEL)
    sampling = _Z * math.sqrt(people * statistic.q * (1 - statistic.q))
    results.metrics(
        {
            _NOISE: (
                f"± {math.ceil(ranks):,} ranks",
                (
                    "The answer may be the value that many places away in the "
                    "sorted table. How far off the value is then depends on the data, and cannot "
                    "be said in advance."
                ),
            ),
            f"In shares of the {session.unit().counted}": (
                f"± {_points(min(math.ceil(ranks) / people, 1.0))}",
                (
                    f"The same as a share of {'' if size.public else 'at least '}{people:,} "
                    f"{session.unit().counted}."
                ),
            ),
        },
        places=cells,
    )
    _sampling(cells[2], "Sampling error", f"± {math.ceil(sampling):,} ranks")
    st.caption(
        f"The answer is one of {statistic.candidates} evenly spaced values between the "
        f"bounds, {significant(statistic.step)} apart."
    )
    unit = literal(asked.query.quantity.name) or "the column's unit"
    st.caption(f"The answer has no interval in {unit}. “Several quantiles” gives each one.")
    if ranks >= people / 2:
        st.warning(
            "This answer will say almost nothing: any place in the sorted table is "
            "likely. Spend more."
        )


def _of_matrix(asked: Request, cells: Cells) -> None:
    plan = cast("MatrixPlan", asked.plan)
    each = level_of_each(len(plan.statistic.labels))
    parts = plan.half_widths(each) / plan.release.largest
    columns = plan.release.columns
    results.metrics(
        {
            "Noise / largest variance": (
                f"± {_points(float(np.max(parts[:columns])))}",
                (
                    "A part of the largest variance that the bounds allow; the worst of all "
                    "columns. The variance of the table may be far smaller, and the noise a far "
                    "larger part of that."
                    f"{_together(len(parts))}"
                ),
            ),
            "Noise / largest covariance": (
                f"± {_points(float(np.max(parts[columns:])))}",
                (
                    "A part of the largest covariance that the bounds allow; the covariance of the "
                    f"table may be far smaller.{_together(len(parts))}"
                ),
            ),
            "Numbers released": (
                f"{len(parts)}",
                (
                    f"{columns} variances, then {len(parts) - columns} covariances within "
                    "what the released variances allow. They share the budget."
                ),
            ),
        },
        places=cells,
    )
    st.caption(
        "The noise is given as a part of the largest variance and covariance that the "
        "bounds allow. Those of the table may be far smaller."
    )


def _of_shares(asked: Request, plan: Plan, cells: Cells) -> None:
    count = len(asked.query.statistic.labels)
    widths = plan.half_widths(level_of_each(count))
    people = asked.query.size.people
    results.metrics(
        {
            _NOISE_OF_ALL: (
                f"± {significant(float(widths.max()))}",
                (
                    "Error of a share, to first order, if all categories are equally large; the "
                    f"worst of them.{_together(count)}"
                ),
            ),
            "Categories": (
                f"{len(widths)}",
                "Their shares add up to 1 after the procedure, which costs nothing.",
            ),
        },
        places=cells,
    )
    half = f"± {significant(min(_Z * 0.5 / math.sqrt(people), 1.0))}"
    _sampling(cells[2], "Margin of sampling error, at most", half)
    apart = 2 * float(widths.max())
    _apart(asked, apart, significant(apart))


def _sampling(place: DeltaGenerator, label: str, error: str) -> None:
    """Show the error that even the exact answer has, if the table is a sample."""
    if session.require_study().sampled:
        place.metric(
            label,
            error,
            help="The table is a random sample, as “Data” says: the error that even "
            "the exact answer has, 95 times of 100. No mechanism can remove it.",
        )
        return
    place.metric("Sampling error", "none", help=_no_sampling())


def _no_sampling() -> str:
    unit = session.require_study().terms.unit
    if unit.several:
        return f"Sampling error: not known where several rows of one {unit.noun} count."
    return "Sampling error: none, because the data are the whole population."


def _together(count: int) -> str:
    """Say that what is promised holds for all of several numbers at once."""
    return f" All {count} numbers at once, 95 times of 100." if count > 1 else ""


def _apart(asked: Request, apart: float, shown: str) -> None:
    """Say how different two numbers must be, and warn where that is all there is.

    Several numbers are asked for to be compared: what counts is not their range, but
    how they differ. The bars of an answer overlap up to twice the noise.
    """
    st.caption(
        f"Two of the released numbers that differ by more than {shown} differ in the table, "
        "too. Smaller gaps may be noise."
    )
    average = _average(asked)
    if average is not None and apart >= average:
        st.warning(
            f"This result is hardly useful: a part of average size ({significant(average)}) "
            "is not distinguishable from an empty one. Spend more, or ask for fewer parts."
        )


def _average(asked: Request) -> float | None:
    """Return how large the numbers are on average, where that is public."""
    kind, cells = asked.query.kind, len(asked.query.statistic.labels)
    if kind is StatisticKind.PROPORTIONS:
        return 1 / cells
    if kind in {StatisticKind.HISTOGRAM, StatisticKind.CROSS_TABLE}:
        # Where who counts is private, the rows of the table may still be public.
        rows = session.require_study().size().people
        return max(asked.query.size.people, rows) / cells
    return None


def _numbers(asked: Request) -> None:
    """List every number of a matrix with its part of the budget and its noise."""
    plan = cast("MatrixPlan", asked.plan)
    release = plan.release
    folded = st.expander(
        "Every number, its part of the budget and its noise",
        key="folded-numbers",
        on_change="rerun",
    )
    if not folded.open:
        return
    with folded:
        st.caption("The margin of error (95%) covers all numbers at once.")
        results.table(
            {
                "number": plan.statistic.labels,
                "asked ε": release.epsilons,
                "real ε": release.levels,
                "noise scale": release.scales,
                "noise": plan.half_widths(level_of_each(len(plan.statistic.labels))),
                "largest possible": release.largest,
            },
            column_config=dict.fromkeys(_IN_UNITS, results.THREE_DIGITS),
            key="matrix-numbers",
        )


def _points(share: float) -> str:
    """Return a share in percent with 3 digits, as far off as it may be."""
    return f"{significant(100 * share, up=True)}%"


def _limit(sampling: float, unit: str) -> str:
    if np.isinf(sampling):
        return "see result"
    return f"± {significant(sampling)}{unit}"
