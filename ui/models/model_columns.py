"""Controls that choose the columns of a model, and declare what they lack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dpcore.data.columns import ColumnKind
from ui import session
from ui.asking import columns
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.dataset import Dataset
    from ui.study import Study

_STARTS: Final = {
    "rand-hie": ("visits", ("coinsurance", "limitation", "chronic diseases")),
    "fair": ("affair", ("rating", "age", "years married")),
    "anes96": ("own position", ("age", "income", "TV news")),
}
_MOST_AT_FIRST: Final = 3
_USABLE: Final = (ColumnKind.NUMBER, ColumnKind.YES_NO)


def choose(study: Study) -> tuple[str, tuple[str, ...]]:
    """Return the names of the target and of the features."""
    names = [c.name for c in study.dataset.columns if c.kind in _USABLE]
    if len(names) < len(("target", "feature")):
        st.info(
            "A model needs at least two columns that are numbers or yes/no. Declare "
            "them on “Data”; a category of two labels can be declared yes/no."
        )
        st.stop()
    start, others = _STARTS.get(study.example or "", (names[0], ()))
    left, right = st.columns([1, 3])
    target = left.selectbox(
        "Explain",
        range(len(names)),
        index=names.index(start) if start in names else 0,
        format_func=names.__getitem__,
        key=f"model-target-{session.generation()}",
        persist_state="session",
        help="The column to be explained: a number, a count or yes/no.",
    )
    rest = [position for position in range(len(names)) if position != target]
    wanted = [names.index(name) for name in others if name in names]
    usual = [position for position in wanted if position != target]
    chosen = right.multiselect(
        "by",
        rest,
        default=usual or rest[:_MOST_AT_FIRST],
        format_func=names.__getitem__,
        key=f"model-features-{session.generation()}-{target}",
        persist_state="session",
        help="The columns that explain it: numbers or yes/no. Categories of more "
        "labels are not offered.",
    )
    if not chosen:
        st.info("Choose at least one column that explains the other.", icon="✏️")
        st.stop()
    return names[target], tuple(names[position] for position in sorted(chosen))


def declared(dataset: Dataset, names: Sequence[str]) -> Dataset:
    """Ask for the bounds that are missing; the page stops until they are there."""
    for name in names:
        position = [column.name for column in dataset.columns].index(name)
        if dataset.columns[position].is_declared:
            continue
        st.markdown(f"**{literal(name)}** has no public bounds yet:")
        entered = columns.declare(dataset, position, session.redeclare)
        if entered is None or not entered.columns[position].is_declared:
            st.stop()
        dataset = entered
    return dataset
