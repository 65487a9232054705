"""The four things that stand beside every page: table, budget, mode, forget."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.releases.record import Mode
from dpcore.wording import people, significant
from ui import recovery, session
from ui.accounts import short, used_up
from ui.data import using
from ui.text import literal

if TYPE_CHECKING:
    from ui.study import Study


def show() -> None:
    """Draw the sidebar."""
    with st.sidebar:
        study = session.study()
        if study is None:
            st.markdown("**No table in use**")
            st.page_link("pages/data.py", label="Choose a table")
        else:
            _card(study)
            with recovery.told():
                _gauge(study)
        st.radio(
            "Mode",
            list(Mode),
            format_func=str.capitalize,
            key="mode",
            persist_state="session",
            on_change=session.choose_mode,
            help="Release: answers are private and paid for. Classroom: true values "
            "may be shown, only a budget of this lesson is spent, and what is computed "
            "from the table is watermarked.",
        )
        if study is not None:
            if study.example is None and session.mode() is Mode.CLASSROOM:
                st.warning("True values of your own table may now appear on the pages.")
            with st.popover("Forget this data"):
                st.markdown(
                    f"{literal(study.dataset.name)}, all that was computed from it, "
                    "and the lessons of this tab leave its memory. The ledger stays."
                )
                st.button("Yes, forget it", on_click=using.forget)


def _card(study: Study) -> None:
    dataset = study.dataset
    ready = sum(column.is_declared for column in dataset.columns)
    noun = study.terms.unit.noun
    hidden = f"number of {people(2, noun)[2:]}: private"
    count = people(dataset.people, noun) if study.public_number else hidden
    st.markdown(f"**{literal(dataset.name)}**")
    st.caption(
        f"{count} · {ready} of {len(dataset.columns)} columns ready to ask about · "
        f"protects one {study.terms.unit.noun}: {study.terms.relation.phrase}"
    )
    # Lists of columns leave it out; answers and papers say it.
    ending = dataset.ending.lstrip(" ,")
    if ending:
        st.caption(f"Every column: {literal(ending)}.")


def _gauge(study: Study) -> None:
    account = session.account(study)
    budget = account.budget
    rows: list[tuple[str, Decimal, Decimal]] = []
    if budget.rho is not None:
        rows.append(("ρ", account.spent.rho, budget.rho))
    if budget.epsilon is not None:
        rows.append(("ε", account.spent.epsilon, budget.epsilon))
    for symbol, spent, total in rows:
        share = min(float(spent / total), 1.0)
        lesson = " (lesson)" if session.mode() is Mode.CLASSROOM else ""
        used, of, left = (
            significant(float(number), 4)
            for number in (spent, total, max(total - spent, Decimal()))
        )
        if used_up(account):
            left = "nothing"
        st.progress(
            share, text=f"Budget{lesson}: {used} of {of} {symbol} spent, {left} left"
        )
    if account.closed is not None:
        st.caption("This account is closed, and pays nothing more.")
    elif account.bar is not None:
        st.caption(f"Nothing can be paid today: {literal(account.bar)}")
    elif account.current:
        period = account.current[-1]
        rest = short(budget, account.remaining)
        st.caption(f"{rest} may be spent in {literal(period.name)}.")
