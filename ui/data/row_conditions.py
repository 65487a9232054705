"""Only some of the rows: public conditions on columns of an upload."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.conditions import (
    Comparison,
    Condition,
    DateCondition,
    FilteredDataset,
    LabelCondition,
    NumberCondition,
    meeting,
)
from dpcore.data.preparation.contribution_bounds import CappedDataset, at_most
from dpcore.errors import DPCoreError
from dpcore.relations import NeighboringRelation
from ui import controls, layout, session
from ui.data import declaring
from ui.study import Draft, Study
from ui.text import literal, sentence_of


def ask(current: Draft | Study) -> bool:
    """Offer to ask only about rows that meet public conditions, of an upload.

    They are another table, not in use before it is accepted. Return whether conditions
    are typed and not taken over.
    """
    dataset = current.in_memory
    kept: tuple[Condition, ...] = ()
    if isinstance(dataset, FilteredDataset | CappedDataset):
        kept = dataset.conditions
    form = st.popover("Filter rows", key=f"conditions-{session.generation()}", on_change="rerun")
    return bool(layout.opened(form, partial(_change, dataset, kept)))


def whole(dataset: Dataset) -> Dataset:
    """Return the table without conditions, but for rows that count of each person."""
    return dataset.undone() if isinstance(dataset, FilteredDataset) else dataset


def _chosen(dataset: Dataset, conditions: tuple[Condition, ...]) -> Dataset:
    """Return the rows of a table that meet other conditions than now, or none.

    Raises:
        DataError, ParameterError: As ``meeting`` and ``at_most``.

    """
    if isinstance(dataset, CappedDataset):
        # Rows are chosen first: of those, so many of each person count.
        return at_most(dataset.undone(), dataset.rule, conditions, key=dataset.key)
    return meeting(whole(dataset), conditions) if conditions else whole(dataset)


def _change(dataset: Dataset, kept: tuple[Condition, ...]) -> bool:
    """Ask for conditions; return whether they are other ones than now."""
    st.caption(
        "For example people aged at least 60, or of one ward. The conditions become "
        "public, as part of the name of every column. The number of matching rows is "
        "private, so filters require add/remove. A row without a value "
        "meets no condition. If one person has several rows, combine them first. Bounds, "
        "lists and the public minimum stay as declared: lower the "
        "minimum if fewer may meet the conditions."
    )
    source = dataset.source if isinstance(dataset, CappedDataset) else whole(dataset)
    # Streamlit keeps controls longer than the tab: they must not hold the table.
    columns = source.columns
    names = [column.name for column in columns]
    chosen = st.multiselect(
        "Columns with a condition",
        names,
        default=list(dict.fromkeys(one.column for one in kept)),
        placeholder="such as age",
        key=f"conditions-of-{session.generation()}",
        persist_state="session",
    )
    waiting = bool(chosen)
    try:
        conditions = tuple(
            condition(
                columns[names.index(name)], f"{session.generation()}-{names.index(name)}", kept
            )
            for name in chosen
        )
        waiting = bool(conditions) and conditions != kept
        if waiting:
            st.caption("Not applied until you press “Keep only these rows”.")
        if conditions and st.button("Keep only these rows", disabled=conditions == kept):
            declaring.make(
                "Choosing the rows …",
                partial(_chosen, dataset, conditions),
                same_rows=True,
                relation=NeighboringRelation.ADD_REMOVE,
            )
    except DPCoreError as error:
        st.error(sentence_of(error))
    if kept and st.button("Use all rows again"):
        declaring.keep_prepared(_chosen(dataset, ()), same_rows=True)
    return waiting


def condition(column: Column, key: str, kept: tuple[Condition, ...]) -> Condition:
    """Ask for a condition on a column; it starts as the one that is ``kept``.

    Raises:
        ParameterError: What is typed is no condition.

    """
    before = next((one for one in kept if one.column == column.name), None)
    if column.kind is ColumnKind.DATE:
        return _of_dates(column, key, before)
    if column.kind.is_numeric:
        return _of_number(column, key, before)
    labels = before.labels if isinstance(before, LabelCondition) else ()
    text = st.text_area(
        f"{literal(column.name)} is one of",
        "\n".join(labels),
        placeholder="one on each line",
        height="content",
        key=f"one-of-{key}",
        persist_state="session",
        help="As written in the table. What is typed becomes public.",
    )
    typed = dict.fromkeys(line.strip() for line in text.splitlines())
    labels = tuple(label for label in typed if label)
    return LabelCondition(column=column.name, labels=labels, equality=column.equality)


def _of_dates(column: Column, key: str, before: Condition | None) -> DateCondition:
    known = before if isinstance(before, DateCondition) else None
    days = (None, None) if known is None else (known.first, known.last)
    left, right = controls.row(2)
    name = literal(column.name)
    first = left.day(f"{name} from", days[0], key=f"from-{key}")
    last = right.day(f"{name} to", days[1], key=f"to-{key}")
    st.caption("Leave one of the two days empty for an open end.")
    return DateCondition(column=column.name, first=first, last=last)


def _of_number(column: Column, key: str, before: Condition | None) -> NumberCondition:
    known = before if isinstance(before, NumberCondition) else None
    options = list(Comparison)
    left, right = controls.row(2)
    comparison = left.selectbox(
        f"{literal(column.name)} is",
        options,
        index=0 if known is None else options.index(known.comparison),
        format_func=str,
        key=f"comparison-{key}",
        kept="session",
    )
    number = right.number(
        f"Public number for {literal(column.name)}",
        0.0 if known is None else known.number,
        key=f"compared-{key}",
        kept="session",
    )
    return NumberCondition(column=column.name, comparison=comparison, number=number)
