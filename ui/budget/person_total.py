"""What a person has spent who is in all tables and accounts. Everything is public."""

from __future__ import annotations

import streamlit as st

from dpcore.figures.attackers import odds_text
from dpcore.ledger.account import Account, PersonTotal, by_period, by_table, person_totals
from dpcore.ledger.periods import limit
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.digits import left_text, spent_text
from ui import results, session
from ui.budget.periods import text_of


def show(account: Account) -> None:
    """Show the total of a person who is in all chosen accounts, and its parts."""
    book = session.ledger()
    known = {one.name: one for one in book.accounts()}
    if account.name not in known:
        return
    several = len(known) > 1 or len(account.tables) > 1 or account.periods
    if not several:
        return
    label = f"Total of one {session.unit().noun}"
    with st.expander(label, key="person-total"):
        chosen = [account.name]
        if len(known) > 1:
            others = [name for name in known if name != account.name]
            chosen += st.multiselect(
                f"Other accounts with the same {session.unit().noun}",
                others,
                format_func=lambda name: title(known[name]),
                key="person-total-accounts",
                placeholder="Choose other accounts",
                help=f"Whether one {session.unit().noun} is in several accounts is known only to "
                "you.",
            )
        members = [known[name] for name in known if name in chosen]
        for one in person_totals(members):
            _tell(one)
        rows = [row for one in members for row in _rows(one)]
        results.table(rows, key="person-total-parts")
        st.caption(
            "Costs add up (basic composition) across tables and periods. Parts by table and "
            "by period are two views of the same sum."
        )


def title(account: Account) -> str:
    """Return what an account is called: after its first table that was described."""
    day = account.fingerprint[:6]
    return account.title or f"an older table ({day})"


def _tell(total: PersonTotal) -> None:
    spent = total.spent
    many = len(total.accounts)
    where = "this account" if many == 1 else f"all {many} accounts"
    said = " and ".join(dict.fromkeys(spent_text(one.budget, spent) for one in total.accounts))
    st.markdown(
        f"One {session.unit().noun} that is in {where} has spent **{said}** in total, "
        "for "
        f"{session.unit().change(total.relation)}"
        + (f", up to {total.unit_rows} rows each." if total.unit_rows > 1 else ".")
    )
    if spent.epsilon.is_finite() and spent.epsilon:
        noun = session.unit().noun
        odds = odds_text(float(spent.epsilon), float(spent.delta), noun=noun)
        st.markdown(f"So far, {odds}.")


def _rows(account: Account) -> list[dict[str, str]]:
    name = title(account)
    rows = [
        _row(
            account,
            (name, "in all"),
            account.spent,
            left_text(account.budget, account.budget.remaining(account.spent)),
        )
    ]
    tables = account.names
    if len(account.tables) > 1:
        history = session.ledger().history(account.name)
        for table, cost in by_table(account, history).items():
            called = tables.get(table, "other tables")
            rows.append(_row(account, (name, f"on {called}"), cost, ""))
    for period, cost in by_period(account) if account.periods else ():
        when, left = "outside any period", ""
        if period is not None:
            when = f"in {period.name}, {text_of(period.begins)} to {text_of(period.ends)}"
            whole = limit(account.periods, period)
            left = left_text(whole, whole.remaining(period.spent))
        rows.append(_row(account, (name, when), cost, left))
    return rows


def _row(account: Account, place: tuple[str, str], cost: PrivacyCost, left: str) -> dict[str, str]:
    return {
        "account": place[0],
        "part": place[1],
        "spent": spent_text(account.budget, cost),
        "left of its limit": left,
    }
