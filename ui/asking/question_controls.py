"""What a question of a column needs besides: bins, quantiles, other columns, groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from dpcore.analyses.matrix import MOST_COLUMNS
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dates import date_of, day_of, end_of_day
from dpcore.data.quantities import replacement_text
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.relations import TableSize
from dpcore.statistics.bins import Period, calendar_edges, edges_at, usual_edges
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import MOST_COLUMNS as MOST_GROUPED
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from ui import controls, session
from ui.study import Study

Cells = Iterator[controls.Cell]

_ROW: Final = 4
_SHOWN_FIRST: Final = 2
_USUAL: Final = 10
_TOGETHER: Final = "Together with"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionForm:
    """What the controls of a question are about, and where they stand.

    Attributes:
        kind: What is asked of the column.
        column: The column that is chosen.
        study: The table with its declarations.
        by: The cell of groups, beside the question.
        cells: Further places, in rows of four.

    """

    kind: StatisticKind
    column: Column
    study: Study
    by: Cells
    cells: Cells

    def query(self, kind: StatisticKind, size: TableSize, **more: Any) -> Query:  # noqa: ANN401 - its fields
        """Return a question about the column on the terms of the table."""
        terms = self.study.terms
        known = {"column": self.column, "relation": terms.relation, "unit": terms.unit, **more}
        return Query(kind=kind, size=size, **known)

    def in_order(self, *columns: Column) -> tuple[Column, ...]:
        """Return columns as the table has them: whichever is first, it is the same question."""
        return tuple(sorted(columns, key=self.study.dataset.columns.index))

    @property
    def key(self) -> str:
        """Return what the keys of controls of further columns end with."""
        return f"{session.generation()}-{self.column.name}"


def rows() -> Cells:
    """Return places for controls; a row is made only once something is put there."""
    while True:
        yield from controls.row(_ROW)


def other_numbers(form: QuestionForm) -> list[Column]:
    """Return the other columns of numbers.

    Raises:
        ParameterError: There are none.

    """
    columns = form.study.dataset.columns
    numbers = [one for one in columns if one.kind.is_numeric and one != form.column]
    if not numbers:
        raise ParameterError(f"a {form.kind} needs a second column of numbers.")
    return numbers


def several_others(form: QuestionForm, note: str) -> tuple[Column, ...]:
    """Ask for other columns of numbers."""
    numbers = other_numbers(form)
    ready = [i for i, other in enumerate(numbers) if other.bounds is not None]
    return _together(form, numbers, "others", ready[:_SHOWN_FIRST], MOST_COLUMNS - 1, note)


def several_labelled(form: QuestionForm, *, most: int, note: str) -> tuple[Column, ...]:
    """Ask for other columns that have a public list of labels; the first is chosen at first."""
    choices = _labelled(form)
    found = _together(form, choices, "labelled", [0] if choices else [], most, note)
    return _needed(found, _TOGETHER)


def _together(
    form: QuestionForm, choices: list[Column], name: str, start: list[int], most: int, note: str
) -> tuple[Column, ...]:
    """Ask for some of the columns, in a row of its own: several names need the width."""
    chosen = st.multiselect(
        _TOGETHER,
        range(len(choices)),
        default=start,
        format_func=[form.study.dataset.short(one.name) for one in choices].__getitem__,
        max_selections=most,
        key=f"{name}-{form.key}",
        persist_state="session",
        help=note,
    )
    return tuple(choices[i] for i in sorted(chosen))


def label_column(form: QuestionForm, label: str) -> Column:
    """Ask for another column that has a public list of labels."""
    choices = _labelled(form)
    if not choices:
        raise ParameterError(
            f"a {form.kind} needs another yes/no or category column with a public list of "
            "labels; declare one on the Data page."
        )
    names = [form.study.dataset.short(other.name) for other in choices]
    place = next(form.by).selectbox(
        label,
        range(len(names)),
        format_func=names.__getitem__,
        key=f"{label}-{form.key}",
        kept="session",
    )
    return choices[place]


def _labelled(form: QuestionForm) -> list[Column]:
    """Return the other columns that have a public list of labels."""
    return [
        other
        for other in form.study.dataset.columns
        if not other.kind.is_numeric and other.labels and other != form.column
    ]


def by_group(form: QuestionForm, *, required: bool = False) -> Grouping | None:
    """Ask by which columns, up to three of them together."""
    if not required and not _labelled(form):
        return None
    found = label_columns(
        form,
        "By group",
        most=MOST_GROUPED,
        required=required,
        note="One number for each group, or for each combination of the labels of up to three "
        "columns. All of them together cost one ε. People in no listed group, or without a "
        "value, are counted among the others.",
    )
    return Grouping.of(*found) if found else None


def label_columns(
    form: QuestionForm, label: str, *, most: int, note: str, required: bool = True
) -> tuple[Column, ...]:
    """Ask for other columns that have a public list of labels: for a next one after each."""
    choices, chosen = _labelled(form), list[int]()
    names = [form.study.dataset.short(other.name) for other in choices]
    cell, everybody = next(form.by), f"all {session.unit().counted}"
    for place in range(min(most, max(len(choices), 1))):
        one = cell.selectbox(
            f"{label}, column {place + 1}" if place else label,
            [option for option in range(len(names)) if option not in chosen],
            index=0 if required and not place and names else None,
            format_func=names.__getitem__,
            placeholder="and another column" if place else "choose" if required else everybody,
            label_visibility="collapsed" if place else "visible",
            key=f"{label}-{place or required}-{form.key}",
            kept="session",
            note=None if place else note,
        )
        if one is None:
            break
        chosen.append(one)
    # In the order of the table: either column first is the same question.
    return _needed(tuple(choices[one] for one in sorted(chosen)), label, required=required)


def _needed(found: tuple[Column, ...], label: str, *, required: bool = True) -> tuple[Column, ...]:
    if required and not found:
        raise ParameterError(
            f"choose at least one column under “{label}”. Each needs a public list of labels, "
            "which you declare on the Data page."
        )
    return found


def membership(form: QuestionForm) -> Membership:
    """Ask which rows a count or a share counts."""
    column, study, cells = form.column, form.study, form.cells
    position = study.dataset.columns.index(column)
    key = f"{session.generation()}-{position}"
    everyone = form.kind is StatisticKind.COUNT and not study.public_number
    if not column.kind.is_numeric:
        # Yes comes before no; a list keeps its order.
        step = -1 if column.kind is ColumnKind.YES_NO else 1
        options: list[str | None] = [*column.labels[::step]]
        if everyone:
            options.insert(0, None)
        if not options:
            raise ParameterError("declare the public list of categories first.")
        everybody = "everybody"
        while everybody in column.labels:
            everybody += " at all"
        label = next(cells).place.selectbox(
            "Who counts",
            options,
            # Whom a question is about is not guessed; everybody is no category.
            index=0 if everyone else None,
            placeholder="choose who counts",
            format_func=lambda name: everybody if name is None else name,
            key=f"member-{key}-{hash(column.labels)}",
            persist_state="session",
        )
        if label is None and not everyone:
            raise ParameterError("choose who counts: the question is about one of the categories.")
        return Membership(label=label)
    if column.bounds is None:
        raise ParameterError("declare public bounds of the column first, below.")
    bounds, inside = column.bounds, "those within"
    if everyone and inside != next(cells).selectbox(
        "Who counts", [inside, "everybody"], key=f"whom-{key}", kept="session"
    ):
        return Membership()
    if column.kind is ColumnKind.DATE:
        return _of_dates(bounds, cells, key)
    lower = next(cells).number(
        "Counts from",
        bounds.lower + (bounds.upper - bounds.lower) / 2,
        key=f"from-{key}-{bounds.lower}-{bounds.upper}",
        kept="session",
    )
    upper = next(cells).number(
        "Counts up to", bounds.upper, key=f"to-{key}-{bounds.lower}-{bounds.upper}", kept="session"
    )
    st.caption(
        f"Only values from {significant(lower, 6)} to {significant(upper, 6)} count. "
        "Enter a larger number to count values above the bounds, too."
        + _imputed_inside(column, lower, upper)
    )
    return Membership(interval=Interval(lower=lower, upper=upper))


def _imputed_inside(column: Column, lower: float, upper: float) -> str:
    """Say that missing values are counted, where they are imputed as one that is."""
    value = column.replacement
    if not isinstance(value, int | float) or not lower <= value <= upper:
        return ""
    return f" Missing values are imputed as {replacement_text(column)}, so they are counted."


def _of_dates(bounds: Interval, cells: Cells, key: str) -> Membership:
    """Ask for the first and the last day that counts."""
    key = f"{key}-{bounds.lower}-{bounds.upper}"
    known = date_of(bounds.lower), date_of(bounds.upper)
    first = next(cells).day("Counts from", known[0], key=f"from-day-{key}")
    last = next(cells).day("Counts up to", known[1], key=f"to-day-{key}")
    if first is None or last is None or first > last:
        raise ParameterError("name the first and the last day that counts, in this order.")
    st.caption("The last day counts with all its hours.")
    return Membership(interval=Interval(lower=day_of(first), upper=end_of_day(last)))


def bins(form: QuestionForm) -> tuple[float, ...] | None:
    """Ask for the edges of the bins of a column of numbers; ``None`` of labels.

    Raises:
        ParameterError: The column has no bounds, or the edges make no bins of it.

    """
    column, cells, bounds = form.column, form.cells, form.column.bounds
    if not column.kind.is_numeric:
        return None
    if bounds is None:
        raise ParameterError("declare public bounds first: the bins lie between them.")
    if column.kind is ColumnKind.DATE:
        period = next(cells).selectbox(
            "Bins",
            list(Period),
            index=list(Period).index(Period.MONTH),
            format_func=lambda period: f"by {period}",
            key="bins-period",
            kept="table",
        )
        return calendar_edges(bounds, period)
    whole = column.kind is ColumnKind.WHOLE
    count = next(cells).number("Bins of equal width", _USUAL, (2, 50), key="bins", kept="table")
    text = next(cells).place.text_input(
        "Or edges of the bins",
        placeholder="18; 40; 65",
        key=f"bin-edges-{session.generation()}-{column.name}",
        persist_state="session",
        help="Public numbers between the bounds, typed and not looked up. An edge "
        "belongs to the bin above it.",
    )
    # The lowest bin begins at the lower bound in any case.
    typed = {*controls.listed(text, float, "edges")} - {float(bounds.lower)}
    if typed:
        return edges_at(bounds, tuple(sorted(typed)), whole=whole)
    return usual_edges(column, count)
