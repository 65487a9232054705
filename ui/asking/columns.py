"""Declaring what is public about a column, and how its cells are read."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

import streamlit as st

from dpcore.analyses.weighted import names_weights
from dpcore.data.bounds import TEMPLATES
from dpcore.data.columns import (
    FEWEST_PEOPLE,
    LARGEST_NUMBER,
    LONGEST_NAME,
    Column,
    ColumnKind,
    LabelEquality,
    MissingPolicy,
    check_titles,
)
from dpcore.data.dates import DateFormat, DateOrder, date_of
from dpcore.data.declaration_grid import (
    Field,
    IfMissing,
    declared,
    imputes_middle,
    middle_of,
    of_kind,
)
from dpcore.data.disclosure_risks import names_people
from dpcore.data.partitions.table import Table, TableT
from dpcore.data.quantities import replacement_text
from dpcore.errors import DPCoreError, ParameterError
from dpcore.formatting import in_full
from ui import controls, session
from ui.asking import finding
from ui.data import declaring
from ui.text import literal, sentence_of

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_KINDS: list[ColumnKind] = list(ColumnKind)
_NOBODY: Final = "nobody"
_MISSING: Final[dict[MissingPolicy | str, str]] = {
    MissingPolicy.REPLACE: "impute a fixed value",
    MissingPolicy.DROP: "leave it out",
    _NOBODY: "none is missing, and that is public",
}
_IN_GRID: Final[dict[MissingPolicy | str, IfMissing]] = {
    MissingPolicy.REPLACE: IfMissing.IMPUTE,
    MissingPolicy.DROP: IfMissing.LEAVE_OUT,
    _NOBODY: IfMissing.NONE,
}
_ORDERS: Final = {
    DateOrder.ISO: "2024-12-31 (year, month, day)",
    DateOrder.DAY_FIRST: "31.12.2024 (day, month, year)",
    DateOrder.MONTH_FIRST: "12/31/2024 (month, day, year)",
}


def choose(dataset: Table, *, every: bool = False) -> int:
    """Return the position of the column chosen in the selector shared by all questions.

    It starts from the first whose heading does not say that it tells people apart:
    nobody asks for the mean of a staff number, nor first for that of weights. A declared
    column of numbers goes first.
    Identifiers and columns that are not used are there only where
    ``every`` column is to be declared, and which one is declared changes no question.
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
    usual = [place for place in usual if not names_weights(columns[place].name)] or usual
    if not every:
        numbers = [place for place in usual if columns[place].kind.is_numeric]
        ready = [place for place in usual if columns[place].is_declared]
        usual = [place for place in numbers if columns[place].is_declared] or ready or usual
    # Streamlit keeps this function longer than the tab: it must not hold the table.
    names = [dataset.short(column.name) for column in columns]
    key = f"{'declared-' if every else ''}column-{session.generation()}"
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
        found = _form(
            column,
            declaring.form_key(position),
            derived=column.name.removesuffix(dataset.ending) not in dataset.header,
        )
        if found == column:
            return dataset
        changed = declaring.redeclared(dataset, found)
        check_titles(changed.columns)
    except DPCoreError as error:
        st.error(sentence_of(error))
        return None
    keep(changed)
    return changed


def open_or_closing(name: str, *, now: bool | None) -> bool:
    """Return whether a popover is open ``now``, or was in the run before.

    What was typed last may arrive only with the run that closes it.
    """
    note = f"_open-{name}"
    before = session.take(note) is not None
    if now:
        session.set_public(note, now)
    return bool(now) or before


def is_open(slot: str, position: int, column: Column) -> bool:
    """Tell whether a column was not declared when it was chosen on this page.

    Its form stays until it is done: it does not fold while somebody types there.
    """
    chosen = f"{session.generation()}-{position}"
    return session.while_here(f"open-{slot}", chosen, lambda: not column.is_declared)


def until_done(slot: str, dataset: TableT, position: int) -> TableT | None:
    """Show the form of a column as `declare` does, with a button that closes it."""
    entered = declare(dataset, position, declaring.redeclare)
    if entered is not None and entered.columns[position].is_declared:
        st.button("Done", key=f"done-{slot}", on_click=session.let_go, args=([f"open-{slot}"],))
    return entered


def folded(
    dataset: TableT, position: int, key: str, place: DeltaGenerator | None = None
) -> TableT | None:
    """Show the form of a column of the table in use, in a popover once it is declared.

    It is drawn only while it is open: a control must answer quickly. Its button is in
    the ``place``, if there is one.
    """
    column = dataset.columns[position]
    if is_open(key, position, column):
        with st.container(border=True, key=f"undeclared-{position}"):
            what = "bounds" if column.kind.is_numeric else "labels"
            st.page_link(
                "pages/data.py",
                label=f"Nobody knows them? Find {what}",
                query_params={finding.ADDRESS: what},
            )
            return until_done(key, dataset, position)
    form = (place or st).popover(
        "Bounds and missing values",
        key=f"{key}-{session.generation()}-{position}",
        on_change="rerun",
    )
    current = session.study()
    own = current is not None and current.example is None
    if not form.open and own and imputes_middle(column):
        st.caption(
            f"Missing values are imputed as {literal(replacement_text(column))}, the "
            "middle of the bounds. No margin of error includes this bias."
        )
    if not open_or_closing(f"{key}-{position}", now=form.open):
        return dataset
    with form:
        return declare(dataset, position, declaring.redeclare)


