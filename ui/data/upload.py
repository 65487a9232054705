"""Choosing a table: an example, one of a database or folder, or a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore import memory
from dpcore.data.dialects import Dialect, sniff
from dpcore.data.doors.opening import is_text, read, sheets_in
from dpcore.data.doors.unpacking import unpacked
from dpcore.data.examples import EXAMPLES, Example
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.data.reading import MAX_BYTES
from dpcore.errors import DPCoreError
from dpcore.relations import PrivacyUnit
from dpcore.wording import capital
from ui import controls, session
from ui.data import again, databases, declaring, large, terms
from ui.study import Draft
from ui.text import literal, sentence_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.data.doors.opening import Opened
    from ui.study import Upload


_ENDINGS = [
    *(
        "csv",
        "tsv",
        "txt",
        "xlsx",
        "xlsm",
        "parquet",
        "arrow",
        "feather",
        "sav",
        "zsav",
        "dta",
    ),
    *("gz", "bz2", "xz", "zst", "zip"),
]
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
            help="Real surveys with bounds and code book filled in. In Classroom mode "
            "nothing real is spent.",
        )
        for line in EXAMPLES:
            if line.key == example:
                st.caption(line.sentence)
    with right:
        key = f"upload-{session.uploads()}"
        st.file_uploader(
            "File with a table",
            type=_ENDINGS,
            key=key,
            on_change=session.take_upload,
            args=(key,),
            max_upload_size=MAX_BYTES // 2**20,
            help="CSV with comma, semicolon or tab; Excel; Parquet; Arrow or Feather; "
            "SPSS or Stata, whose codes become their labels. Also packed (gz, bz2, xz, "
            "zst, or zip with one file). The file goes to the computer that runs this "
            "program, and stays in its memory until this tab is closed.",
        )
    wanted, upload = session.wanted(), session.upload()
    if wanted is not None:
        databases.read_no_more()
    if wanted == "example" and example is not None:
        _read_example(example)
    elif wanted == "upload" and upload is not None:
        _read_upload(upload)
    databases.offer()
    large.offer()
    _tell_failure(upload)
    _tell_draft(upload)


def load_example(key: str) -> Draft:
    """Return a built-in example as a draft."""
    return Draft(dataset=_example(key).load(), example=key)


def unit(example: str | None) -> PrivacyUnit:
    """Return what one row of the table describes, as far as that is known."""
    return PrivacyUnit() if example is None else _example(example).unit


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
        session.begin_reading()
        session.keep_draft(load_example(key))
    # The box of examples was drawn before, for another table.
    st.rerun()


def _read_upload(upload: Upload) -> None:
    with st.spinner(f"Reading {upload.size} …"):
        session.begin_reading()
        try:
            with memory.some_at_hand():
                opened = _opened(upload)
            session.keep_draft(declaring.drafted(upload.name, opened))
        except DPCoreError as error:
            session.fail(str(error))
    st.rerun()


def _opened(upload: Upload) -> Opened:
    """Return the table of a file; note the dialect of a CSV, the sheet of a workbook.

    They are noted first, so that another one can be chosen if that one is no table.
    """
    data, dialect, sheet = unpacked(upload.data), upload.dialect, upload.sheet
    if is_text(data):
        dialect = dialect or sniff(data)
        session.read_as(dialect)
    found = sheets_in(data)
    if found:
        sheet = sheet if sheet in found else found[0]
        session.read_sheet(sheet, found)
    return read(data, dialect=dialect or Dialect(), sheet=sheet)


def _tell_failure(upload: Upload | None) -> None:
    """Say why the last file could not be read, and offer to forget it."""
    failure = session.failure()
    if failure is None:
        return
    st.error(literal(capital(failure)))
    if session.draft() is not None or session.study() is not None:
        st.caption("What you had before is kept.")
    if upload is not None:
        facts = f"{upload.size} · not read"
        _row(upload.name, facts, "Forget this file", session.forget_upload)
        # Before a dialect is known the file is no text, or could not be unpacked.
        if upload.dialect is not None:
            _edit_dialect(upload)
        _choose_sheet(upload)


def _tell_draft(upload: Upload | None) -> None:
    """Name the table that is not in use yet, and what can be done with it."""
    draft = session.draft()
    if draft is None:
        return
    if session.failure() is not None:
        upload = None
    known = "" if upload is None else f"{upload.size} · "
    if isinstance(draft.dataset, PartitionedDataset):
        count = len(draft.dataset.columns)
        known = f"{count} column{'s' * (count > 1)}, stays in its files · "
    facts = f"{known}not in use yet"
    _row(draft.dataset.name, facts, "Forget this table", session.forget_draft)
    if upload is not None and upload.dialect is not None:
        _tell_reading(upload.dialect, len(draft.dataset.header))
        _edit_dialect(upload)
    if upload is not None:
        _choose_sheet(upload)
    if draft.missing:
        told = "; ".join(f"{name}: {codes}" for name, codes in draft.missing.items())
        st.caption(
            f"The file declares codes that stand for no answer ({literal(told)}). Who "
            "has one of them counts as somebody without a value."
        )
    _offer(draft)


def _choose_sheet(upload: Upload) -> None:
    """Offer the sheets of a workbook, if it has several."""
    if len(upload.sheets) < 2 or upload.sheet is None:  # noqa: PLR2004 - a choice
        return
    key = f"sheet-{session.uploads()}"
    st.selectbox(
        "Sheet of the workbook",
        upload.sheets,
        index=upload.sheets.index(upload.sheet),
        key=key,
        on_change=_read_other_sheet,
        args=(key,),
        help="Which sheet holds the table. Hidden sheets are not listed.",
    )


def _read_other_sheet(key: str) -> None:
    upload, sheet = session.upload(), session.public(key)
    if upload is not None and isinstance(sheet, str):
        session.read_sheet(sheet, upload.sheets)
        session.ask_to_read("upload")


def _tell_reading(dialect: Dialect, columns: int) -> None:
    """Say what a reader would not expect of the way in which a file was read."""
    skipped = dialect.skipped
    if skipped:
        lines = "The first line was" if skipped == 1 else f"{skipped} lines were"
        st.info(
            f"{lines} left out: the header comes after comments (#) or a line “sep=”. "
            "If that is wrong, change it under “How the file is read”."
        )
    if columns == 1:
        st.warning(
            "Only one column was found. If the file has more, choose another separator "
            "under “How the file is read”."
        )


def _row(name: str, facts: str, label: str, forget: Callable[[], None]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{literal(name)}** · {facts}")
        st.button(label, on_click=forget)


def _offer(draft: Draft) -> None:
    """Offer what was declared before to the table that is not in use yet."""
    if draft.start is not None:
        st.caption("What was said before is filled in. Change what has changed.")
    if draft.before is not None:
        again.offer(draft.before)
    if draft.earlier is None:
        return
    declared = draft.earlier.declaration
    day = f"{declared.day:%d %B %Y}".lstrip("0")
    with st.container(border=True):
        st.markdown(
            f"**This table was declared before**, on {day}: the kinds, bounds, lists, "
            "units and meanings of its columns, and who is protected."
            if draft.earlier.same_table
            else f"**A table with the same columns was declared before**, on {day}. "
            "Take that over as far as you know it to hold without looking into this "
            "table."
        )
        st.button("Use what was declared before", on_click=_take_over)


def _take_over() -> None:
    draft = session.draft()
    if draft is None or draft.earlier is None:
        return
    declared = draft.earlier.declaration
    session.keep_draft(
        replace(
            draft,
            dataset=draft.dataset.with_columns(*declared.columns),
            earlier=None,
            start=terms.of(declared),
        )
    )


def _edit_dialect(upload: Upload) -> None:
    known = upload.dialect or Dialect()
    key = f"{session.uploads()}-{session.generation()}"
    with st.expander("How the file is read", expanded=session.failure() is not None):
        cells = st.columns(5)
        picks = (
            ("Separator", _SEPARATORS, known.delimiter),
            ("Decimal mark", _DECIMALS, known.decimal),
            ("Thousands mark", _THOUSANDS, known.thousands),
            ("Encoding", _ENCODINGS, known.encoding),
        )
        delimiter, decimal, thousands, encoding = (
            cell.selectbox(
                label,
                list(options),
                index=list(options).index(value),
                format_func=options.__getitem__,
                key=f"{label}-{key}",
            )
            for cell, (label, options, value) in zip(cells, picks, strict=False)
        )
        skipped = controls.Cell(place=cells[-1]).number(
            "Lines before the header",
            known.skipped,
            (0, None),
            key=f"skipped-{key}",
            kept="page",
            note="Comments and the like, which are left out. Blank lines always are.",
        )
        if not st.button("Read the file again"):
            return
        try:
            dialect = Dialect(
                encoding=encoding,
                delimiter=delimiter,
                decimal=decimal,
                thousands=thousands,
                skipped=skipped,
            )
        except DPCoreError as error:
            st.error(sentence_of(error))
            return
        session.read_as(dialect)
        session.ask_to_read("upload")
        st.rerun()
