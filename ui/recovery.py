"""What is said and offered when the ledger cannot be used. Everything here is public.

Pages that need no ledger go on; where one is needed, the message stands in its place.
Nothing has to be reset: every run of a page looks at the ledger again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.errors import DPCoreError, LedgerError, UntrustedLedgerError
from dpcore.formatting import capital
from dpcore.ledger.chain import LedgerEntry
from ui import roles, session
from ui.text import literal, sentence_of


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Say what is wrong with the ledger in the place of what needs it."""
    try:
        yield
    except roles.RoleError as error:
        st.error(sentence_of(error))
    except LedgerError as error:
        st.error(sentence_of(error))
        if isinstance(error, UntrustedLedgerError):
            st.page_link("pages/budget.py", label="See what to do")


def at_ledger() -> None:
    """Offer a way on where the ledger is not as it was left; say where one was taken.

    A lesson goes on without the ledger on disk, a release does not.
    """
    lesson = session.mode() is Mode.CLASSROOM
    try:
        beginnings = session.beginnings()
    except UntrustedLedgerError as error:
        offer(error)
        if not lesson:
            session.end_page()
    except LedgerError as error:
        if not lesson:
            st.error(sentence_of(error))
            session.end_page()
    else:
        if not lesson:
            for entry in beginnings:
                _tell_beginning(entry)


def offer(error: UntrustedLedgerError) -> None:
    """Say why the ledger pays nothing, and offer the two ways on."""
    st.error(sentence_of(error))
    copy, aside = _ON_SERVER if session.on_server() else _IN_FILES
    st.markdown(
        "Until then nothing can be released in Live mode. "
        "Classroom mode needs no ledger. There are two ways on.\n\n**Put back a "
        f"copy.** {copy} The next click finds it.\n\n**Start a new ledger.** {aside}, and a "
        "new ledger begins. What is still known to be spent is carried over; earlier "
        "answers are not, and cost again. What is no longer known is forgotten: then "
        "more can be learned about the people than the guarantee allows. The new "
        "ledger records what was found, when, and your reason."
    )
    with st.form("begin-anew", enter_to_submit=False):
        reason = st.text_input("Reason for a new ledger", placeholder="who decided this, and why")
        if st.form_submit_button("Start a new ledger and record"):
            try:
                session.begin_anew(reason)
            except DPCoreError as refused:
                st.error(literal(capital(str(refused))))
            else:
                st.rerun()


class _Ways(NamedTuple):
    """What belongs together and can be put back, and where the old stays."""

    copy: str
    aside: str


_IN_FILES = _Ways(
    copy="The files `ledger.sqlite3`, `checkpoint` and `key` belong together: put back "
    "the newest copy of all three, in `~/.epsilon-studio` or the folder that "
    "`EPSILON_STUDIO_HOME` names.",
    aside="The files are set aside in the same folder",
)
_ON_SERVER = _Ways(
    copy="The tables `epsilon_studio_entries` and `epsilon_studio_ledger` on the "
    "server belong together: put back the newest copy of both. An older one than this "
    "machine has seen is noticed.",
    aside="The tables are kept on the server under other names",
)


def _tell_beginning(entry: LedgerEntry) -> None:
    found, reason, kept = (
        literal(str(entry.content[name])) for name in ("found", "reason", "kept")
    )
    when = entry.recorded[:19].replace("T", " ")
    where = (
        f"The tables of before are on the server, their names end in {kept}"
        if session.on_server()
        else f"The files of before are in the folder {kept} beside the ledger"
    )
    st.warning(
        f"This ledger began on {when} (UTC). What was found: {found} Reason: "
        f"{reason}. What was still known to be spent was carried over, as one debit for each "
        f"account. {where}."
    )
