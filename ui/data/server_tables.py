"""Choosing a table of a database, or of the folder, that the administrator has named.

Opening a table of the folder reads the footers of its files, which takes milliseconds.
Only names of databases come here: addresses stay with the program, as they may hold
passwords.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import streamlit as st

from dpcore.data.partitions.row_groups import tables, tables_folder
from dpcore.data.partitions.table import open_table
from dpcore.data.readers.databases.reading import Progress, read
from dpcore.data.readers.databases.sources import Database, asked, databases
from dpcore.errors import DataError, DPCoreError
from ui import roles, session, work
from ui.data import declaring
from ui.study import Draft
from ui.text import sentence_of
from ui.work import Told

_SLOT: Final = "database"
_READS: Final = "_database_reads"
_WANTED: Final = "_database_wanted"
_NAME, _TEXT = "database-name", "database-text"
_LARGE: Final = "large-table"
_STAY: Final = "Leaving the page stops it."
_BROKE_OFF: Final = "reading was interrupted. Read the table again."
Piece = Progress | Draft | DPCoreError


def offer() -> None:
    """Offer the tables of named databases, and those of the folder, if any are named.

    They belong to the curators: an analyst plans with a table of their own.
    """
    if not roles.may(roles.Action.SEE):
        return
    _offer_databases()
    _offer_folder()


def _offer_databases() -> None:
    """Offer the databases that are named, if any is, and read what was asked for."""
    try:
        known = databases()
    except DataError as error:
        st.warning(sentence_of(error))
        return
    if not known:
        return
    with st.expander("Table in a database"):
        st.selectbox(
            "Database",
            [each.name for each in known],
            key=_NAME,
            help="Databases that the administrator configured. Access is read-only. Rows stay in "
            "memory on this server and are discarded when you close or reload the tab.",
        )
        st.text_area(
            "Table, or a SELECT",
            key=_TEXT,
            placeholder="visits",
            help="The name of a table, also with its schema, as in clinic.visits; or "
            "one SELECT. Say the order of its rows by ORDER BY: the same rows in "
            "another order are another table to the ledger.",
        )
        st.button("Read from the database", on_click=_ask)
    _read(known)


def read_no_more() -> None:
    """Stop what is being read: another table was chosen meanwhile."""
    session.let_go([_SLOT])


def _ask() -> None:
    session.forget_upload()
    session.count_up(_READS)
    session.set_public(_WANTED, (session.public(_NAME), session.public(_TEXT)))


def _read(known: tuple[Database, ...]) -> None:
    wanted = session.take(_WANTED)
    name, text = wanted if isinstance(wanted, tuple) else ("", "")
    chosen = next((each for each in known if each.name == name), None)
    begin = None if chosen is None else lambda: _pieces(chosen, text)
    last = work.whole(_SLOT, str(session.count(_READS)), begin, _told)
    if last is None:
        return
    if isinstance(last, Draft):
        session.keep_draft(last)
    else:
        session.fail(str(last) if isinstance(last, DPCoreError) else _BROKE_OFF)
    st.rerun()


def _pieces(database: Database, text: str) -> Iterator[Piece]:
    """Yield how far reading is, and at last the table, or why it cannot be read."""
    try:
        what = ".".join(asked(text).table) or "query"
        with contextlib.closing(read(database, text)) as reading:
            for progress in reading:
                yield (
                    progress
                    if progress.opened is None
                    else declaring.drafted(f"{what} ({database.name})", progress.opened)
                )
    except DPCoreError as error:
        yield error


def _told(latest: Piece) -> Told:
    """Return how far reading is, in words."""
    if not isinstance(latest, Progress):
        return Told(None, "All rows are read.")
    rows, expected = latest.rows, latest.expected
    if not rows:
        return Told(None, f"The database has not sent any rows yet. {_STAY}")
    if expected is None:
        return Told(None, f"{rows:,} rows are read so far. {_STAY}")
    words = f"{rows:,} of about {expected:,} rows are read. {_STAY}"
    return Told(rows / expected, words)


def _offer_folder() -> None:
    """Offer the tables of the folder, if one is named."""
    folder = tables_folder()
    if folder is None:
        return
    try:
        known = tables(folder)
    except DataError as error:
        st.warning(sentence_of(error))
        return
    with st.expander("A large table on the server"):
        if not known:
            st.info(
                "The folder of large tables is empty. Parquet files in it, or folders of them, "
                "are listed here."
            )
            return
        st.selectbox(
            "Table in the folder",
            known,
            key=_LARGE,
            help="Parquet files in the folder that the administrator configured. Only a "
            "few parts are "
            "in memory at a time, so a table can be larger than memory. Each row is one person, "
            "or you declare a maximum number of rows per person.",
        )
        st.button("Open the table", on_click=_open_large, args=(folder,))


def _open_large(folder: Path) -> None:
    name = session.public(_LARGE)
    read_no_more()
    session.forget_upload()
    try:
        session.keep_draft(declaring.opened(open_table(folder, str(name))))
    except DPCoreError as error:
        session.fail(str(error))
