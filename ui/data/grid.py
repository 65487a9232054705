"""The grid of all columns, edited in place; it holds public declarations alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pandas as pd
import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

from dpcore.data.columns import Column, ColumnKind
from dpcore.data.csvw import declared_in, is_metadata, metadata_of
from dpcore.data.declaration_grid import (
    Field,
    IfMissing,
    cells_of,
    declared,
    imputes_middle,
    undeclared,
    with_common_bounds,
)
from dpcore.data.partitions.table import Table, TableT
from dpcore.errors import DPCoreError, ParameterError
from dpcore.formatting import listed
from dpcore.releases.declarations import declaration_in, written
from ui import downloads, session
from ui.data import declaring
from ui.downloads import File
from ui.study import AccountTerms, Draft, Study
from ui.text import literal, sentence_of

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_SLOT = "grid-start"
_EDITOR = next(Path(st.__file__).parent.glob("static/static/js/data-grid-overlay-editor.*.js"))
"""The editor of cells. Fetched only as the first cell opens, it would miss the first keys."""
_ROWS_SHOWN = 10
_ROW_HEIGHT = 35
_NARROWEST, _WIDEST, _LETTER_WIDTH, _PADDING = 105, 160, 7, 16
"""Widths of the column of names, in pixels: the status, too, is in view then."""


def typed(dataset: TableT, keep: Callable[[Table], None]) -> tuple[TableT, dict[int, str]]:
    """Return the table as its grid declares it, and what is wrong in which row.

    What is typed stays in the grid, so that a row can be corrected or taken back. A row
    that cannot be used declares nothing.
    """
    edits = _edits()
    if edits is None:
        # The grid is about to be drawn anew: it begins with what is declared.
        session.let_go([_SLOT])
    start = session.remember(_SLOT, _key(), lambda: dataset.columns)
    # The browser sends no cell that is typed back to what the grid began with.
    found, wrong = [*start], dict[int, str]()
    for position, cells in (edits or {}).items():
        try:
            found[position] = declared(start[position], cells)
        except ParameterError as error:
            found[position], wrong[position] = undeclared(start[position]), str(error)
    changed = [place for place, one in enumerate(found) if one != dataset.columns[place]]
    if not changed:
        return dataset, wrong
    try:
        table = declaring.redeclared(dataset, *(found[place] for place in changed))
    except DPCoreError as error:
        return dataset, wrong | {changed[-1]: str(error)}
    for place in changed:
        declaring.show_change(place)
    keep(table)
    return table, wrong


def show(dataset: Table, wrong: Mapping[int, str]) -> None:
    """Draw the grid of what is declared, with the status of each row.

    A cell that was typed has below it what it had before: the browser forgets what is typed
    once it equals what is sent, and the row would lose it as its next cell is typed.
    """
    start = session.remember(_SLOT, _key(), lambda: dataset.columns)
    edits, rows = _edits() or {}, []
    for place, column in enumerate(dataset.columns):
        # What cannot be used, or lacks a bound, is corrected beside what was declared before.
        began, row = start[place], cells_of(column)
        lacks = place in wrong or (column.kind is began.kind and not column.is_declared)
        if lacks or place in edits:
            before = cells_of(began)
            if lacks:
                row = before | {Field.STATUS: wrong.get(place, row[Field.STATUS])}
            row |= {field: before[field] for field in edits.get(place, ())}
        rows.append(row | {Field.NAME: dataset.short(column.name)})
    # Converting the columns one by one afterwards takes four times as long.
    frame = pd.DataFrame(rows, columns=[*Field], dtype="str")
    frame[Field.USE] = [bool(row[Field.USE]) for row in rows]
    st.data_editor(
        frame,
        hide_index=True,
        height=_ROW_HEIGHT * (min(len(rows), _ROWS_SHOWN) + 1) + 3,
        column_config={
            **_COLUMNS,
            Field.NAME: _names([dataset.short(one.name) for one in dataset.columns]),
        },
        key=_key(),
        alt="Declaration of every column: type, bounds, labels, unit, missing values, status",
    )
    fetch = f"<script>import('./static/js/{_EDITOR.name}')</script>"
    st.html(fetch, unsafe_allow_javascript=True)


@contextlib.contextmanager
def drawn_last(place: DeltaGenerator, dataset: Table, wrong: Mapping[int, str]) -> Iterator[None]:
    """Draw the grid in its place after what is below it, however that ends.

    A press that leaves the page draws none: it is a fifth of a run.
    """
    needed = True
    try:
        yield
    except RerunException:
        needed = False
        raise
    finally:
        if needed:
            with place:
                show(dataset, wrong)


def begin_anew() -> None:
    """Let the grid show what was declared elsewhere."""
    session.count_up(_revision())


def fill_common_bounds(dataset: Table, keep: Callable[[Table], None]) -> None:
    """Declare usual bounds where a name suggests them and none are set, and say which."""
    known = dataset.columns
    filled = [found for one in known if (found := with_common_bounds(one)) != one]
    take_over(dataset, declaring.redeclared(dataset, *filled), keep)
    said = "; ".join(
        f"{dataset.short(one.name)} {cells[Field.LOWER]} to {cells[Field.UPPER]} {one.unit}".strip()
        for one, cells in zip(filled, map(cells_of, filled), strict=True)
    )
    session.notice(
        f"Filled in by column name: {literal(said)}. Check them: values outside are clamped."
        if said
        else "No bounds filled in: no name of a column without bounds suggests any. Type them."
    )


def ask_missing(dataset: Table, keep: Callable[[Table], None]) -> None:
    """Ask once what missing numbers count as, of all columns of which nobody has said it."""
    note = f"_middle-chosen-{session.generation()}"
    chosen = cast("tuple[str, ...]", session.public(note) or ())
    asked = [one for one in dataset.columns if imputes_middle(one) and one.name not in chosen]
    if not asked:
        return
    names = literal(listed([f"“{dataset.short(one.name)}”" for one in asked]))
    choice = st.radio(
        f"Missing numbers of {names}",
        [*_MISSING],
        index=None,
        format_func=_MISSING.__getitem__,
        captions=_MISSING_DOES,
        key=f"missing-{_key()}-{len(chosen)}",
        horizontal=True,
    )
    if choice is None:
        return
    if choice is IfMissing.IMPUTE:
        session.set_public(note, (*chosen, *(one.name for one in asked)))
    else:
        said = [declared(one, {Field.IF_MISSING: choice}) for one in asked]
        take_over(dataset, declaring.redeclared(dataset, *said), keep)
    session.notice(
        f"Missing numbers of {names}: {_MISSING[choice]}. To change it, "
        "set “if missing” of a column in the grid."
    )
    st.rerun()


def take_over(dataset: TableT, described: TableT, keep: Callable[[Table], None]) -> None:
    """Declare all columns anew, and show it in the grid and in the controls."""
    for place, (before, after) in enumerate(zip(dataset.columns, described.columns, strict=True)):
        if before != after:
            declaring.show_change(place)
    begin_anew()
    keep(described)


def _names(names: list[str]) -> Any:  # noqa: ANN401 - Streamlit's settings of a column
    """Return the column of names: as wide as the longest, but for a phone."""
    width = min(max(_NARROWEST, _LETTER_WIDTH * max(map(len, names)) + _PADDING), _WIDEST)
    return _config.TextColumn(disabled=True, width=width, pinned=True)


def _edits() -> Mapping[int, Mapping[str, object]] | None:
    """Return the cells that were typed, by row and field; ``None`` where no grid was drawn."""
    state = cast("Mapping[str, Any] | None", session.public(_key()))
    return None if state is None else state["edited_rows"]


def _revision() -> str:
    return f"_grid-{session.generation()}"


def _key() -> str:
    return f"grid-{session.generation()}-{session.count(_revision())}"


_MISSING: Final = {
    IfMissing.IMPUTE: "imputed as the middle of the bounds",
    IfMissing.LEAVE_OUT: "left out",
    IfMissing.NONE: "none are expected",
}
_MISSING_DOES: Final = (
    "The default. It biases results towards the middle. No margin of error includes this bias.",
    "No bias from imputation. Averages divide by at least a public minimum, typed below.",
    "It must be known without this table. A missing number still counts as the middle.",
)
"""How missing numbers may be treated, and what that does."""
_config = st.column_config
_COLUMNS: Mapping[str, Any] = {
    Field.USE: _config.CheckboxColumn(width=55, pinned=True),
    Field.KIND: _config.SelectboxColumn(
        options=[kind.value for kind in ColumnKind], required=True, width=98
    ),
    Field.LOWER: _config.TextColumn(width=76, alignment="right"),
    Field.UPPER: _config.TextColumn(width=76, alignment="right"),
    Field.LABELS: _config.TextColumn(
        width=72, help="The answers of the questionnaire, separated by semicolons."
    ),
    Field.UNIT: _config.TextColumn(width=60),
    Field.IF_MISSING: _config.SelectboxColumn(
        options=[policy.value for policy in IfMissing], width=90
    ),
    Field.IMPUTED: _config.TextColumn("imputed", width=84, alignment="right"),
    Field.STATUS: _config.TextColumn(disabled=True, width=130),
    Field.AT_LEAST: _config.TextColumn(
        width=76,
        alignment="right",
        help="Where missing values are left out: how many have a value at least. It must be "
        "known without this table. Empty: the public minimum of the table.",
    ),
    Field.MEANING: _config.TextColumn(width=200),
}


# Declarations that are pasted, uploaded or downloaded: JSON, or CSVW-EO metadata.

_MOST_BYTES = 2**24


def ask_declaration(dataset: Table, keep: Callable[[Table], None]) -> None:
    """Let a declaration of the columns be pasted or uploaded, and taken over."""
    key = f"{session.generation()}-{session.count('_declarations')}"
    text = st.text_area(
        "Declaration in JSON or CSVW-EO metadata",
        placeholder="Paste it here, or upload it below",
        height=120,
        key=f"declaration-{key}",
        persist_state="page",
        help="Columns are matched by name. Public facts only: no bounds that were read from this "
        "table.",
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
    take_over(dataset, described, keep)
    st.rerun()


def offer_declaration(current: Draft | Study, dataset: Table, agreed: AccountTerms) -> None:
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
        raise ParameterError("the file is not UTF-8 text.") from None
    if is_metadata(text):
        return declared_in(text, known)
    found = {column.name: column for column in declaration_in(text).columns}
    if not found.keys() & {column.name for column in known}:
        raise ParameterError("the declaration contains no column of this table.")
    # Only how this file writes its numbers is its own.
    return tuple(replace(found.get(one.name, one), notation=one.notation) for one in known)
