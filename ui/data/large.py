"""Choosing a table that stays in its files, in the folder that the administrator named.

Opening reads the footers of the files, which takes milliseconds, whatever their size.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

from dpcore.data.partitions.files import tables, tables_folder
from dpcore.data.partitions.table import open_table
from dpcore.errors import DataError, DPCoreError
from ui import session
from ui.data import databases, declaring
from ui.text import sentence_of

_NAME: Final = "large-table"


def offer() -> None:
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
                "The folder of large tables has none. A Parquet file, or a folder of "
                "them, that is put there is listed here."
            )
            return
        st.selectbox(
            "Table in the folder",
            known,
            key=_NAME,
            help="Parquet files in the folder that whoever runs this program has "
            "named. They stay where they are: a few parts at a time are in memory, so "
            "that a table may be larger than that. Every row has to be one person, or "
            "you say how many rows a person may have.",
        )
        st.button("Open the table", on_click=_open, args=(folder,))


def _open(folder: Path) -> None:
    name = session.public(_NAME)
    databases.read_no_more()
    session.forget_upload()
    try:
        session.keep_draft(declaring.opened(open_table(folder, str(name))))
    except DPCoreError as error:
        session.fail(str(error))
