"""Controls that choose the columns of a model, and declare what they lack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.data.partitions.table import Table
from ui import controls, session
from ui.asking import columns
from ui.data import declaring
from ui.study import Study
from ui.text import literal

_STARTS: Final = {
    "rand-hie": ("visits", ("coinsurance", "limitation", "chronic diseases")),
    "fair": ("affair", ("rating", "age", "years married")),
    "anes96": ("own position", ("party", "age", "income")),
}
_MOST_AT_FIRST: Final = 3
_EXPLAINED: Final = (ColumnKind.NUMBER, ColumnKind.WHOLE, ColumnKind.YES_NO)
_NO_PREDICTOR: Final = (ColumnKind.IDENTIFIER, ColumnKind.NOT_USED)
_FEWEST: Final = 2
_NAMED: Final = 4


def choose(study: Study) -> tuple[str, tuple[str, ...]]:
    """Return the names of the target and of the features."""
    columns_now = study.dataset.columns
    names = [column.name for column in columns_now]
    shown = [study.dataset.short(name) for name in names]
    usable = [p for p, column in enumerate(columns_now) if column.kind in _EXPLAINED]
    if len(names) < _FEWEST or not usable:
        st.info(
            "A model needs a column to explain that is a number or yes/no, and another "
            "one that explains it. Declare them on “Data”; a category of two labels "
            "can be declared yes/no."
        )
        session.end_page()
    start, others = _STARTS.get(study.example or "", ("", ()))
    left, right = controls.row([1, 3])
    target = left.selectbox(
        "Explain",
        usable,
        # The column that an example starts with may have become a category.
        index=next((i for i, p in enumerate(usable) if names[p] == start), 0),
        format_func=shown.__getitem__,
        key=f"model-target-{session.generation()}",
        kept="session",
        note="The column to be explained: a number, a count or yes/no.",
    )
    out = [study.dataset.short(c.name) for c in columns_now if c.kind not in _EXPLAINED]
    if out:
        names_out = ", ".join(f"“{name}”" for name in out[:_NAMED])
        more = "" if len(out) <= _NAMED else f" and {len(out) - _NAMED} more"
        st.caption(
            f"Not offered to be explained: {literal(names_out)}{more}, whose values "
            "are labels. A model explains a number or a yes/no; a category of two "
            "labels can be declared yes/no on “Data”."
        )
    rest = [
        position
        for position, column in enumerate(columns_now)
        if position != target and column.kind not in _NO_PREDICTOR
    ]
    wanted = [names.index(name) for name in others if name in names]
    usual = [position for position in wanted if position != target]
    simple = [position for position in usable if position != target] or rest
    chosen = right.place.multiselect(
        "by",
        rest,
        default=usual or simple[:_MOST_AT_FIRST],
        format_func=shown.__getitem__,
        key=f"model-features-{session.generation()}-{target}",
        persist_state="session",
        help="The columns that explain it. A category gets a coefficient for each of "
        "its public labels but the first, which the others are compared with.",
    )
    if not chosen:
        st.info("Choose at least one column that explains the other.", icon="✏️")
        session.end_page()
    return names[target], tuple(names[position] for position in sorted(chosen))


def declared(dataset: Table, names: Sequence[str]) -> Table:
    """Ask for the bounds that are missing; the page stops until they are there."""
    for name in names:
        position = [column.name for column in dataset.columns].index(name)
        if dataset.columns[position].is_declared:
            continue
        st.markdown(f"**{literal(name)}** has no public bounds yet:")
        entered = columns.declare(dataset, position, declaring.redeclare)
        if entered is None or not entered.columns[position].is_declared:
            session.end_page()
        dataset = entered
    return dataset
