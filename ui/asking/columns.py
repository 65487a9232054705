"""Declaring what is public about a column, and how its cells are read."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from dataclasses import replace
from math import floor
from typing import Final, TypeVar, cast

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.data.bounds import TEMPLATES, Interval
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy, yes_no
from dpcore.data.dataset import Dataset
from dpcore.data.dates import DateFormat, DateOrder, date_of, day_of
from dpcore.data.disclosure_risks import names_people
from dpcore.data.partitions.table import Table, TableT
from dpcore.data.preparation.steps import prepared_anew
from dpcore.data.quantities import bounds_text, quantity_of, replacement_text
from dpcore.errors import DPCoreError, ParameterError
from dpcore.formatting import in_full
from ui import controls, session
from ui.data import declaring
from ui.text import literal, sentence_of

_KINDS: list[ColumnKind] = list(ColumnKind)
_NAMED = 6
_Value = TypeVar("_Value", float, str)

_NOBODY = "nobody"
_MISSING: dict[MissingPolicy | str, str] = {
    MissingPolicy.REPLACE: "impute a fixed value",
    MissingPolicy.DROP: "leave it out",
    _NOBODY: "none is missing, and that is public",
}


_ORDERS: Final = {
    DateOrder.ISO: "2024-12-31 (year, month, day)",
    DateOrder.DAY_FIRST: "31.12.2024 (day, month, year)",
    DateOrder.MONTH_FIRST: "12/31/2024 (month, day, year)",
}


def choose(dataset: Table, *, every: bool = False) -> int:
    """Return the position of the column chosen in the selector shared by all pages.

    It starts from the first whose heading does not say that it tells people apart:
    nobody asks for the mean of a staff number. Identifiers and columns that are not
    used are there only where ``every`` column is to be declared.
    """
    columns = dataset.columns
    offered = [
        place
        for place, column in enumerate(columns)
        if every or column.kind.is_numeric or column.kind.has_labels
    ]
    if not offered:
        st.info("Every column is an identifier or not used. Set its type on Data.")
        session.end_page()
    usual = [place for place in offered if not names_people(columns[place].name)]
    # Streamlit keeps this function longer than the tab: it must not hold the table.
    names = [dataset.short(column.name) for column in columns]
    key = f"column-{session.generation()}"
    if session.public(key) not in {*offered, None}:
        session.set_public(key, (usual or offered)[0])
    return st.selectbox(
        "Column",
        offered,
        index=offered.index((usual or offered)[0]),
        format_func=names.__getitem__,
        key=key,
        persist_state="session",
    )


def declare(dataset: TableT, position: int, keep: Callable[[Table], None]) -> TableT | None:
    """Show the form of one column; keep and return what was declared.

    An invalid entry is explained in place; the last valid declaration stays kept, and
    ``None`` is returned, so that nobody asks under bounds that are not on screen.
    """
    column = dataset.columns[position]
    try:
        declared = _form(column, f"{session.generation()}-{position}")
        if declared == column:
            return dataset
        changed = cast("TableT", dataset.with_columns(declared))
        if isinstance(changed, Dataset) and not column.reads_like(declared):
            # Derived columns and conditions are made of cells as they were read.
            made = prepared_anew(changed, key=session.fingerprint_key())
            changed = cast("TableT", made)
    except DPCoreError as error:
        st.error(sentence_of(error))
        return None
    keep(changed)
    return changed


def folded(dataset: TableT, position: int, key: str) -> TableT | None:
    """Show the form of a column of the table in use, in a popover once it is declared.

    It is drawn only while it is open: a control must answer quickly.
    """
    if not dataset.columns[position].is_declared:
        with st.container(border=True, key=f"undeclared-{position}"):
            return declare(dataset, position, declaring.redeclare)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}-row"):
        form = st.popover(
            "Bounds and missing values",
            key=f"{key}-{session.generation()}-{position}",
            on_change="rerun",
        )
        if not form.open:
            _tell_unsaid_of(dataset, position)
            return dataset
    with form:
        return declare(dataset, position, declaring.redeclare)


def _tell_unsaid_of(dataset: Table, position: int) -> None:
    """Say it where nobody has said what a missing value of a column becomes."""
    column, key = dataset.columns[position], f"{session.generation()}-{position}"
    start = _start_of(column)
    if start is not None and not (_said_before() or _is_said(start, key)):
        st.caption(
            f"Missing values are imputed as {literal(_written(start))}: not confirmed, and "
            "no margin of error includes it.",
            width="content",
        )


def _form(column: Column, key: str) -> Column:
    left, right = controls.row(2)
    kind = left.selectbox(
        "Kind",
        _KINDS,
        index=_KINDS.index(column.kind),
        key=f"kind-{key}",
        kept="session",
        note="Numbers and dates have bounds. Yes/no: two labels. Category: a public "
        "list. No question is asked of identifiers and of columns not used.",
    )
    if kind is not column.kind:
        column = _of_kind(column, kind)
    if kind is ColumnKind.DATE:
        column = _date_form(column, key)
    elif kind.is_numeric:
        column = _number_form(column, key, right.place)
    elif kind.has_labels:
        column = _label_form(column, key, right.place)
    elif kind is ColumnKind.IDENTIFIER:
        column = replace(column, equality=_equality(column, key))
    column = replace(column, missing_codes=_missing_codes(column, key))
    return _described(column, key)


def _of_kind(column: Column, kind: ColumnKind) -> Column:
    """Return the column with another kind, and nothing declared of the old one."""
    fresh = (
        yes_no(column.name, ("no", "yes"))
        if kind is ColumnKind.YES_NO
        else Column(name=column.name, kind=kind)
    )
    return replace(
        fresh,
        unit=column.unit,
        description=column.description,
        display_name=column.display_name,
        missing_codes=column.missing_codes,
        notation=column.notation,
        dates=column.dates,
    )


def _described(column: Column, key: str) -> Column:
    """Let unit and meaning be typed: they stand beside every answer."""
    place, unit = st.container(), ""
    if column.kind.is_numeric and column.kind is not ColumnKind.DATE:
        left, place = st.columns((1, 3))
        unit = left.text_input(
            "Unit",
            column.unit,
            placeholder="such as years",
            key=f"unit-{key}",
            persist_state="session",
            help="Shown with every result about this column, and in its files.",
        )
    meaning = place.text_input(
        "Meaning",
        column.description,
        placeholder="what the column says, in one line",
        key=f"meaning-{key}",
        persist_state="session",
    )
    return replace(column, unit=unit.strip(), description=meaning.strip())


def _date_form(column: Column, key: str) -> Column:
    declared = _read_dates(column, key)
    if declared.bounds is None:
        return declared
    policy, cell = _missing_form(column, key, first=MissingPolicy.DROP)
    if policy is MissingPolicy.DROP:
        return declared
    complete = policy == _NOBODY
    value = _imputed_date(cell, replace(column, bounds=declared.bounds), key=key)
    return replace(
        declared,
        missing=MissingPolicy.REPLACE,
        replacement=declared.bounds.clip(value).item(),
        complete=complete,
    )


def _number_form(column: Column, key: str, place: st.delta_generator.DeltaGenerator) -> Column:
    place.selectbox(
        "Template",
        range(len(TEMPLATES)),
        index=None,
        format_func=lambda index: TEMPLATES[index].title,
        placeholder="Fill in usual bounds",
        key=f"template-{key}",
        on_change=_fill_in,
        args=(key,),
        help="Bounds that are common knowledge. They are never taken from your table.",
    )
    bounds = column.bounds
    lower_cell, upper_cell = st.columns(2)
    lower = lower_cell.number_input(
        "Lower bound",
        value=None if bounds is None else bounds.lower,
        format="%g",
        placeholder="public number",
        key=f"lower-{key}",
        persist_state="session",
    )
    upper = upper_cell.number_input(
        "Upper bound",
        value=None if bounds is None else bounds.upper,
        format="%g",
        placeholder="public number",
        key=f"upper-{key}",
        persist_state="session",
    )
    st.caption(
        "A value beyond a bound counts as the bound. Bounds that are too narrow shift "
        "every answer and make differences between groups smaller; wide ones cost "
        "noise."
    )
    if lower is None or upper is None:
        return replace(
            column, bounds=None, missing=MissingPolicy.DROP, replacement=None, complete=False
        )
    if lower >= upper:
        ends = in_full(lower), in_full(upper)
        raise ParameterError(f"the lower bound ({ends[0]}) must lie below the upper ({ends[1]}).")
    # Refused here if they are too large, before their middle is none.
    bounded = replace(
        column,
        bounds=Interval(lower=lower, upper=upper),
        missing=MissingPolicy.DROP,
        replacement=None,
        complete=False,
    )
    choice, cell = _missing_form(column, key, first=MissingPolicy.REPLACE)
    middle = _middle(column.kind, lower, upper)
    if choice is MissingPolicy.DROP:
        return bounded
    complete = choice == _NOBODY
    replacement = (
        _tell_complete(cell, middle) if complete else _replacement(cell, column, middle, key=key)
    )
    return replace(
        bounded, missing=MissingPolicy.REPLACE, replacement=replacement, complete=complete
    )


def _label_form(column: Column, key: str, place: st.delta_generator.DeltaGenerator) -> Column:
    equality = _equality(column, key)
    if column.kind is ColumnKind.YES_NO:
        labels = tuple(
            place.text_input(
                f"Written in the table for {answer}",
                label,
                key=f"{answer}-{key}",
                persist_state="session",
            ).strip()
            for answer, label in zip(("no", "yes"), column.labels, strict=True)
        )
    else:
        text = place.text_area(
            "Public list of categories",
            "\n".join(column.labels),
            placeholder="one on each line",
            height="content",
            key=f"labels-{key}",
            persist_state="session",
            help="Type what the questionnaire offered, not what the table contains: "
            "which categories occur is confidential. All others count as “other”.",
        )
        labels = tuple(line.strip() for line in text.splitlines() if line.strip())
        if len(labels) == 1 and any(mark in labels[0] for mark in ",;"):
            place.warning(
                literal(
                    f"This is one category, called “{labels[0]}”. If these are "
                    "several, write each on a line of its own."
                )
            )
    choice, cell = _missing_form(column, key, first=MissingPolicy.DROP)
    replacement: str | None = None
    if choice == _NOBODY and labels:
        replacement = _tell_complete(cell, labels[0])
    elif choice is MissingPolicy.REPLACE and labels:
        replacement = _label(cell, column, labels, key=key)
    return replace(
        column,
        labels=labels,
        equality=equality,
        missing=MissingPolicy.DROP if replacement is None else MissingPolicy.REPLACE,
        replacement=replacement,
        complete=replacement is not None and choice == _NOBODY,
    )


def _label(cell: controls.Cell, column: Column, labels: tuple[str, ...], *, key: str) -> str | None:
    """Ask as which label missing values are imputed; ``None`` until one is chosen."""
    known = str(column.replacement)
    chosen = cell.place.selectbox(
        "Impute missing values with",
        labels,
        index=labels.index(known) if known in labels else None,
        placeholder="choose a label",
        key=f"replacement-{key}-{hash(labels)}",
        persist_state="session",
    )
    if chosen is None:
        cell.place.caption("Missing values are left out until a label is chosen.")
    return chosen


def _tell_complete(cell: controls.Cell, value: _Value) -> _Value:
    """Say what becomes of somebody without a value all the same, and return it."""
    cell.place.caption(
        "Choose it only if it is known without this table, as of a payroll. A missing "
        f"value is imputed all the same, as {literal(_written(value))}."
    )
    return value


def _missing_form(
    column: Column, key: str, *, first: MissingPolicy
) -> tuple[MissingPolicy | str, controls.Cell]:
    """Ask how missing values are treated; ``first`` is proposed for a new column."""
    left, right = controls.row(2)
    now = _NOBODY if column.complete else column.missing
    policy = left.selectbox(
        "If a value is missing",
        list(_MISSING),
        index=list(_MISSING).index(now if column.is_declared else first),
        format_func=_MISSING.__getitem__,
        key=f"missing-{key}",
        kept="session",
        note="Where missing values are left out, the number of values is private. "
        "Averages then divide by at least a public minimum, which costs some noise.",
    )
    return policy, right


def _fill_in(key: str) -> None:
    index = session.public(f"template-{key}")
    if isinstance(index, int):
        bounds = TEMPLATES[index].bounds
        session.set_public(f"lower-{key}", bounds.lower)
        session.set_public(f"upper-{key}", bounds.upper)


def tell_ending(dataset: Table) -> None:
    """Say what lists of columns leave out of every name."""
    ending = dataset.ending.lstrip(" ,")
    if ending:
        st.caption(
            f"Every column is {literal(ending)}. Lists leave that out. Answers and "
            "documents name it."
        )


def tell_undeclared(dataset: Table) -> None:
    """Name the columns that no question can be asked of yet."""
    open_ = [
        dataset.short(column.name)
        for column in dataset.columns
        if not column.is_declared and (column.kind.is_numeric or column.kind.has_labels)
    ]
    if open_:
        names = ", ".join(open_[:_NAMED]) + (" …" if len(open_) > _NAMED else "")
        st.info(
            f"Not declared yet: {literal(names)}. A number can be asked about once it "
            "has public bounds, a category once it has its list: choose the column "
            "above. Declare a column that nobody asks about as not used."
        )


def left_out(dataset: Table) -> tuple[str, ...]:
    """Return the declared columns of which people without a value are left out."""
    return tuple(
        dataset.short(column.name)
        for column in dataset.columns
        if column.is_declared and column.missing is MissingPolicy.DROP
    )


def tell_unsaid(dataset: Table) -> None:
    """Name the columns of which nobody said what a missing value becomes."""
    starts = [
        (f"{session.generation()}-{position}", column.name, start)
        for position, column in enumerate(dataset.columns)
        if (start := _start_of(column)) is not None
    ]
    if _said_before():
        for key, _, start in starts:
            session.set_public(_meant(key), start)
        return
    told = [
        f"{dataset.short(name)} (counts as {_written(start)})"
        for key, name, start in starts
        if not _is_said(start, key)
    ]
    if told:
        st.warning(
            "Missing-value handling not confirmed for: "
            f"**{literal(', '.join(told))}**. Each biases results towards that value, "
            "beyond the margin of error. Choose the column above and confirm it, or "
            "continue and the documents will say so."
        )


def _said_before() -> bool:
    """Tell whether it was said with a built-in table, or of one like this before."""
    draft = session.draft()
    current = draft or session.study()
    taken_over = draft is not None and draft.declared
    return taken_over or (current is not None and current.example is not None)


def _start_of(column: Column) -> float | None:
    """Return what a missing number counts as if nobody need have chosen it."""
    return None if column.complete else _middle_of(column)


def _written(value: float | str) -> str:
    return value if isinstance(value, str) else in_full(value)


def _middle_of(column: Column) -> float | None:
    """Return what a missing number counts as if that is the middle of the bounds."""
    bounds = column.bounds
    if bounds is None or column.kind is ColumnKind.DATE:
        # The date that is imputed is always chosen.
        return None
    middle = _middle(column.kind, bounds.lower, bounds.upper)
    return middle if column.replacement == middle else None


def _middle(kind: ColumnKind, lower: float, upper: float) -> float:
    middle = (lower + upper) / 2
    return float(floor(middle)) if kind is ColumnKind.WHOLE else middle


def overview(dataset: Table) -> pd.DataFrame:
    """Return what is declared about every column."""
    columns = dataset.columns
    named = any(column.display_name for column in columns)
    return pd.DataFrame(
        {
            "column": [column.name for column in columns],
            **({"name": [one.display_name for one in columns]} if named else {}),
            "kind": [column.kind.value for column in columns],
            "public bounds or list": [_declaration(column) for column in columns],
            "a missing value": [_without(column) for column in columns],
            "unit": [quantity_of(column).name for column in columns],
            "meaning": [column.description for column in columns],
        }
    )


def _declaration(column: Column) -> str:
    if not (column.kind.is_numeric or column.kind.has_labels):
        return ""
    return bounds_text(column) or ", ".join(column.labels) or "to be declared"


def _without(column: Column) -> str:
    """Return what becomes of a missing value, as it is declared."""
    if not column.is_declared:
        return ""
    if column.complete:
        return "none is missing"
    if column.missing is MissingPolicy.DROP:
        return "left out"
    return f"counts as {replacement_text(column)}"


def _choice(key: str) -> str:
    """Name the note that a value was chosen, which no longer follows the bounds."""
    return f"_chosen-replacement-{key}"


def _meant(key: str) -> str:
    """Name the note of the middle that was said to be meant."""
    return f"_meant-replacement-{key}"


def _is_said(value: float | str, key: str) -> bool:
    """Tell whether somebody said that a missing value counts as this one."""
    return bool(session.public(_choice(key))) or session.public(_meant(key)) == value


def _replacement(cell: controls.Cell, column: Column, middle: float, *, key: str) -> float:
    """Ask what a missing number counts as: the middle, until another is chosen."""
    choice, kept = _choice(key), column.replacement
    chosen = bool(session.public(choice)) or (
        kept is not None and column.bounds is not None and _middle_of(column) is None
    )
    start = float(kept) if chosen and kept is not None else middle
    value = cell.number(
        "Impute missing values with",
        start,
        key=f"replacement-{key}" + ("" if chosen else f"-{middle}"),
        kept="session",
    )
    pulls = "Every missing value counts as it, and draws the answer towards it."
    if chosen or value != start:
        session.set_public(choice, True)  # noqa: FBT003 - what is kept of it
        cell.place.caption(pulls)
    else:
        middle_told = "The middle of the bounds, also after you change them."
        cell.place.caption(f"{middle_told} {pulls}")
        if not (_said_before() or _is_said(middle, key)):
            _ask_whether_meant(column, middle, key)
    return value


def _ask_whether_meant(column: Column, start: float | str, key: str) -> None:
    """Ask, until it was answered, whether the start is meant for a missing value.

    The middle of the bounds stays the start, because it needs no minimum. It is no
    harmless one: nobody shall overlook it.
    """
    told = literal(_written(start))
    with st.container(border=True, key=f"unsaid-{key}"):
        st.warning(
            "**How should missing values of "
            f"{literal(column.title)} be handled?** They are imputed as {told}, and "
            "nobody has confirmed it. This can bias results beyond the margin of "
            "error. Leave them out, impute another value, or confirm it."
        )
        st.button(
            f"Impute them as {told}",
            key=f"meant-{key}",
            on_click=session.set_public,
            args=(_meant(key), start),
        )


def _read_dates(column: Column, key: str) -> Column:
    """Ask how dates are written, and for their bounds; nothing is declared of missing.

    Raises:
        ParameterError: The bounds are in the wrong order, or there is no such time
            zone.

    """
    first, second, third = controls.row(3)
    orders, form = list(_ORDERS), column.dates
    order = first.selectbox(
        "Dates are written as",
        orders,
        index=orders.index(form.order),
        format_func=_ORDERS.__getitem__,
        key=f"date-order-{key}",
        kept="session",
        note="Cells that are written otherwise are invalid, and count as missing.",
    )
    timed = second.place.checkbox(
        "The time of day counts",
        form.time_of_day,
        key=f"date-time-{key}",
        persist_state="session",
        help="If not, every moment counts as its date.",
    )
    zones = _zones()
    zone = third.selectbox(
        "Time zone",
        zones,
        index=zones.index(form.time_zone) if form.time_zone in zones else 0,
        key=f"date-zone-{key}",
        kept="session",
        note="Moments with an offset from UTC are converted to this time zone. All "
        "others are taken as written.",
    )
    form = DateFormat(order=order, time_of_day=timed, time_zone=zone)
    bounds = _date_bounds(column, key)
    return replace(
        column,
        dates=form,
        bounds=bounds,
        missing=MissingPolicy.DROP,
        replacement=None,
        complete=False,
    )


def _zones() -> list[str]:
    return ["UTC", *sorted(zoneinfo.available_timezones() - {"UTC"})]


def _date_bounds(column: Column, key: str) -> Interval | None:
    known = column.bounds
    left, right = controls.row(2)
    low = None if known is None else date_of(known.lower)
    high = None if known is None else date_of(known.upper)
    lower = left.day("First possible date", low, key=f"first-day-{key}")
    upper = right.day("Last possible date", high, key=f"last-day-{key}")
    st.caption(
        "Dates outside the bounds are clamped. Narrow bounds add bias; wide bounds add noise."
    )
    if lower is None or upper is None:
        return None
    if lower >= upper:
        raise ParameterError(f"the first date ({lower}) must lie before the last ({upper}).")
    return Interval(lower=day_of(lower), upper=day_of(upper))


def _imputed_date(cell: controls.Cell, column: Column, *, key: str) -> float:
    """Ask for the date that missing ones are imputed as; first the middle."""
    bounds, known = column.bounds, column.replacement
    if bounds is None:
        raise ParameterError("set the bounds of the column first.")
    middle = np.floor((bounds.lower + bounds.upper) / 2)
    start = float(known) if isinstance(known, float | int) else float(middle)
    shown = date_of(start)
    found = cell.day("Impute missing values with", shown, key=f"imputed-{key}")
    return day_of(found or shown)


def _equality(column: Column, key: str) -> LabelEquality:
    """Ask whether labels, or identifiers, are numeric codes."""
    codes = st.checkbox(
        "Labels are numeric codes: 1, 1.0 and 01 are the same"
        if column.kind.has_labels
        else "Identifiers are numeric codes: 1, 1.0 and 01 are the same",
        column.equality is not LabelEquality.AS_WRITTEN,
        key=f"numeric-codes-{key}",
        persist_state="session",
        help="If not, a cell is met only by a label that is written the same.",
    )
    if not codes:
        return LabelEquality.AS_WRITTEN
    # What was declared before this could be said stays the same declaration.
    unstated = column.equality is LabelEquality.UNSTATED
    return column.equality if unstated else LabelEquality.AS_NUMBERS


def _missing_codes(column: Column, key: str) -> tuple[str, ...]:
    """Ask which cells stand for a missing value, beside blank ones."""
    if column.kind in {ColumnKind.YES_NO, ColumnKind.NOT_USED}:
        return column.missing_codes
    text = st.text_input(
        "Missing-value codes",
        "; ".join(column.missing_codes),
        placeholder="such as -9; 99; n/a",
        key=f"missing-codes-{key}",
        persist_state="session",
        help="Cells that stand for a missing value, beside blank ones, with semicolons "
        "between. Type what the questionnaire says: which codes occur is confidential. "
        "A label of the public list is never a missing code.",
    )
    codes = (code.strip() for code in text.split(";"))
    return tuple(dict.fromkeys(code for code in codes if code))
