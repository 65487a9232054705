"""What a question of a column needs besides: bins, quantiles, other columns, groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final, cast

import streamlit as st

from dpcore.analyses.marginals import MarginalsQuery
from dpcore.analyses.matrix import MOST_COLUMNS
from dpcore.analyses.weighted import can_weigh, names_weights, usual_mean_weight
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dates import date_of, day_of, end_of_day
from dpcore.data.quantities import replacement_text
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.statistics.bins import Period, calendar_edges, edges_at, usual_edges
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import MOST_COLUMNS as MOST_GROUPED
from dpcore.statistics.grouping import SIDE_BY_SIDE, Grouping
from dpcore.statistics.kinds import StatisticKind
from ui import controls, session
from ui.study import Study

Cells = Iterator[controls.Cell]

_ROW = 4
_PAIR = 2
_SHOWN_FIRST = 2
_TOGETHER = {
    StatisticKind.COVARIANCE_MATRIX: "Every column adds noise to all: the budget is "
    "split over all variances and covariances.",
    StatisticKind.MEANS: "The means of all these columns, for every group, in one "
    "question with one price. Every column adds noise to all, though less than asking "
    "for it by itself.",
}


_USUAL: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What a question needs besides its column and statistic.

    ``membership`` is whom it counts, ``edges`` are those of its bins, ``q`` says
    which quantile it asks for, ``qs`` which ones; ``others`` are further columns, or
    that of weights, ``group`` are those of a question by group, and ``labels_public``
    whether everybody's group is public. ``pair`` are the two groups whose difference is
    asked for. ``tables`` are the columns of each table of a set, and ``consistent`` whether
    these agree. ``mean_weight`` is what margins of error assume of weights.
    """

    membership: Membership | None = None
    edges: tuple[float, ...] | None = None
    q: float | None = None
    qs: tuple[float, ...] | None = None
    others: tuple[Column, ...] = ()
    group: Grouping | None = None
    labels_public: bool = False
    pair: tuple[str, str] | None = None
    tables: tuple[tuple[int, ...], ...] = ()
    consistent: bool = True
    mean_weight: float | None = None


def ask(column: Column, kind: StatisticKind, study: Study, by: controls.Cell) -> Details:
    """Show the controls of this kind of question, in rows of four.

    The column of groups stands in the cell ``by``, beside the question.
    """
    cells = _cells()
    grouped = iter([by])
    membership = _membership(column, kind, study, cells) if kind.of_members else None
    edges = q = None
    if kind.of_cells and column.kind.is_numeric:
        edges = ask_bins(column, cells)
    if kind is StatisticKind.QUANTILE:
        percent = next(cells).number(
            f"Percent of {session.unit().counted} below it",
            90.0,
            (0.1, 99.9),
            key="quantile",
            kept="table",
        )
        q = percent / 100
    qs = _shares(cells) if kind is StatisticKind.QUANTILES else None
    crossed = kind is StatisticKind.CROSS_TABLE
    ask_others = _crossed_with if crossed else _others
    if kind is StatisticKind.DIFFERENCE:
        (of,) = _label_column(column, kind, study, grouped, "Groups of")
        return Details(group=Grouping.of(of), pair=_pair(of, cells))
    if kind is StatisticKind.MARGINALS:
        return _marginals(column, edges, study, grouped, cells)
    if kind.weighted:
        weight = _weight(column, study, cells)
        return Details(
            membership=membership,
            others=(weight,),
            group=_by(column, kind, study, grouped),
            mean_weight=_mean_weight(weight, cells),
        )
    others = ask_others(column, kind, study, grouped if crossed else cells)
    if kind is StatisticKind.MEANS:
        return Details(others=others, group=_by(column, kind, study, grouped))
    group = _within(column, kind, study, grouped) or _by(column, kind, study, grouped)
    labels_public = False
    if group is not None and kind.pooled:
        labels_public = next(cells).place.checkbox(
            "The group of every row is public",
            key=f"labels-public-{session.generation()}-{group.name}",
            persist_state="session",
            help="Then the sizes of the groups are public too, and another record of a "
            f"{session.unit().noun} stays in the same group: less noise is needed. "
            "The guarantee assumes it, and the program cannot check it. Leave it off "
            "unless the groups are known to everybody.",
        )
    for cell in grouped:
        cell.place.multiselect("By group", [], disabled=True, placeholder="–")
    return Details(
        membership=membership,
        edges=edges,
        q=q,
        qs=qs,
        others=others,
        group=group,
        labels_public=labels_public,
    )


def _cells() -> Cells:
    """Return places for controls; a row is made only once something is put there."""
    while True:
        yield from controls.row(_ROW)