def _form(column: Column, key: str, *, derived: bool) -> Column:
    left, right = controls.row(2)
    kind = left.selectbox(
        "Type",
        _KINDS,
        index=_KINDS.index(column.kind),
        key=f"kind-{key}",
        kept="session",
        note="Numbers and dates have bounds. Yes/no: two labels. Category: a public "
        "list. No question is asked of identifiers and of columns not used.",
    )
    if kind is not column.kind:
        column = of_kind(column, kind)
    # Drawn first: what is typed there stays, whatever comes or goes above.
    above, below = st.container(), st.container()
    with below:
        texts = {"missing_codes": _missing_codes(column, key), **_described(column, key)}
        if derived:
            texts["display_name"] = _display_name(column, key)
    with above:
        column = _values_form(column, key, right.place)
    return replace(column, **texts)


def _values_form(column: Column, key: str, place: DeltaGenerator) -> Column:
    """Ask for the bounds or labels of a column, and for what is missing."""
    if column.kind is ColumnKind.DATE:
        column = _date_form(column, key)
    elif column.kind.is_numeric:
        column = _number_form(column, key, place)
    elif column.kind.has_labels:
        column = _label_form(column, key, place)
    elif column.kind is ColumnKind.IDENTIFIER:
        column = replace(column, equality=_equality(column, key))
    if not column.is_declared or column.missing is not MissingPolicy.DROP:
        return column
    at_least = st.number_input(
        "At least so many have a value",
        min_value=FEWEST_PEOPLE,
        max_value=LARGEST_NUMBER,
        value=column.at_least,
        placeholder="the public minimum of the table",
        key=f"at-least-{key}",
        persist_state="session",
        help="It must be known without this table. Averages divide by it where fewer "
        "have a value, and are biased then.",
    )
    return replace(column, at_least=at_least)


def _display_name(column: Column, key: str) -> str:
    """Ask what pages call a derived column: its own name is its recipe."""
    text = st.text_input(
        f"Name of {literal(column.name)}",
        column.display_name,
        max_chars=LONGEST_NAME,
        placeholder=column.name,
        key=f"display-name-{key}",
        persist_state="session",
        help="Pages and documents use the name. Methods and reports also give the "
        "recipe. A new name changes no question and no result.",
    )
    return " ".join(text.split())


def _described(column: Column, key: str) -> dict[str, Any]:
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
    return {"unit": unit.strip(), "description": meaning.strip()}


def _date_form(column: Column, key: str) -> Column:
    """Ask how dates are written, for their bounds, and for missing ones.

    Raises:
        ParameterError: The bounds are in the wrong order, or there is no such time
            zone.

    """
    column = replace(column, dates=_date_format(column, key))
    known = column.bounds
    days = (None, None) if known is None else (date_of(known.lower), date_of(known.upper))
    cells = controls.row(2)
    lower = cells[0].day("First possible date", days[0], key=f"first-day-{key}")
    upper = cells[1].day("Last possible date", days[1], key=f"last-day-{key}")
    if lower is not None and upper is not None and lower >= upper:
        raise ParameterError(f"the first date ({lower}) must lie before the last ({upper}).")
    ends = {Field.LOWER: lower, Field.UPPER: upper}
    bounded = declared(column, ends)
    if bounded.bounds is None:
        return bounded
    choice, cell = _missing_form(column, key, first=MissingPolicy.DROP)
    typed = {**ends, Field.IF_MISSING: choice}
    column = declared(column, typed)
    value = column.replacement
    if choice is IfMissing.LEAVE_OUT or isinstance(value, str) or value is None:
        return column
    day = cell.day("Impute missing values with", date_of(value), key=f"imputed-{key}")
    return declared(column, {**typed, Field.IMPUTED: day})


def _date_format(column: Column, key: str) -> DateFormat:
    first, second, third = controls.row(3)
    orders, form, zones = (
        list(_ORDERS),
        column.dates,
        ["UTC", *sorted(zoneinfo.available_timezones() - {"UTC"})],
    )
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
        "Use the time of day",
        form.time_of_day,
        key=f"date-time-{key}",
        persist_state="session",
        help="Otherwise only the date is used.",
    )
    zone = third.selectbox(
        "Time zone",
        zones,
        index=zones.index(form.time_zone) if form.time_zone in zones else 0,
        key=f"date-zone-{key}",
        kept="session",
        note="Moments with an offset from UTC are converted to this time zone before their "
        "date is taken. All others are taken as written.",
    )
    return DateFormat(order=order, time_of_day=timed, time_zone=zone)


