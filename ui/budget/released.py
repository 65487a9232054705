"""What was released on every account of the ledger, for people who have no table."""

from __future__ import annotations

import streamlit as st

from ui import accounts, results, session


def show() -> None:
    """Show the answers of an account of the ledger, and offer them as files."""
    book = session.kept_ledger()
    known = [account for account in book.accounts() if account.releases]
    if not known:
        st.info("Nothing has been released from this ledger yet.")
        return
    number = st.selectbox(
        "Account",
        range(len(known)),
        format_func=lambda place: known[place].title or f"Account {place + 1}",
        key="released-account",
    )
    account = known[number]
    found = [one for table in account.fingerprints for one in book.releases(table)]
    releases = tuple(sorted(found, key=lambda one: one.created))
    results.public_badge()
    st.caption(f"Budget: {account.budget.describe()}. Left: {accounts.left(account)}.")
    results.listing(releases)
    results.release_files(releases, "released", in_use=False)
