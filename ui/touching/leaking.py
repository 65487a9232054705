"""Choosing ε by looking at the table, shown as the leak it is. Made-up tables only."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dpcore.formatting import epsilon_text
from dpcore.studies.teaching.laboratory import COLLEAGUES, data_dependent_epsilon
from ui import controls

_BOUND: Final = 500_000.0


def show() -> None:
    """Show two made-up neighbors for which the looked-at ε differs."""
    st.header("Choosing ε by looking")
    st.markdown(
        "It seems kind to choose the largest ε at which nobody here loses too much. "
        "But that ε is a function of everybody's records, without any noise. Two "
        "made-up tables of pay, alike but for one person; the sum is to be released, "
        f"with pay bounded at {_BOUND:,.0f} €:"
    )
    first, second, _ = controls.row(3)
    pay = first.number(
        "Pay of that person, € (made up)", 480_000.0, (1_000.0, _BOUND), key="looking-pay"
    )
    limit = second.number(
        "Nobody should lose more than",
        0.1,
        (0.001, 10.0),
        key="looking-limit",
        note="Of the made-up tables.",
    )
    found = data_dependent_epsilon(pay, limit=limit, bound=_BOUND)
    left, right = st.columns(2)
    left.metric(
        "ε chosen, the person is in the table",
        epsilon_text(found.inside),
        help="Made up: the ε at which nobody loses more than the limit, where the best-"
        "paid person is among them.",
    )
    right.metric(
        "ε chosen, the person is not",
        epsilon_text(found.outside),
        help="Made up: the same where that person is not in the table. The difference "
        "is what tells.",
    )
    if found.tells:
        st.markdown(
            "**The ε alone tells who is in the table**, before any answer, and it says "
            f"the pay: {limit:g} · {_BOUND:,.0f} € / ε = {found.read:,.0f} €. No noise "
            "that is added later takes that back."
        )
    else:
        st.markdown(
            f"Here both are the same: {max(COLLEAGUES):,} € is paid to somebody else "
            f"already. But the ε says *that* pay, to everybody: {limit:g} · "
            f"{_BOUND:,.0f} € / ε = {found.read:,.0f} €."
        )
    st.caption(
        "So a budget is agreed on from public numbers: what must be seen, what was "
        "promised elsewhere, what the odds mean. What this page shows of the table "
        "stays with the curator."
    )
