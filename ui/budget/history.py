"""History: what is spent and left of a budget, and on what. Everything is public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dpcore.figures.attackers import odds_text
from dpcore.figures.compositions import totals_picture
from dpcore.figures.risks import PRIOR, level_text, risk_text
from dpcore.formatting import capital
from dpcore.ledger.account import Account
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.privacy.tradeoff import of_events
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.digits import left_text, limit_text, spent_text
from dpcore.releases.record import Release, in_force
from ui import accounts, results, session
from ui.accounts import WAYS, left, used_up
from ui.text import literal

_TOTAL_DELTA: Final = 1e-6


def summary(account: Account) -> None:
    """Show what is spent and left of the budget, and what that means for a person."""
    budget, spent = account.budget, account.spent
    first, middle, last = st.columns([1, 2, 1], vertical_alignment="center")
    pairs = ((spent.epsilon, budget.epsilon), (spent.rho, budget.rho))
    middle.progress(
        min(max(float(part / cap) for part, cap in pairs if cap), 1.0),
        text=f"Budget: {limit_text(budget)}",
    )
    today = left(account)
    whole = today if account.closed else left_text(budget, budget.remaining(spent))
    below = () if today == whole else (today,)
    numbers = {
        "Spent": (spent_text(budget, spent), "The privacy cost of all releases."),
        "Left": (whole, None, *below),
    }
    results.metrics(numbers, places=[first, last])
    if budget.epsilon is not None:
        noun = session.unit().noun
        now = odds_text(float(spent.epsilon), float(spent.delta), noun=noun)
        later = odds_text(float(budget.epsilon), float(budget.delta or 0), noun=noun)
        used = now == later or used_up(account)
        st.caption(f"So far, {now}." if not used else f"All of ε is used: {now.split(': ', 1)[1]}.")
    if len(account.tables) > 1:
        names = ", ".join(f"“{literal(name)}”" for name in account.names.values())
        st.caption(f"{len(account.tables)} tables share this account: {names}.")


def nothing_released(account: Account) -> str:
    """Say that there is no answer about the table in use."""
    if account.releases and len(account.fingerprints) > 1:
        return (
            "Nothing has been released about this table yet. All spending so far was for other "
            f"tables about these {session.unit().nouns}."
        )
    since = "since the new ledger began" if account.releases else "yet"
    return f"Nothing has been released {since}."


def tables_of_releases(account: Account) -> dict[str, str] | None:
    """Return what the table of each release is called; ``None`` if there is one."""
    if len(account.fingerprints) < 2:  # noqa: PLR2004 - one needs no name
        return None
    book, names = session.ledger(), account.names
    return {
        one.id: names.get(table, "a table without a name")
        for table in account.fingerprints
        for one in book.releases(table)
    }


def methods(releases: Sequence[Release], account: Account) -> None:
    """Say how costs are added up, and the releases' total counted in four ways."""
    st.markdown(
        "The limit adds up costs, because each release may depend on earlier results. "
        f"Every cost counts for {session.unit().change(account.relation)}."
    )
    known = in_force(releases)
    events = [event_from(release.event) for release in known]
    added = sum((release.cost for release in known), PrivacyCost())
    delta = float(account.budget.delta or 0) or max(_TOTAL_DELTA, float(added.delta))
    with st.spinner("Composing the releases …"):
        totals = session.remember(
            "totals", f"{delta} {added} {events}", lambda: compose(events, delta=delta, added=added)
        )
        picture = totals_picture(
            totals,
            charged=float(account.spent.epsilon),
            delta=delta,
            plans=any(release.plan for release in releases),
        )
    results.show(picture, "totals")
    st.caption(
        "The tighter totals hold only for a plan that is fixed before its first result. "
        f"The limit does not use them. {WAYS}"
    )
    curve = of_events(events)
    risk = capital(risk_text(curve, PRIOR, account.relation))
    st.markdown(f"With all questions fixed beforehand: **{level_text(curve.level)}**. {risk}.")
    st.page_link("pages/meaning.py", label="Trade-off function and risk at any prior")


# What was released on every account of the ledger, for people who have no table.


def of_all_accounts() -> None:
    """Show the answers of an account of the ledger, and offer them as files."""
    book, study = session.kept_ledger(), session.study()
    known = [account for account in book.accounts() if account.releases]
    if not known:
        st.info("Nothing has been released from this ledger yet.")
        return
    own = [at for at, one in enumerate(known) if study and study.fingerprint in one.fingerprints]
    if study is not None and not own:
        st.info("Nothing has been released about the table in use. Choose another account.")
    number = st.selectbox(
        "Account",
        range(len(known)),
        index=own[0] if own else 0 if study is None else None,
        format_func=lambda place: known[place].title or f"Account {place + 1}",
        placeholder="Choose an account",
        key=f"released-account-{session.generation()}",
    )
    if number is None:
        return
    account = known[number]
    found = [one for table in account.fingerprints for one in book.releases(table)]
    releases = tuple(sorted(found, key=lambda one: one.created))
    results.public_badge()
    st.caption(f"Budget: {account.budget.describe()}. {capital(accounts.rest(account))}.")
    results.listing(releases)
    results.release_files(releases, "released", in_use=False)