def _number_form(column: Column, key: str, place: DeltaGenerator) -> Column:
    place.selectbox(
        "Common bounds",
        range(len(TEMPLATES)),
        index=None,
        format_func=lambda index: TEMPLATES[index].title,
        placeholder="such as Age 18 to 100",
        key=f"template-{key}",
        on_change=_fill_in,
        args=(key,),
        help="Bounds that are common knowledge. They are never taken from your table.",
    )
    bounds = column.bounds
    lower, upper = (
        cell.number_input(
            f"{end.capitalize()} bound",
            value=known,
            format="%g",
            placeholder="public number",
            key=f"{end}-{key}",
            persist_state="session",
            help="Values outside the bounds are clamped. Narrow bounds add bias; wide "
            "bounds add noise.",
        )
        for cell, end, known in zip(
            st.columns(2),
            ("lower", "upper"),
            (None, None) if bounds is None else (bounds.lower, bounds.upper),
            strict=True,
        )
    )
    choice, cell = _missing_form(column, key, first=MissingPolicy.REPLACE)
    value = _imputed(cell, column, key) if choice is IfMissing.IMPUTE else None
    if lower is not None and upper is not None and lower >= upper:
        ends = in_full(lower), in_full(upper)
        raise ParameterError(f"the lower bound ({ends[0]}) must lie below the upper ({ends[1]}).")
    typed = {Field.LOWER: lower, Field.UPPER: upper, Field.IF_MISSING: choice}
    bounded = declared(column, {**typed, Field.IF_MISSING: IfMissing.LEAVE_OUT})
    usual = middle_of(bounded) if choice is IfMissing.IMPUTE else None
    return declared(column, {**typed, Field.IMPUTED: usual if value is None else value})


def _imputed(cell: controls.Cell, column: Column, key: str) -> float | None:
    """Ask what a missing number counts as; ``None`` where that is the middle of the bounds."""
    kept = None if imputes_middle(column) else cast("float | None", column.replacement)
    return cell.place.number_input(
        "Impute missing values with",
        value=kept,
        format="%g",
        placeholder="the middle of the bounds",
        key=f"replacement-{key}",
        persist_state="session",
        help="Every missing value is replaced by it, which pulls the result towards it.",
    )


def _label_form(column: Column, key: str, place: DeltaGenerator) -> Column:
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
    if choice is IfMissing.NONE and labels:
        replacement = labels[0]
    elif choice is IfMissing.IMPUTE and labels:
        replacement = _label(cell, column, labels, key=key)
    return replace(
        column,
        labels=labels,
        equality=equality,
        missing=MissingPolicy.DROP if replacement is None else MissingPolicy.REPLACE,
        replacement=replacement,
        complete=replacement is not None and choice is IfMissing.NONE,
        at_least=column.at_least if replacement is None else None,
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


def _missing_form(
    column: Column, key: str, *, first: MissingPolicy
) -> tuple[IfMissing, controls.Cell]:
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
        "Averages then divide by at least a public minimum, which costs some noise. "
        "“None is missing” must be known without this table, as of a payroll.",
    )
    return _IN_GRID[policy], right


def _fill_in(key: str) -> None:
    index = session.public(f"template-{key}")
    if isinstance(index, int):
        bounds = TEMPLATES[index].bounds
        session.set_public(f"lower-{key}", bounds.lower)
        session.set_public(f"upper-{key}", bounds.upper)


def _equality(column: Column, key: str) -> LabelEquality:
    """Ask whether labels, or identifiers, are numeric codes."""
    codes = st.checkbox(
        "Labels are numeric codes: 1, 1.0 and 01 are the same"
        if column.kind.has_labels
        else "Identifiers are numeric codes: 1, 1.0 and 01 are the same",
        column.equality is not LabelEquality.AS_WRITTEN,
        key=f"numeric-codes-{key}",
        persist_state="session",
        help="Otherwise a cell matches only a label written the same way.",
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
        help="Cells that mean a missing value, separated by semicolons. Blank cells are always "
        "missing. Type what the questionnaire says: which codes occur is confidential. "
        "A label of the public list is never a missing code.",
    )
    codes = (code.strip() for code in text.split(";"))
    return tuple(dict.fromkeys(code for code in codes if code))


def tell_ending(dataset: Table) -> None:
    """Say what lists of columns leave out of every name."""
    ending = dataset.ending.lstrip(" ,")
    if ending:
        st.caption(f"In reports, each column name ends with “{literal(ending)}”.")


def left_out(dataset: Table) -> tuple[str, ...]:
    """Return the columns that leave people out and have no minimum of their own, quoted."""
    return tuple(
        f"“{dataset.short(column.name)}”"
        for column in dataset.columns
        if column.is_declared and column.missing is MissingPolicy.DROP and not column.at_least
    )
