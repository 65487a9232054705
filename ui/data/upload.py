"""Choosing a table: an example, one of a database or folder, or a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dpcore import memory
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import SEPARATOR_NAMES, Dialect, FileFormat
from dpcore.data.disclosure_risks import disclosure_risks
from dpcore.data.encodings import NAMES
from dpcore.data.examples import EXAMPLES, Example
from dpcore.data.limits import MAX_BYTES, Proceed
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.data.readers.files import (
    first_rows,
    is_text,
    read,
    sheets_in,
    suggested_format,
    unpacked,
)
from dpcore.errors import DPCoreError
from dpcore.formatting import capital, listed
from dpcore.relations import PrivacyUnit
from ui import confidential, controls, layout, session
from ui.data import declaring, server_tables, terms
from ui.study import Draft, Study, Upload
from ui.text import literal, sentence_of

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
        "por",
        "dta",
        "sas7bdat",
        "xpt",
    ),
    *("gz", "bz2", "xz", "zst", "zip"),
]
_OTHER = ""
"""Stands for a separator that is typed."""
_SEPARATORS = {
    **{mark: f"{name}  {mark}".rstrip() for mark, name in SEPARATOR_NAMES.items()},
    _OTHER: "other",
}
_DECIMALS = {".": "point  .", ",": "comma  ,"}
_THOUSANDS = {"": "none", ",": "comma  ,", ".": "point  .", " ": "space", "'": "'"}


def read_wanted() -> None:
    """Read the table that was asked for, before anything is drawn of the one before."""
    wanted, upload = session.wanted(), session.upload()
    example = session.public(_example_key())
    if wanted is not None:
        server_tables.read_no_more()
    # Always there: an element more would move all others, to be drawn anew.
    with st.empty():
        if wanted == "example" and isinstance(example, str):
            with st.spinner("Loading the survey …"):
                session.begin_reading()
                session.keep_draft(load_example(example))
        elif wanted == "upload" and upload is not None:
            with st.spinner(f"Reading {upload.size} …"):
                session.begin_reading()
                try:
                    with memory.some_at_hand():
                        draft = _opened(upload, session.while_open())
                    session.keep_draft(draft)
                except DPCoreError as error:
                    session.fail(str(error))


def choose() -> None:
    """Show the ways to choose a table; `read_wanted` takes over what was chosen."""
    left, right = st.columns((3, 2))
    with left:
        drop_zone("File with a table")
    with right:
        example = st.selectbox(
            "Example data",
            [example.key for example in EXAMPLES],
            index=_in_use(),
            format_func=lambda key: _example(key).title,
            placeholder="Choose a survey",
            key=_example_key(),
            on_change=session.ask_to_read,
            args=("example",),
            help="Real surveys with bounds and descriptions filled in. Classroom mode "
            "spends nothing.",
        )
        for line in EXAMPLES:
            if line.key == example:
                st.caption(line.sentence)
    server_tables.offer()


def drop_zone(label: str) -> None:
    """Show where a file is dropped or chosen; Data reads it."""
    key = f"upload-{session.uploads()}"
    st.file_uploader(
        label,
        type=_ENDINGS,
        key=key,
        on_change=session.take_upload,
        args=(key,),
        max_upload_size=MAX_BYTES // 2**20,
        help="CSV, Excel, Parquet, Arrow, Feather, SPSS, Stata or SAS. Codes with labels "
        "become their labels. Also packed (gz, bz2, xz, zst, or zip of one file). Your "
        "file stays in memory on this server and is discarded when you close or reload the tab.",
    )


def show(current: Draft | Study | None, forget: Callable[[], None]) -> None:
    """Name the table that the page is about, and offer to replace or remove it."""
    if current is None:
        choose()
        _tell_failure(session.upload())
        return
    dataset = current.dataset
    with st.container(horizontal=True, vertical_alignment="center"):
        count = len(dataset.columns)
        facts = [*_facts(current), f"{count:,} column{'s' * (count > 1)}"]
        st.markdown(f"**{literal(dataset.name)}** · {' · '.join(facts)}", width="stretch")
        if isinstance(dataset, Dataset):
            rows = st.popover("First rows", icon=":material/lock:", key="rows", on_change="rerun")
            draw = partial(_show_first_rows, dataset)
            area = partial(confidential.area, "first-rows", "first rows", draw, ready=False)
            layout.opened(rows, area)
        other = st.popover(
            "Replace", key=f"replace-{session.generation()}", width="content", on_change="rerun"
        )
        layout.opened(other, choose)
        if isinstance(current, Draft):
            st.button("Remove", on_click=session.forget_draft)
        else:
            with st.popover("Remove"):
                st.markdown("Removes the table and its results from memory. The ledger stays.")
                st.button("Remove the table", on_click=forget)
    upload = session.upload()
    _tell_failure(upload)
    if isinstance(current, Draft):
        _tell_draft(current, None if session.failure() is not None else upload)


def _facts(current: Draft | Study) -> list[str]:
    if isinstance(current, Study):
        number = current.terms.unit.number(current.dataset.people)
        return ["in use", *[number] * current.public_number]
    if isinstance(current.dataset, PartitionedDataset):
        return ["not in use yet", "stays in its files"]
    upload = session.upload()
    return ["not in use yet"] if upload is None else ["not in use yet", upload.size]


def _example_key() -> str:
    return f"example-{session.generation()}"


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


def _opened(upload: Upload, proceed: Proceed) -> Draft:
    """Return the table of a file; note its format, and the sheets of a workbook.

    A closed tab ends the reading: ``proceed`` is called between blocks of the file.
    They are noted first, so that another one can be chosen if that one is no table.
    """
    data, wanted, sheet = unpacked(upload.data), upload.file_format, upload.sheet
    proceed()
    found, suggested = sheets_in(data), None
    if found:
        sheet = sheet if sheet in found else found[0]
        known = wanted or FileFormat(sheet=sheet)
        session.note_upload(sheet=sheet, sheets=found, file_format=known, suggested=None)
    elif is_text(data):
        suggested = suggested_format(data)
        session.note_upload(file_format=wanted or suggested, suggested=None)
    declared = declaring.file_formats()
    opened = read(
        data, wanted, sheet=upload.sheet, declared=declared, suggested=suggested, proceed=proceed
    )
    session.note_upload(file_format=opened.file_format, suggested=opened.suggested)
    if found:
        session.note_upload(sheet=opened.file_format.sheet, sheets=found)
    reused = wanted is None and any(
        each.parts == opened.file_format.parts and {*each.header} == {*opened.file_format.header}
        for each in declared
    )
    draft = declaring.drafted(upload.name, opened, reused=reused)
    proceed()
    return draft


def _tell_failure(upload: Upload | None) -> None:
    """Say why the last file could not be read, and offer to forget it."""
    failure = session.failure()
    if failure is None:
        return
    st.error(literal(capital(failure)))
    if session.draft() is not None or session.study() is not None:
        st.caption("Your previous data are unchanged.")
    if upload is not None:
        facts = f"{upload.size} · not read"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{literal(upload.name)}** · {facts}")
            st.button("Forget this file", on_click=session.forget_upload)
        _choose_sheet(upload)
        # Before a format is known the file could not be unpacked.
        if upload.file_format is not None:
            _edit_format(upload, upload.file_format)


def _tell_draft(draft: Draft, upload: Upload | None) -> None:
    """Say how the file was read, and what was declared before of a table like it."""
    if upload is not None and upload.file_format is not None:
        _tell_reading(upload.file_format, len(draft.dataset.header))
        _tell_reuse(draft, upload.file_format, upload.suggested)
        _choose_sheet(upload)
    for note in draft.notes:
        st.info(literal(note))
    if draft.missing:
        codes = [f"{name}: {code}" for name, code in draft.missing.items()]
        st.caption(
            f"The file declares missing codes ({literal(listed(codes, by='; '))}). They are "
            "treated as missing values.",
            help=literal("; ".join(codes)),
        )
    _offer(draft)


def offer_format(current: Draft | Study) -> None:
    """Offer another format for the file of a draft; say that of the table in use."""
    upload = session.upload()
    if isinstance(current, Study):
        if current.file_format is not None:
            with st.popover("File format"):
                known = current.file_format
                own = (
                    ""
                    if known.dialect or known.sheet
                    else " Codes declared in the file are also treated as missing."
                )
                st.caption(f"File format: {literal(', '.join(known.parts))}.{own}")
    elif upload is not None and upload.file_format is not None and session.failure() is None:
        _edit_format(upload, upload.file_format)


def _show_first_rows(dataset: Dataset) -> None:
    """Show the curator the first rows: a wrong encoding is seen in them. CONFIDENTIAL."""
    count, columns = dataset.frame.shape
    st.markdown(f"{count:,} rows and {columns:,} columns were read.")
    st.code(first_rows(dataset.frame).to_string(), language=None)


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
    sheet = session.public(key)
    if isinstance(sheet, str):
        session.read_again(file_format=None, sheet=sheet)


def _tell_reading(known: FileFormat, columns: int) -> None:
    """Say what a reader would not expect of the way in which a file was read."""
    dialect = known.dialect
    skipped = known.title_rows if dialect is None else dialect.skipped
    if skipped:
        lines = "The first line was" if skipped == 1 else f"{skipped} lines were"
        st.info(
            f"{lines} left out: the header follows. If that is wrong, change it under "
            "“File format”."
        )
    if columns == 1 and dialect is not None:
        st.warning(
            "Only one column was found. If the file has more, choose another separator "
            "under “File format”."
        )


def _tell_reuse(draft: Draft, known: FileFormat, suggested: FileFormat | None) -> None:
    """Say which declared format was reused, and what the file suggests otherwise."""
    if not draft.reused:
        return
    st.caption(
        "The file format of an earlier version of this file is reused: "
        f"{literal(', '.join(known.parts))}."
    )
    other = () if suggested is None else suggested.differences(known)
    if suggested is not None and other:
        st.info(f"The file itself suggests {literal(', '.join(other))}.")
        st.button(
            "Use the suggested format",
            on_click=session.read_again,
            kwargs={"file_format": suggested, "sheet": suggested.sheet or None},
        )


def _offer(draft: Draft) -> None:
    """Offer what was declared before to the table that is not in use yet."""
    if draft.declared:
        st.caption("The earlier declaration is filled in. Check it against this table.")
    if draft.before is not None:
        declaring.offer_steps(draft.before)
    if draft.earlier is None:
        return
    declared = draft.earlier.declaration
    day = f"{declared.day:%d %B %Y}".lstrip("0")
    with st.container(border=True):
        st.markdown(
            f"**This table was declared before**, on {day}: types, bounds, lists, units and "
            "meanings of its columns, and the privacy unit."
            if draft.earlier.same_table
            else f"**A table with the same columns was declared before**, on {day}. "
            "Reuse only what you know without looking into this table."
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
            declared=True,
            start=terms.of(declared),
        )
    )


def _edit_format(upload: Upload, known: FileFormat) -> None:
    """Offer another format, in which the file is read again."""
    key = f"{session.uploads()}-{session.generation()}"
    failed = session.failure() is not None
    place = (
        st.expander("File format", expanded=True, key="file-format-failed", on_change="rerun")
        if failed
        else st.popover("File format", key="file-format", on_change="rerun")
    )
    layout.opened(place, partial(_change_format, upload, known, key))


def _change_format(upload: Upload, known: FileFormat, key: str) -> None:
    asked = {} if known.dialect is None else _ask_dialect(known.dialect, key)
    rows = known.title_rows
    if known.sheet:
        rows = _ask_skipped(controls.Cell(place=st.container()), rows, key)
    typed = st.text_area(
        "Missing-value codes of all columns",
        "\n".join(known.missing_codes),
        key=f"codes-{key}",
        persist_state="page",
        help="One code a line. “Re-read file” sets them for every column. A label on "
        "the public list of a column is never a missing-value code.",
    )
    codes = tuple(dict.fromkeys(filter(None, map(str.strip, typed.splitlines()))))
    if not st.button("Re-read file"):
        return
    try:
        dialect = Dialect(**asked) if asked else None
        wanted = replace(known, dialect=dialect, title_rows=rows, missing_codes=codes)
    except DPCoreError as error:
        st.error(sentence_of(error))
        return
    session.read_again(file_format=wanted, sheet=upload.sheet)
    st.rerun()


def _ask_dialect(known: Dialect, key: str) -> dict[str, Any]:
    """Return what is typed of a dialect, which may contradict itself."""
    cells = st.columns(5)
    separator = known.delimiter if known.delimiter in _SEPARATORS else _OTHER
    picks = (
        ("Separator", _SEPARATORS, separator),
        ("Decimal mark", _DECIMALS, known.decimal),
        ("Thousands mark", _THOUSANDS, known.thousands),
        ("Encoding", NAMES, known.encoding),
    )
    delimiter, decimal, thousands, encoding = (
        cell.selectbox(
            label,
            list(options),
            index=list(options).index(value),
            format_func=options.__getitem__,
            key=f"{label}-{key}",
            persist_state="page",
        )
        for cell, (label, options, value) in zip(cells, picks, strict=False)
    )
    if delimiter == _OTHER:
        delimiter = cells[0].text_input(
            "Separating character",
            known.delimiter if separator == _OTHER else "",
            max_chars=1,
            key=f"separating-{key}",
            persist_state="page",
        )
    skipped = _ask_skipped(controls.Cell(place=cells[-1]), known.skipped, key)
    return {
        "encoding": encoding,
        "delimiter": delimiter,
        "decimal": decimal,
        "thousands": thousands,
        "skipped": skipped,
    }


def _ask_skipped(cell: controls.Cell, known: int, key: str) -> int:
    return cell.number(
        "Lines before the header",
        known,
        (0, None),
        key=f"skipped-{key}",
        kept="page",
        note="Titles, comments and similar lines, which are skipped. Blank lines "
        "are always skipped.",
    )


# Whether a table of one's own may be shown to a class, which knows people.


def check_disclosure_risks() -> None:
    """Offer to look for what would let a class recognize somebody in an upload."""
    study = session.study()
    if study is None or study.example is not None or study.parts is not None:
        return
    with st.popover("Use in a class", key="folded-class"):
        st.markdown(
            "Classroom mode shows single rows and true values. A class "
            "recognizes people by what it knows of them: their names, a day, a rare "
            "answer, or a few harmless answers together. A built-in survey, or a "
            "synthetic table, shows the same without real people."
        )
        # A class must not see it only because the mode was changed.
        draw = partial(_tell, study)
        confidential.area("class", "disclosure risks of this table", draw, ready=False)
        st.page_link("pages/synthetic_data.py", label="Make a table of people who do not exist")


def _tell(study: Study) -> None:
    """Say what would let a class recognize somebody. CONFIDENTIAL."""
    with st.spinner("Checking the columns …"):
        found = session.remember(
            "class", study.fingerprint, lambda: disclosure_risks(study.in_memory.frame)
        )
    if not found:
        st.markdown(
            "**No risk was found.** This is no proof: someone who knows a person well may still "
            "find the row. Ask for consent, or show synthetic data."
        )
        return
    columns = {name for one in found for name in one.columns}
    several = "columns" if len(columns) > 1 else "column"
    st.markdown(
        f"**Do not show it unchanged:** people could be recognized by {len(columns)} "
        f"{several}. “Derived columns”, above, makes bins of numbers; columns to be left "
        "out have to go before the file is uploaded."
    )
    for one in found:
        st.markdown(f"- **{literal(', '.join(one.columns))}**: {one.what} {one.advice}")
