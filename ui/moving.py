"""Moving the account of a table to another machine, and bringing one here."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from dpcore.errors import DPCoreError
from dpcore.releases import moving
from dpcore.releases.account import Account
from dpcore.releases.record import Mode
from ui import session
from ui.study import Study
from ui.text import sentence_of

_MADE, _TIMES, _ARRIVED = "_moving_made", "_moving_times", "_moving_arrived"
_MOST_BYTES = 50_000_000


class _File(NamedTuple):
    """A file with the code that opens it."""

    text: str
    code: str


def tell(study: Study, account: Account) -> None:
    """Say that an account is closed here, or that one has just arrived."""
    if session.take(_ARRIVED):
        st.success("The account has arrived. Delete its file now.")
        terms = study.terms
        if (terms.relation, terms.unit.rows) != (account.relation, account.unit_rows):
            st.info(
                f"It is kept for {account.relation.phrase} and at most "
                f"{account.unit_rows} rows a unit, which differs from what was "
                "declared here. Use the table again on Data with these terms."
            )
    if account.moved is not None:
        st.warning(
            "This account was moved to another machine and pays nothing here. Its "
            "answers stay, and are free. If it never arrived there, bring its file "
            "back here, below."
        )
        _offer(study)


def away(study: Study, account: Account) -> None:
    """Offer to close the account here, and a file with which it opens elsewhere."""
    if session.mode() is not Mode.RELEASE:
        return
    with st.expander("Move this account to another machine"):
        st.markdown(
            f"Budget and answers belong to the {session.unit().nouns}, wherever the "
            "table is. Here the "
            "account is **closed**; a file takes what was spent, what is left and all "
            "answers along. The key of this machine stays: the file is sealed with a "
            "**code** made for it alone, which you pass on by another way, by phone, "
            "say. The file alone shows what the ledger shows. Open "
            "it on **one** machine only: on two, the budget would be spent twice, and "
            "nobody could tell."
        )
        with st.form("move-account", enter_to_submit=False, border=False):
            if account.moved is None:
                reason = st.text_input("Reason for moving", placeholder="who decided this, and why")
                asked = st.form_submit_button("Close here and make the file")
            else:
                reason = ""
                asked = st.form_submit_button("Make the file again")
        if asked:
            _make(study, account, reason)


def _make(study: Study, account: Account, reason: str) -> None:
    book = session.opened_ledger(study)
    try:
        if account.moved is None:
            moving.close(book, study.fingerprint, reason=reason)
    except DPCoreError as error:
        st.error(sentence_of(error))
        return
    session.count_up(_TIMES)
    session.set_public(_MADE, f"{study.fingerprint} {session.count(_TIMES)}")
    st.rerun()


def _offer(study: Study) -> None:
    """Show the code, and offer the file, of a move that was asked for in this tab."""
    made = session.public(_MADE)
    if not str(made).startswith(study.fingerprint):
        return
    try:
        file = session.remember("moving", str(made), lambda: _file(study))
    except DPCoreError as error:
        st.error(sentence_of(error))
        return
    with st.container(border=True):
        st.markdown(
            "**The code of the file.** It is kept nowhere: note it before you leave this tab."
        )
        st.code(file.code, language=None, wrap_lines=True)
        st.download_button(
            "Save the file of the account",
            file.text,
            file_name="account.json",
            mime="application/json",
            key="move-file",
            on_click="ignore",
        )
        st.caption(
            "On the other machine: put the same table in use, read in the same way, "
            "and bring the account in at the end of the Ledger page. Then delete the "
            "file."
        )


def _file(study: Study) -> _File:
    code = moving.new_code()
    table = study.dataset.fingerprint
    book = session.ledger()
    with st.spinner("Taking the fingerprint of the table …"):
        text = moving.packed(book, study.fingerprint, code=code, table=table)
    return _File(text=text, code=code)


def here(study: Study) -> None:
    """Take in the file of an account about the table in use."""
    if session.mode() is not Mode.RELEASE:
        return
    with st.expander("Bring an account here from another machine"):
        st.markdown(
            "The account has to be about the table that is in use now: the same rows, "
            "columns and names, read in the same way. What was spent elsewhere counts "
            "here from then on, and answers that were given there are free here."
        )
        with st.form("bring-account", enter_to_submit=False, border=False):
            file = st.file_uploader(
                "File of the account", type="json", key=f"moved-{session.generation()}"
            )
            code = st.text_input("Code of the file", type="password")
            if st.form_submit_button("Bring it in and record"):
                _arrive(study, None if file is None else file.getvalue(), code)


def _arrive(study: Study, data: bytes | None, code: str) -> None:
    if data is None:
        st.error("Choose the file of the account first.")
        return
    try:
        text = data[:_MOST_BYTES].decode(errors="replace")
        table = study.dataset.fingerprint
        with st.spinner("Taking the fingerprint of the table …"):
            arriving = moving.unpacked(text, code=code, table=table)
        moving.arrive(session.ledger(), study.fingerprint, arriving)
    except DPCoreError as error:
        st.error(sentence_of(error))
        return
    session.set_public(_ARRIVED, True)  # noqa: FBT003 - a note
    st.rerun()
