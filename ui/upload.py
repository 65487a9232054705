"""Choosing a table: a built-in example, or a CSV read with an editable dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.columns import propose_kinds
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import Dialect, sniff
from dpcore.data.examples import EXAMPLES, Example
from dpcore.data.reading import MAX_BYTES, read_csv
from dpcore.errors import DPCoreError
from ui import session
from ui.text import literal

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

_PREFIX = 1 << 16
_SEPARATORS = {",": "comma  ,", ";": "semicolon  ;", "\t": "tab"}
_DECIMALS = {".": "point  .", ",": "comma  ,"}
_THOUSANDS = {"": "none", ",": "comma  ,", ".": "point  .", " ": "space", "'": "'"}
_ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with BOM",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A table that was read and is not in use yet.

    Attributes:
        dataset: CONFIDENTIAL.
        example: Key of the built-in example, or ``None`` for an upload.
        dialect: How the file was read, or ``None`` for an example.

    """

    dataset: Dataset
    example: str | None
    dialect: Dialect | None


def choose() -> None:
    """Show the ways to choose a table, and read what was chosen."""
    left, right = st.columns(2)
    with left:
        example = st.selectbox(
            "Example data",
            [example.key for example in EXAMPLES],
            index=_in_use(),
            format_func=lambda key: _example(key).title,
            placeholder="Choose a survey",
            key=f"example-{session.generation()}",
            on_change=session.ask_to_read,
            args=("example",),
            help="Real surveys with bounds and code book filled in. Nothing is spent.",
        )
        for line in EXAMPLES:
            if line.key == example:
                st.caption(line.sentence)
    with right:
        file = st.file_uploader(
            "CSV file",
            type=["csv", "tsv", "txt"],
            key=f"upload-{session.uploads()}",
            on_change=session.ask_to_read,
            args=("upload",),
            max_upload_size=MAX_BYTES // 2**20,
            help="Comma, semicolon or tab; the table stays in this tab's memory.",
        )
    wanted = session.wanted()
    if wanted == "example" and example is not None:
        _read_example(example)
    elif wanted in {"upload", "dialect"} and file is not None:
        _read_upload(file, chosen=session.wanted_dialect())
    elif wanted is not None:
        session.done_reading(None)
    failure = session.failure()
    if failure is not None:
        st.error(literal(failure))
        if session.draft() is not None or session.study() is not None:
            st.caption("What you had before is kept.")
    draft = session.draft()
    if file is not None and (failure is not None or draft is not None):
        _edit_dialect(
            draft.dialect if draft is not None else None, open_=failure is not None
        )


def load_example(key: str) -> Draft:
    """Return a built-in example as a draft."""
    return Draft(dataset=_example(key).load(), example=key, dialect=None)


def noun(example: str | None) -> str:
    """Return what one row of the table describes, as far as that is known."""
    return "person" if example is None else _example(example).noun


def _example(key: str) -> Example:
    return next(example for example in EXAMPLES if example.key == key)


def _in_use() -> int | None:
    """Return the place of the example that the page is about, if it is one."""
    current = session.draft() or session.study()
    keys = [example.key for example in EXAMPLES]
    named = None if current is None else current.example
    return keys.index(named) if named in keys else None


def _read_example(key: str) -> None:
    with st.spinner("Loading the survey …"):
        session.keep_draft(load_example(key))
    session.done_reading(None)
    # The box of examples was drawn before, for another table.
    st.rerun()


def _read_upload(file: UploadedFile, *, chosen: Dialect | None) -> None:
    with st.spinner(f"Reading {file.size / 2**20:,.1f} MB …"):
        try:
            dialect = chosen or sniff(file.read(_PREFIX))
            file.seek(0)
            frame = read_csv(file, dialect)
            dataset = Dataset(name=file.name, frame=frame, columns=propose_kinds(frame))
        except DPCoreError as error:
            session.done_reading(str(error))
        else:
            session.keep_draft(Draft(dataset=dataset, example=None, dialect=dialect))
            session.done_reading(None)
            st.rerun()


def _edit_dialect(dialect: Dialect | None, *, open_: bool) -> None:
    known = dialect or Dialect()
    with st.expander("How the file is read", expanded=open_):
        cells = st.columns(4)
        picks = (
            ("Separator", _SEPARATORS, known.delimiter),
            ("Decimal mark", _DECIMALS, known.decimal),
            ("Thousands mark", _THOUSANDS, known.thousands),
            ("Encoding", _ENCODINGS, known.encoding),
        )
        chosen = []
        for cell, (label, options, value) in zip(cells, picks, strict=True):
            chosen.append(
                cell.selectbox(
                    label,
                    list(options),
                    index=list(options).index(value) if value in options else 0,
                    format_func=options.__getitem__,
                    key=f"{label}-{session.generation()}",
                )
            )
        if st.button("Read the file again"):
            session.ask_to_read_as(
                Dialect(
                    delimiter=chosen[0],
                    decimal=chosen[1],
                    thousands=chosen[2],
                    encoding=chosen[3],
                )
            )
            st.rerun()
