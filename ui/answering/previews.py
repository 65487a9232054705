"""What a release will cost and how far off it will be. Public numbers only."""

from __future__ import annotations

from functools import partial
from typing import Final, cast

import streamlit as st

from dpcore.analyses.base import Request, offered
from dpcore.formatting import capital, epsilon_text, significant
from dpcore.inference.intervals import Expectation
from dpcore.ledger.account import Account
from dpcore.statistics.kinds import StatisticKind, allowed
from ui import accounts, layout, session
from ui.answering import matrices
from ui.answering.numbers import no_sampling
from ui.answering.views import Cells, view
from ui.text import after_number, literal

_ADVISED = ("laplace", "bit", "truncated", "gaussian", "exponential")
"""What to use instead of a mechanism that cannot be released, in display order."""
_ROOT: Final = (
    "A standard deviation has much noise here. The variance at the same cost has less: take its "
    "square root. “Mean and standard deviation” gives both numbers at the cost of a mean."
)
_BETTER: Final = {
    StatisticKind.MEAN: "“Mean and standard deviation” has the same cost and noise scale. Its two "
    "intervals hold together, so noise alone has a slightly larger margin. The interval for the "
    "population is usually shorter.",
    StatisticKind.STANDARD_DEVIATION: _ROOT,
    StatisticKind.POPULATION_STANDARD_DEVIATION: _ROOT,
}
"""Statistics that tell more at the same cost."""


def price(asked: Request) -> str:
    """Return what is charged for a release, in words."""
    text = f"ε = {epsilon_text(float(asked.cost.epsilon))}"
    if asked.used_delta:
        text += f", δ = {significant(asked.used_delta)}"
    return text


def expected(asked: Request) -> None:
    """Show how far off the answer will be, before it is released."""
    view(asked).preview(asked, cast("Cells", tuple(st.columns(3))))
    private_number(asked)
    if asked.query.kind.of_matrix:
        label = "Every number, its part of the budget and its noise"
        layout.folded(label, "folded-numbers", partial(matrices.numbers, asked))


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
    """Name mechanisms whose guarantee holds and can answer this question."""
    keeping = [
        f"“{entry.label}”"
        for key, entry in offered(asked.query.kind).items()
        if key in _ADVISED and entry.claim_holds and entry.releasable
    ]
    return " or ".join(filter(None, [", ".join(keeping[:-1]), keeping[-1]]))


def private_number(asked: Request) -> None:
    """Say that a public minimum stands in for the number of people, and costs noise."""
    size, kind = asked.query.size, asked.query.kind
    halves = kind.divided and _BETTER.get(kind) is not _ROOT
    if size.public or not halves or asked.query.grouping:
        return
    capped = asked.query.unit.cap is not None
    counted = asked.query.unit.counted
    who, study = "rows that count" if capped else f"{counted} that count", session.require_study()
    private = f"The number of {who} is private here"
    if study.public_number:
        private = (
            f"The table has {study.dataset.people:,} {counted}, which is public. How many of "
            "them have a value is private"
        )
    # No more rows can have a value than the public number of them.
    possible = not study.public_number or 2 * size.people <= study.dataset.people
    half = ": twice as many need half the noise" * possible
    st.caption(
        f"{private}, so the noise is made for "
        f"{size.people:,} of them, the public minimum. If you know without the table "
        f"that there are more, say so on “Data”{half}. If there "
        "are fewer, the result is biased, and no interval includes that bias."
    )


def remarks(asked: Request, ahead: Expectation) -> None:
    """Say what to know of a single number before it is released."""
    private_number(asked)
    for column in asked.query.columns:
        if column.tie_rule:
            st.caption(f"{literal(capital(column.title))}: {column.tie_rule}.")
    kind, sampled = asked.query.kind, session.require_study().sampled
    better = _BETTER.get(kind) if sampled or kind is not StatisticKind.MEAN else None
    if not sampled:
        st.caption(no_sampling())
    if better and StatisticKind.MEAN_AND_SPREAD in allowed(asked.query.columns[0].kind):
        st.caption(better)
    width = asked.query.bounds.width
    if 2 * ahead.noise >= width:
        unit = after_number(asked.query.quantity.of_differences)
        st.warning(
            f"This result will say almost nothing. The noise alone spans ± "
            f"{significant(ahead.noise)}{unit}; all possible answers lie within "
            f"{significant(width)}{unit}. Increase ε, or use a table of more "
            f"{session.unit().counted}."
        )
