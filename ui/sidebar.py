"""What is beside every page: the data, the budget, the mode, and how to remove the data."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from decimal import Decimal

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.errors import LedgerError
from dpcore.formatting import capital, significant
from dpcore.ledger.account import Account
from dpcore.releases.digits import NOTHING, left_text
from ui import recovery, session
from ui.accounts import used_up
from ui.data import using
from ui.study import Study
from ui.text import literal


@contextlib.contextmanager
def beside() -> Iterator[None]:
    """Draw the sidebar beside a page, and the budget again once the page has spent."""
    study = session.study()
    with st.sidebar:
        if study is None:
            st.markdown("**No data in use**")
            st.page_link("pages/data.py", label="Choose data")
        else:
            _card(study)
        gauge = st.empty()
        shown = None
        if study is not None:
            with gauge.container(), recovery.told():
                shown = session.account(study)
                _gauge(shown)
        _settings(study)
    try:
        yield
    finally:
        # Wherever the page ended: where its ledger cannot be read, it has said so.
        if study is not None:
            with contextlib.suppress(LedgerError):
                account = session.account(study)
                if account != shown:
                    with gauge.container():
                        _gauge(account)


def _settings(study: Study | None) -> None:
    st.radio(
        "Mode",
        list(Mode),
        format_func=session.MODES.__getitem__,
        key="mode",
        persist_state="session",
        on_change=session.choose_mode,
        horizontal=True,
        help="Live spends the budget, and results may be published. Classroom is for "
        "practice: it may show true values, spends a budget of its own, and marks "
        "every figure.",
    )
    if study is None:
        return
    if study.example is None and session.mode() is Mode.CLASSROOM:
        st.warning("True values of your own data may now appear.")
    removal = st.popover("Remove data", key="remove-data", on_change="rerun")
    if removal.open:
        removal.markdown(
            f"Remove {literal(study.dataset.name)}, everything computed from it, and "
            "the lessons of this tab from memory? The ledger stays."
        )
        removal.button("Yes, remove it", on_click=using.forget)


def _card(study: Study) -> None:
    dataset = study.dataset
    ready = sum(column.is_declared for column in dataset.columns)
    unit = study.terms.unit
    hidden = f"number of {unit.nouns}: private"
    count = unit.number(dataset.people) if study.public_number else hidden
    st.markdown(f"**{literal(dataset.name)}**")
    st.caption(
        f"{count} · {ready} of {len(dataset.columns)} columns ready · "
        f"Privacy unit: one {unit.noun} ({study.terms.relation.label.lower()})"
    )
    # Lists of columns leave it out; answers and papers say it.
    ending = dataset.ending.lstrip(" ,")
    if ending:
        st.caption(f"Every column: {literal(ending)}.")


def _gauge(account: Account) -> None:
    """Show what was spent, and is left."""
    budget = account.budget
    rows: list[tuple[str, Decimal, Decimal]] = []
    if budget.rho is not None:
        rows.append(("ρ", account.spent.rho, budget.rho))
    if budget.epsilon is not None:
        rows.append(("ε", account.spent.epsilon, budget.epsilon))
    for symbol, spent, total in rows:
        _bar(symbol, spent, total, empty=used_up(account))
    if account.closed is not None:
        st.caption("This account is closed and cannot be used for releases.")
    elif account.bar is not None:
        st.caption(f"No release today: {literal(account.bar)}")
    elif account.current:
        period = account.current[-1]
        rest = capital(left_text(account.budget, account.remaining))
        st.caption(f"{rest} may be spent in {literal(period.name)}.")


def _bar(symbol: str, spent: Decimal, total: Decimal, *, empty: bool) -> None:
    share = min(float(spent / total), 1.0)
    lesson = " (lesson)" if session.mode() is Mode.CLASSROOM else ""
    used, of = significant(float(spent), up=True), significant(float(total))
    rest = NOTHING if empty else significant(float(max(total - spent, Decimal())))
    st.progress(share, text=f"Budget{lesson}: {used} of {of} {symbol} spent, {rest} left")
