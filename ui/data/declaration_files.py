"""Declarations that are pasted, uploaded or downloaded: JSON, or CSVW-EO metadata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from dpcore.data.columns import Column
from dpcore.data.csvw import declared_in, is_metadata, metadata_of
from dpcore.data.partitions.table import Table
from dpcore.errors import DPCoreError, ParameterError
from dpcore.releases.declarations import declaration_in, written
from ui import downloads, session
from ui.data import declaring, grid
from ui.downloads import File
from ui.study import AccountTerms, Draft, Study
from ui.text import sentence_of

_MOST_BYTES = 2**24


def ask(dataset: Table, keep: Callable[[Table], None]) -> None:
    """Let a declaration of the columns be pasted or uploaded, and taken over."""
    key = f"{session.generation()}-{session.count('_declarations')}"
    text = st.text_area(
        "Declaration in JSON or CSVW-EO metadata",
        placeholder="Paste it here, or upload it below",
        height=120,
        key=f"declaration-{key}",
        persist_state="page",
        help="Columns are matched by name. Public facts only: never bounds that were "
        "looked up in this table.",
    )
    file = st.file_uploader(
        "File with a declaration", type=["json", "jsonld"], key=f"declaration-file-{key}"
    )
    content = file.getvalue() if file is not None else text.encode()
    if not st.button("Fill in the grid", disabled=not content.strip()):
        return
    try:
        if len(content) > _MOST_BYTES:
            raise ParameterError("the file is too large for a declaration.")
        described = declaring.redeclared(dataset, *_described(content, dataset.columns))
    except DPCoreError as error:
        st.error(sentence_of(error))
        return
    session.count_up("_declarations")
    grid.take_over(dataset, described, keep)
    st.rerun()


def offer(current: Draft | Study, dataset: Table, agreed: AccountTerms) -> None:
    """Offer what is declared as files."""
    with st.container(horizontal=True):
        downloads.button(
            "Download JSON",
            File(
                "declaration.json",
                "application/json",
                lambda: written(declaring.declaration_of(current, dataset, agreed)),
            ),
            key="declaration-json",
        )
        downloads.button(
            "Download CSVW-EO",
            File(
                "metadata.json",
                "application/json",
                partial(metadata_of, dataset.columns, rows_of_one=agreed.unit.rows),
            ),
            key="declaration-csvw",
        )


def _described(content: bytes, known: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns as a text declares those of the same name.

    Raises:
        ParameterError: It is no declaration, or one of other columns.

    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise ParameterError("the file is no text in UTF-8.") from None
    if is_metadata(text):
        return declared_in(text, known)
    found = {column.name: column for column in declaration_in(text).columns}
    if not found.keys() & {column.name for column in known}:
        raise ParameterError("the declaration names none of the columns of this table.")
    # Only how this file writes its numbers is its own.
    return tuple(replace(found.get(one.name, one), notation=one.notation) for one in known)
