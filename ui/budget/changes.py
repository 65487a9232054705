"""Manage: how a budget was changed and can be, and whether its ledger is unbroken."""

from __future__ import annotations

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.errors import DPCoreError, UntrustedLedgerError
from dpcore.figures.attackers import odds_text
from dpcore.ledger.account import Account
from dpcore.ledger.chain import EntryKind
from dpcore.privacy_filter import PrivacyBudget
from dpcore.releases.digits import limit_text
from ui import recovery, results, session
from ui.budget import periods
from ui.study import Study
from ui.text import sentence_of


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
        {"time (UTC)": entry.recorded[:16].replace("T", " "), **_change(entry.content)}
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
        st.caption("A change is recorded with its reason, and cannot be undone.")
        budget = periods.limit_fields(account.budget, "total", "New privacy budget")
        try:
            new = budget()
        except DPCoreError as error:
            st.error(sentence_of(error))
            return
        # As many lines with a change as without: the button below stays where it is.
        st.markdown(f"Now: {_meant(account.budget)}.\n\nThen: {_meant(new)}.")
        st.caption("Published notices keep the old budget. New ones state the change.")
        reason = st.text_input("Reason", placeholder="who decided this, and why")
        # Enter in a field must not change a guarantee: only the button does.
        if st.button("Change and record"):
            periods.record(
                lambda: session.opened_ledger(study).change_budget(study.fingerprint, new, reason)
            )


def _meant(budget: PrivacyBudget) -> str:
    told = limit_text(budget)
    if budget.epsilon is None:
        return told
    odds = odds_text(float(budget.epsilon), float(budget.delta or 0), noun=session.unit().noun)
    return f"{told}; if all is used, {odds.split(': ', 1)[1]}"
