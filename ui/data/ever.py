"""Whether any row of a person meets a condition, such as ever positive."""

from __future__ import annotations

import streamlit as st

from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.aggregation import Derived, Preparation, Recipe
from dpcore.data.preparation.conditions import Condition, LabelCondition
from ui import session
from ui.data.filtering import condition


def ask(source: Dataset, owners: list[str], made: Preparation | None) -> list[Derived]:
    """Ask which columns have such a condition, and for each of them which.

    Raises:
        ParameterError: What is typed is no condition.

    """
    usable = {
        column.name: column
        for column in source.columns
        if column.name not in owners
        and Recipe.ANY.suits(column.kind)
        and column.kind is not ColumnKind.DATE
    }
    if not usable:
        return []
    kept = {
        one.column: one.condition
        for one in (() if made is None else made.derived)
        if one.condition is not None
    }
    names = list(usable)
    generation = session.generation()
    chosen = st.multiselect(
        "Any row that meets a condition",
        names,
        default=[name for name in kept if name in names],
        placeholder="no column",
        key=f"any-{generation}-{hash(tuple(names))}",
        persist_state="session",
        help="Yes for a person with at least one such row, such as a positive test. "
        "The condition becomes public.",
    )
    return [
        Derived(
            recipe=Recipe.ANY,
            column=name,
            condition=condition(
                usable[name],
                f"any-{generation}-{names.index(name)}",
                _start(usable[name], kept.get(name)),
            ),
        )
        for name in chosen
    ]


def _start(column: Column, kept: Condition | None) -> tuple[Condition, ...]:
    """Return the condition that the controls start with: yes, where that is a label."""
    if kept is not None:
        return (kept,)
    if column.kind is ColumnKind.YES_NO:
        return (LabelCondition(column=column.name, labels=column.labels[1:]),)
    return ()
