"""What an account has spent, has left, and may still pay. Everything here is public."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain as joined
from typing import Final

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.errors import DPCoreError, UntrustedLedgerError
from dpcore.figures.attackers import odds_text
from dpcore.figures.compositions import totals_picture
from dpcore.ledger.account import Account
from dpcore.ledger.chain import EntryKind
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.releases.amounts import is_used_up, left_text, limit_text, spent_text
from dpcore.releases.record import Release
from ui import controls, recovery, results, session
from ui.study import Study
from ui.text import literal, sentence_of

_TOTAL_DELTA = 1e-6
WAYS: Final = (
    "**Basic composition** adds up every ε and δ. **Advanced composition** uses that not "
    "every result reveals the most at once. **zCDP** adds up ρ, which suits Gaussian "
    "noise, and becomes an ε only at a δ. **PLD** composes the distributions of the "
    "privacy loss."
)
"""What the four ways of counting are."""
NOTHING = PrivacyCost.of()


def summary(account: Account) -> None:
    """Show what is spent and left of the budget, and what that means for a person."""
    budget, spent = account.budget, account.spent
    first, middle, last = st.columns([1, 2, 1], vertical_alignment="center")
    first.metric("Spent", spent_text(budget, spent))
    middle.progress(_share(budget, spent), text=f"Budget: {limit_text(budget)}")
    last.metric(
        f"Left{' today' if account.periods else ''}",
        left(account),
        help="The smallest rest of the budget and of the periods that today is in."
        if account.periods
        else None,
    )
    if budget.epsilon is not None:
        noun = session.unit().noun
        now = odds_text(float(spent.epsilon), float(spent.delta), noun=noun)
        later = odds_text(float(budget.epsilon), float(budget.delta or 0), noun=noun)
        used = now == later or used_up(account)
        st.caption(f"So far, {now}." if not used else f"All of ε is used: {now.split(': ', 1)[1]}.")
    if len(account.tables) > 1:
        names = ", ".join(f"“{literal(name)}”" for name in account.names.values())
        st.caption(f"{len(account.tables)} tables share this account: {names}.")


def _share(budget: PrivacyBudget, spent: PrivacyCost) -> float:
    """Return which share of a budget is spent."""
    pairs = ((spent.epsilon, budget.epsilon), (spent.rho, budget.rho))
    return min(max(float(part / cap) for part, cap in pairs if cap), 1.0)


def used_up(account: Account) -> bool:
    """Tell whether no more is left of the account than rounding up has left."""
    return is_used_up(account.budget, account.remaining)


def left(account: Account) -> str:
    """Return what is left of an account, in symbols, or that it is nothing."""
    return left_text(account.budget, account.remaining)


def fitting(account: Account, cost: PrivacyCost, *, answered: bool) -> str:
    """Say what is left of an account, and how many more questions of a cost fit into it.

    What was ``answered`` is paid.
    """
    text = f"{left(account)} left"
    rest, each = account.remaining.epsilon, cost.epsilon
    if account.budget.epsilon is None or not each or not each.is_finite():
        return f"{text}."
    count = int(rest // each)
    if answered:
        return f"{text}: about {count:,} more like this fit."
    return f"{text}; about {max(count - 1, 0):,} more like this fit afterwards."


def is_endless(budget: PrivacyBudget, cost: PrivacyCost) -> bool:
    """Tell whether a cost is infinite in something that the budget limits."""
    parts = ((budget.epsilon, cost.epsilon), (budget.delta, cost.delta), (budget.rho, cost.rho))
    return any(cap is not None and not part.is_finite() for cap, part in parts)


def beyond(budget: PrivacyBudget, cost: PrivacyCost) -> str:
    """Say in a few words why a cost does not fit into what is left."""
    endless = is_endless(budget, cost)
    return "cannot be released" if endless else "more than is left"


def way_on(account: Account, cost: PrivacyCost, costs: str) -> str:
    """Say what can be done where the budget is too small for a ``cost``.

    ``costs`` is that in words.
    """
    rest = account.remaining
    smaller = f"Ask with a smaller {_too_large(cost, rest)}"
    if account.moved is not None:
        return (
            f"This costs {costs}. The account of this table was moved to another "
            "machine, and pays nothing here: ask there."
        )
    if account.bar is not None:
        return f"This costs {costs}. Nothing can be paid today: {account.bar}"
    if rest != account.budget.remaining(account.spent):
        return (
            f"This costs {costs}, and {left(account)} is left in "
            f"{literal(account.current[-1].name)}. {smaller}, or wait for the next "
            "period."
        )
    if used_up(account):
        return (
            f"This costs {costs}, and nothing is left of the budget: what was promised "
            "about this table is used up. Whoever set the budget can change it on "
            "Budget › Manage, which weakens the promise and is recorded."
        )
    return (
        f"This costs {costs}, and {left(account)} is left. {smaller}, or "
        "change the budget on Budget › Manage."
    )


def _too_large(cost: PrivacyCost, rest: PrivacyCost) -> str:
    """Return which of ε and δ are above what is left; for ρ, too, ε is what is typed.

    >>> _too_large(PrivacyCost.of(epsilon=2.0), PrivacyCost.of(epsilon=1.0, delta=0.1))
    'ε'
    """
    pairs = {"ε": (cost.epsilon, rest.epsilon), "δ": (cost.delta, rest.delta)}
    lacking = [symbol for symbol, (needed, left) in pairs.items() if needed > left]
    return " and a smaller ".join(lacking) or "ε"


def nothing_released(account: Account) -> str:
    """Say that there is no answer about the table in use."""
    if account.releases and len(account.fingerprints) > 1:
        return (
            "Nothing has been released about this table yet. What was spent was spent "
            f"on other tables about these {session.unit().nouns}."
        )
    since = "since the ledger was begun anew" if account.releases else "yet"
    return f"Nothing has been released {since}."


def all_releases(account: Account) -> tuple[Release, ...]:
    """Return the answers about all tables of an account, the oldest first."""
    book = session.ledger()
    found = (book.releases(table) for table in account.fingerprints)
    study = session.study()
    known = sorted(joined.from_iterable(found), key=lambda one: one.created)
    return tuple(known if study is None else map(study.renamed, known))


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
    """Offer how costs are added up, and the releases' total counted in four ways."""
    opened = st.expander("Methods", key="budget-methods", on_change="rerun")
    if not opened.open:
        return
    with opened:
        st.markdown(
            "The limit adds up costs, because each release may depend on earlier results. "
            f"Every cost counts for {session.unit().change(account.relation)}."
        )
        delta = float(account.budget.delta or 0) or _TOTAL_DELTA
        events = [event_from(release.event) for release in releases]
        with st.spinner("Composing the releases …"):
            known = session.remember(
                "totals", f"{delta} {events}", lambda: compose(events, delta=delta)
            )
            picture = totals_picture(
                known,
                charged=float(account.spent.epsilon),
                delta=delta,
                plans=any(release.plan for release in releases),
            )
        results.show(picture, "totals")
        st.caption(
            "The tighter totals hold only for a plan that is fixed before its first result. "
            f"The limit does not use them. {WAYS}"
        )