def _shares(cells: Cells) -> tuple[float, ...]:
    text = next(cells).numbers(
        f"Percent of {session.unit().counted} below each",
        "10, 25, 50, 75, 90",
        key="quantiles",
        kept="table",
        note="Several numbers between 0 and 100, separated by commas. All of them "
        "together cost one ε.",
    )
    percents = sorted(controls.listed(text, float, "percentages"))
    return tuple(percent / 100 for percent in percents)


def _others(column: Column, kind: StatisticKind, study: Study, cells: Cells) -> tuple[Column, ...]:
    if not kind.of_several or kind is StatisticKind.POOLED_VARIANCE:
        return ()
    numbers = [
        other for other in study.dataset.columns if other.kind.is_numeric and other != column
    ]
    if not numbers:
        raise ParameterError(f"a {kind} needs a second column of numbers.")
    names = [study.dataset.short(other.name) for other in numbers]
    key = f"{session.generation()}-{column.name}"
    if kind in _TOGETHER:
        ready = [i for i, other in enumerate(numbers) if other.bounds is not None]
        # A row of its own: the names of several columns need the width.
        chosen = st.multiselect(
            "Together with",
            range(len(names)),
            default=ready[:_SHOWN_FIRST],
            format_func=names.__getitem__,
            max_selections=MOST_COLUMNS - 1,
            key=f"others-{key}",
            persist_state="session",
            help=_TOGETHER[kind],
        )
        return tuple(numbers[i] for i in sorted(chosen))
    place = next(cells).selectbox(
        "And", range(len(names)), format_func=names.__getitem__, key=f"and-{key}", kept="session"
    )
    return (numbers[place],)


def _crossed_with(
    column: Column,
    kind: StatisticKind,  # noqa: ARG001 - the signature of _others
    study: Study,
    cells: Cells,
) -> tuple[Column, ...]:
    return _label_columns(
        column,
        study,
        next(cells),
        "Crossed with",
        most=MOST_GROUPED - 1,
        required=True,
        note="Up to two columns. Every row is in one cell, so all cells together cost one ε. "
        "Empty cells are released, too.",
    )


def _marginals(
    column: Column, edges: tuple[float, ...] | None, study: Study, by: Cells, cells: Cells
) -> Details:
    """Ask for columns, and for the tables of them; every pair unless others are chosen."""
    others = _label_columns(
        column,
        study,
        next(by),
        "Together with",
        most=MarginalsQuery.most_columns - 1,
        required=True,
        note="All tables together cost one ε. Every row is in one cell of each table, so each "
        "further table adds noise to all.",
    )
    columns = sorted((column, *others), key=study.dataset.columns.index)
    names = [study.dataset.short(each.name) for each in columns]
    sizes = range(1, min(MOST_GROUPED, len(names)) + 1)
    choices = [table for size in sizes for table in combinations(range(len(names)), size)]
    chosen = st.multiselect(
        "Tables",
        range(len(choices)),
        default=[place for place, table in enumerate(choices) if len(table) == _PAIR],
        format_func=lambda place: SIDE_BY_SIDE.join(names[column] for column in choices[place]),
        placeholder="choose",
        help="Of one, two or three columns. Every pair is chosen at first.",
        key=f"tables-{session.generation()}-{hash(tuple(names))}",
        persist_state="session",
    )
    if not chosen:
        raise ParameterError("choose at least one table.")
    consistent = next(cells).place.checkbox(
        "Consistent tables",
        value=True,
        key=f"consistent-{session.generation()}",
        persist_state="session",
        help="The nearest tables, in least squares, that agree about every total they share. "
        "This is post-processing: it costs nothing, and no count gets noisier. Choose it "
        "before you release: with and without it are two questions, with a cost each.",
    )
    tables = tuple(choices[place] for place in sorted(chosen))
    return Details(edges=edges, others=others, tables=tables, consistent=consistent)


def _weight(column: Column, study: Study, cells: Cells) -> Column:
    """Ask which column holds the weight of each row."""
    choices = [one for one in study.dataset.columns if one != column and can_weigh(one)]
    if not choices:
        raise ParameterError(
            "weights need another column of numbers with public bounds from 0 up; declare one on "
            "the Data page."
        )
    place = next(cells).selectbox(
        "Weighted by",
        range(len(choices)),
        index=next((i for i, one in enumerate(choices) if names_weights(one.name)), 0),
        format_func=[study.dataset.short(one.name) for one in choices].__getitem__,
        key=f"weight-{session.generation()}-{column.name}",
        kept="session",
        note="The upper bound of this column is the cap: larger weights are clamped to it. A "
        "higher cap means more noise.",
    )
    return choices[place]


