"""Periods of an account: their limits, opening and closing them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import ROUND_FLOOR, Context, Decimal
from typing import NamedTuple

import streamlit as st

from dpcore.errors import DPCoreError
from dpcore.ledger import chain, periods, scheduling
from dpcore.ledger.account import Account
from dpcore.ledger.periods import BudgetPeriod
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.releases.digits import left_text, limit_text, spent_text
from ui import controls, results, session
from ui.study import Study
from ui.text import literal, sentence_of

_QUARTER, _YEAR, _OTHER = "a quarter", "a year", "other days"
_DAYS = {_QUARTER: 90, _YEAR: 365, _OTHER: 30}
_SHARES = {_QUARTER: 4, _YEAR: 2, _OTHER: 4}
"""Equal parts of the account, of which a first period proposes one."""
_LEAST = Decimal("1E-12")
_DOWN = Context(prec=4, rounding=ROUND_FLOOR)
_ALL = "the whole account"


class _NextPeriod(NamedTuple):
    """What the next period begins from."""

    name: str
    begins: date
    ends: date
    budget: PrivacyBudget


def show(account: Account) -> None:
    """Show the periods of an account, and whether it is closed or was moved."""
    if account.moved is not None:
        st.warning(
            "This account was moved to another machine and cannot be used here. Its "
            "results stay, at no further cost."
        )
    if account.closed is not None:
        st.warning(
            f"This account is closed: {literal(account.closed)}. Its results stay, at no "
            "further cost."
        )
    if account.periods:
        _tell(account)


def change(study: Study, account: Account) -> None:
    """Offer to open the next period, and to close one or the account."""
    if account.moved is None and account.closed is None:
        _open(study, account)
        _change(study, account)
        _close(study, account)


def _tell(account: Account) -> None:
    st.markdown("**Periods**")
    today = chain.now().date()
    if account.day is not None and account.day > today:
        st.info(
            f"The ledger is at {text_of(account.day)}, the clock of this machine at "
            f"{text_of(today)}. What is spent counts on the later day."
        )
    if account.closed is not None:
        pass
    elif account.bar is not None:
        st.warning(f"No release today: {literal(account.bar)}")
    else:
        inner = account.current[-1]
        left = left_text(account.budget, account.remaining)
        st.markdown(
            f"Today lies in **{literal(inner.name)}**, until {text_of(inner.ends)}. "
            f"{left} may be spent until then."
        )
    results.table([_row(account, one) for one in _in_order(account)], key="periods")
    st.caption("Costs add up across periods. Days are counted in UTC.")


def _in_order(account: Account) -> list[BudgetPeriod]:
    return sorted(account.periods, key=lambda one: (one.begins, -one.days))


def _row(account: Account, period: BudgetPeriod) -> dict[str, str]:
    whole = periods.limit(account.periods, period)
    return {
        "period": period.name,
        "first day": period.begins.isoformat(),
        "last day": period.ends.isoformat(),
        "limit": limit_text(whole)
        + (f", with what {period.carries} left" if period.carries else ""),
        "spent": spent_text(whole, period.spent),
        "unspent": left_text(whole, whole.remaining(period.spent)),
        "state": _state(period, account.day),
    }


def _state(period: BudgetPeriod, day: date | None) -> str:
    if period.closed is not None:
        return f"closed: {period.closed}"
    if day is None or period.covers(day):
        return "open"
    return "over" if period.ends < day else "to come"


def _open(study: Study, account: Account) -> None:
    label = "Open the next period" if account.periods else "Divide the budget by year or quarter"
    with st.expander(label, key="open-period"):
        st.caption(
            "A period limits what may be spent in its days, such as a quarter inside a "
            "year. After the first one, only days in a period allow releases. Every "
            "limit counts: quarter, year and total."
        )
        kind = st.radio(
            "Length",
            [_QUARTER, _YEAR, _OTHER],
            horizontal=True,
            key="period-kind",
            help="Quarters lie inside a year if both are opened.",
        )
        start = _start(account, kind)
        # What was typed for one period is no default of the next.
        mark = f"{kind} {len(account.periods)}"
        new = _fields(start, mark)
        _tell_fit(account, new)
        if st.button("Open and record", key=f"open-period-now {mark}"):
            record(
                lambda: scheduling.open_period(
                    session.opened_ledger(study), study.fingerprint, new()
                )
            )


def _start(account: Account, kind: str) -> _NextPeriod:
    """Return the next period of a length that has none of its days yet.

    Its limit is that of the last one of its length, and else an equal share, of what is not
    promised to others.
    """
    today = account.day or chain.now().date()
    day = periods.next_day(account.periods, today, _DAYS[kind])
    name, begins, ends = periods.year(day) if kind == _YEAR else periods.quarter(day)
    if kind == _OTHER:
        name, begins = "", day
    last = next((one for one in reversed(_in_order(account)) if one.days < 2 * _DAYS[kind]), None)
    new = BudgetPeriod(name=name or kind, begins=begins, ends=ends, budget=account.budget)
    new = replace(new, spent=_spent_in(account, new))
    least, most = periods.room(account.periods, new, account.budget, account.spent, today)
    whole = periods.around(account.periods, new)
    shares = _SHARES[kind] if whole is None else round((whole.ends - begins).days / _DAYS[kind])

    def limit(part: str) -> Decimal | None:
        if getattr(account.budget, part) is None:
            return None
        low: Decimal = getattr(least, part)
        high: Decimal = getattr(most, part)
        usual = low + _DOWN.divide(high - low, max(shares, 1))
        wanted: Decimal = min(usual if last is None else getattr(last.budget, part), high)
        return max(low, wanted, Decimal() if part == "delta" else _LEAST)

    budget = PrivacyBudget(epsilon=limit("epsilon"), delta=limit("delta"), rho=limit("rho"))
    return _NextPeriod(name, begins, ends, budget)


def _fields(start: _NextPeriod, mark: str) -> Callable[[], BudgetPeriod]:
    """Show the fields of a period; return what makes it of what was typed."""
    first, second, third = st.columns(3)
    name = first.text_input("Name", start.name, key=f"period-name {mark}")
    begins = second.date_input("First day", start.begins, key=f"period-begins {mark}")
    ends = third.date_input("Last day", start.ends, key=f"period-ends {mark}")
    budget = limit_fields(start.budget, mark, "Limit of the period")

    def new() -> BudgetPeriod:
        return BudgetPeriod(name=name.strip(), begins=begins, ends=ends, budget=budget())

    return new


def _change(study: Study, account: Account) -> None:
    names = _still_open(account)
    if not names:
        return
    with st.expander("Change the limit of a period", key="change-period"):
        # What was chosen before the last change is no default of the next.
        chosen = st.selectbox("Period", names, key=f"changing {len(names)}")
        period = periods.named(account.periods, chosen)
        if period is None:
            return
        budget = limit_fields(period.budget, f"new {chosen}", "New limit")
        _tell_fit(account, lambda: replace(period, budget=budget()))
        reason = st.text_input(
            "Reason for the new limit",
            placeholder="who decided this, and why",
            key=f"change-period-reason {len(names)}",
        )
        if st.button("Change the limit and record", key="change-period-now"):
            record(
                lambda: scheduling.change_period(
                    session.opened_ledger(study), study.fingerprint, chosen, budget(), reason=reason
                )
            )


def _tell_fit(account: Account, new: Callable[[], BudgetPeriod]) -> None:
    """Say, as it is typed, why a period does not fit."""
    try:
        typed = new()
        typed = replace(typed, spent=_spent_in(account, typed))
        if typed.spent != PrivacyCost():
            spent = account.budget.caption(typed.spent)
            st.caption(f"Already spent in these days: {spent}. It counts in the limit.")
        others = [one for one in account.periods if one.name != typed.name]
        today = chain.now().date()
        day = max(account.day or today, today)
        periods.check(others, typed, account.budget, account.spent, day)
    except DPCoreError as error:
        st.info(sentence_of(error), icon="✏️")


def _spent_in(account: Account, typed: BudgetPeriod) -> PrivacyCost:
    """Return what was spent in the days of a period, before it is opened."""
    known = periods.named(account.periods, typed.name)
    if known is not None:
        return known.spent
    if account.spent == PrivacyCost():
        return account.spent
    return scheduling.spent_in(session.ledger().history(account.name), typed)


def _still_open(account: Account) -> list[str]:
    """Return the names of the periods that are neither over nor closed."""
    today = account.day
    return [
        one.name
        for one in _in_order(account)
        if one.closed is None and today is not None and one.ends >= today
    ]


def limit_fields(start: PrivacyBudget, mark: str, label: str) -> Callable[[], PrivacyBudget]:
    """Show the fields of a limit; return what makes it of what was typed."""
    left, right = (controls.Cell(place=place) for place in st.columns(2))
    delta = rho = epsilon = None
    if start.rho is not None:
        rho = left.number(
            f"{label} ρ", float(start.rho), (1e-12, None), key=f"period-rho {mark}", kept="page"
        )
    else:
        epsilon = left.number(
            f"{label} ε",
            float(start.epsilon or 1),
            (1e-9, None),
            key=f"period-epsilon {mark}",
            kept="page",
        )
        delta = right.number(
            f"{label} δ",
            float(start.delta or 0),
            (0.0, 0.1),
            key=f"period-delta {mark}",
            kept="page",
        )
    return lambda: PrivacyBudget.of(epsilon=epsilon, delta=delta, rho=rho)


def _close(study: Study, account: Account) -> None:
    with st.expander("Close a period or the account", key="close-period"):
        st.caption(
            "A closed period or account cannot be used for releases, and cannot be "
            "opened again. Its results and costs stay on record."
        )
        names = _still_open(account)
        with st.form("close-period-form", enter_to_submit=False, border=False):
            # Nothing is closed because it stood there.
            chosen = st.selectbox(
                "What to close",
                [*names, _ALL],
                index=None,
                placeholder="Choose a period, or the whole account",
                key=f"closing {len(names)}",
            )
            reason = st.text_input("Reason for closing", placeholder="who decided this, and why")
            sure = st.checkbox("It stays closed permanently", key=f"sure {len(names)}")
            if st.form_submit_button("Close and record"):
                if chosen is None or not sure:
                    st.error(
                        "Choose what to close, tick that it stays closed permanently, and press "
                        "again."
                    )
                    return
                record(lambda: _closed(study, chosen, reason))


def _closed(study: Study, chosen: str, reason: str) -> None:
    book, name = session.opened_ledger(study), study.fingerprint
    if chosen == _ALL:
        scheduling.close_account(book, name, reason=reason)
    else:
        scheduling.close_period(book, name, chosen, reason=reason)


def record(write: Callable[[], object]) -> None:
    """Write an entry, and show the page anew; say why it is refused."""
    try:
        write()
    except DPCoreError as error:
        st.error(sentence_of(error))
    else:
        st.rerun()


def text_of(day: date) -> str:
    """Return a day in words.

    >>> from datetime import date
    >>> text_of(date(2026, 10, 1))
    '1 October 2026'
    """
    return f"{day.day} {day:%B %Y}"