def chain() -> None:
    """Check that no entry of the ledger was changed afterwards."""
    try:
        session.ledger().verify()
    except UntrustedLedgerError as error:
        recovery.offer(error)
    else:
        shared = (
            " It is on a server, and the same for every machine that has its key."
            if session.on_server() and session.mode() is Mode.RELEASE
            else ""
        )
        st.caption("✓ The chain of entries is unbroken: none was changed or removed." + shared)


def changes(study: Study) -> None:
    """List how the budget was changed, and why."""
    rows = [
        {"when (UTC)": entry.recorded[:19].replace("T", " "), **_change(entry.content)}
        for entry in session.ledger().history(session.account(study).name)
        if entry.kind is EntryKind.BUDGET
    ]
    if rows:
        st.markdown("**Changes of the budget**")
        results.table(rows, key="changes")


def _change(content: dict[str, object]) -> dict[str, str]:
    budget = PrivacyBudget.from_json(content["budget"])
    reason = str(content["reason"])
    if "moved" in content:
        reason = f"closed, and moved to another machine: {reason}"
    return {"budget": budget.describe(), "reason": reason}


def change_budget(study: Study, account: Account) -> None:
    """Let the curator change the total; the change stays on record."""
    if account.moved is not None or account.closed is not None:
        return
    with st.expander("Change the budget"):
        st.markdown(
            f"A budget is a promise to the {session.unit().nouns} in the table. A "
            "change is recorded "
            "with its reason and cannot be taken back."
        )
        budget = account.budget
        if budget.rho is not None:
            rho = controls.HERE.number(
                "New privacy budget ρ", float(budget.rho), (1e-12, None), kept="page"
            )
            epsilon = delta = None
        else:
            epsilon = controls.HERE.number(
                "New privacy budget ε", float(budget.epsilon or 1), (1e-9, None), kept="page"
            )
            delta = controls.HERE.number("New δ", float(budget.delta or 0), (0.0, 0.1), kept="page")
            rho = None
        try:
            new = PrivacyBudget.of(epsilon=epsilon, delta=delta, rho=rho)
        except DPCoreError as error:
            st.error(sentence_of(error))
            return
        _tell_change(budget, new)
        reason = st.text_input("Reason", placeholder="who decided this, and why")
        # Enter in a field must not change a promise: only the button does.
        if st.button("Change and record"):
            try:
                session.opened_ledger(study).change_budget(study.fingerprint, new, reason)
            except DPCoreError as error:
                st.error(sentence_of(error))
            else:
                st.rerun()


def _tell_change(budget: PrivacyBudget, new: PrivacyBudget) -> None:
    """Say what a budget means for one person, before and after a change.

    As many lines with a change as without: the button below must stay where it is.
    """
    st.info(
        f"Now: {_meant(budget)}.\n\nThen: {_meant(new)}.\n\nNotices that were "
        "published name the budget of that day. Later ones name the change."
    )


def _meant(budget: PrivacyBudget) -> str:
    told = limit_text(budget)
    if budget.epsilon is None:
        return told
    odds = odds_text(float(budget.epsilon), float(budget.delta or 0), noun=session.unit().noun)
    return f"{told}; if all is used, {odds.split(': ', 1)[1]}"