def _mean_weight(weight: Column, cells: Cells) -> float:
    """Ask for the mean weight that margins of error assume."""
    bounds = cast("Interval", weight.bounds)
    usual = usual_mean_weight(bounds)
    return next(cells).number(
        "Assumed mean weight",
        usual,
        (max(float(bounds.lower), min(bounds.upper / 1000, usual)), float(bounds.upper)),
        key=f"mean-weight-{session.generation()}-{weight.name}-{bounds.lower}-{bounds.upper}",
        kept="session",
        note="For margins of error only: the question and its cost do not depend on it. Public "
        "knowledge, such as population size divided by sample size.",
    )


def _pair(group: Column, cells: Cells) -> tuple[str, str]:
    key = f"{session.generation()}-{group.name}-{hash(group.labels)}"
    # Whom a question is about is not guessed from the table: the list is public.
    one = next(cells).selectbox("Mean of", group.labels, key=f"pair-{key}", kept="session")
    others = tuple(label for label in group.labels if label != one)
    if not others:
        raise ParameterError(f"{group.name!r} needs a public list of two labels or more.")
    other = next(cells).selectbox(
        "Minus",
        others,
        key=f"pair-of-{key}-{hash(one)}",
        kept="session",
        note="The percentage is of this one. Only the two groups are counted: nothing "
        "is spent on the others.",
    )
    return one, other


def _label_column(
    column: Column, kind: StatisticKind, study: Study, cells: Cells, label: str
) -> tuple[Column, ...]:
    choices = _labelled(column, study)
    if not choices:
        raise ParameterError(
            f"a {kind} needs another yes/no or category column with a public list of "
            "labels; declare one on the Data page."
        )
    names = [study.dataset.short(other.name) for other in choices]
    place = next(cells).selectbox(
        label,
        range(len(names)),
        format_func=names.__getitem__,
        key=f"{label}-{session.generation()}-{column.name}",
        kept="session",
    )
    return (choices[place],)


def _labelled(column: Column, study: Study) -> list[Column]:
    """Return the other columns that have a public list of labels."""
    return [
        other
        for other in study.dataset.columns
        if not other.kind.is_numeric and other.labels and other != column
    ]


def _by(column: Column, kind: StatisticKind, study: Study, cells: Cells) -> Grouping | None:
    """Ask by which columns, up to three of them together."""
    # By itself, a column has one answer in each group, which everybody knows.
    required = kind is StatisticKind.MEANS
    asked = kind.by_group or kind.weighted
    if not required and not (asked and _labelled(column, study)):
        return None
    found = _label_columns(
        column,
        study,
        next(cells),
        "By group",
        most=MOST_GROUPED,
        required=required,
        note="One number for each group, or for each combination of the labels of up to three "
        "columns. All of them together cost one ε. People in no listed group, or without a "
        "value, are counted among the others.",
    )
    return Grouping.of(*found) if found else None


def _label_columns(
    column: Column,
    study: Study,
    cell: controls.Cell,
    label: str,
    *,
    most: int,
    required: bool,
    note: str,
) -> tuple[Column, ...]:
    """Ask for some of the other columns that have a public list of labels."""
    choices = _labelled(column, study)
    names = [study.dataset.short(other.name) for other in choices]
    places = cell.place.multiselect(
        label,
        range(len(names)),
        default=[0] if required and names else None,
        format_func=names.__getitem__,
        max_selections=most,
        placeholder="choose" if required else f"all {session.unit().counted}",
        help=note,
        key=f"{label}-{required}-{session.generation()}-{column.name}",
        persist_state="session",
    )
    if required and not places:
        raise ParameterError(
            f"choose at least one column under “{label}”. Each needs a public list of labels, "
            "which you declare on the Data page."
        )
    # In the order of the table: either column first is the same question.
    return tuple(choices[place] for place in sorted(places))


def _within(column: Column, kind: StatisticKind, study: Study, cells: Cells) -> Grouping | None:
    if not kind.pooled:
        return None
    return Grouping.of(*_label_column(column, kind, study, cells, "Within the groups of"))


def _membership(column: Column, kind: StatisticKind, study: Study, cells: Cells) -> Membership:
    position = study.dataset.columns.index(column)
    key = f"{session.generation()}-{position}"
    everyone = kind is StatisticKind.COUNT and not study.public_number
    if not column.kind.is_numeric:
        options: list[str | None] = [*column.labels[::-1]]
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
    bounds = column.bounds
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


def ask_bins(column: Column, cells: Iterator[controls.Cell]) -> tuple[float, ...]:
    """Return the edges of the bins that are asked for.

    Raises:
        ParameterError: The column has no bounds, or the edges make no bins of it.

    """
    bounds = column.bounds
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
