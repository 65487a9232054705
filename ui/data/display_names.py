"""What pages and documents call the columns that steps have made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import streamlit as st

from dpcore.data.columns import LONGEST_NAME, Column, check_titles
from dpcore.data.partitions.table import Table, TableT
from dpcore.errors import ParameterError
from ui import session
from ui.text import literal, sentence_of


def ask(dataset: TableT, keep: Callable[[Table], None]) -> TableT:
    """Let every derived column be named; keep and return what was typed.

    A name that cannot be used is explained in place, and the last one stays.
    """
    derived = [
        column
        for column in dataset.columns
        # None of the file, whichever of its rows count.
        if column.name.removesuffix(dataset.ending) not in dataset.header
    ]
    if not derived:
        return dataset
    form = st.expander(
        "Names of derived columns", key=f"display-names-{session.generation()}", on_change="rerun"
    )
    if not form.open:
        return dataset
    with form:
        st.caption(
            "Pages and documents use the name. Statements, methods and reports also "
            "give the recipe. A new name does not change any question or its answer."
        )
        typed = [
            replace(column, display_name=_field(column, place))
            for place, column in enumerate(derived)
        ]
        if typed == derived:
            return dataset
        try:
            changed = cast("TableT", dataset.with_columns(*typed))
            check_titles(changed.columns)
        except ParameterError as error:
            st.error(sentence_of(error))
            return dataset
    keep(changed)
    return changed


def _field(column: Column, place: int) -> str:
    text = st.text_input(
        f"Name of {literal(column.name)}",
        column.display_name,
        max_chars=LONGEST_NAME,
        placeholder=column.name,
        key=f"display-name-{session.generation()}-{place}",
        persist_state="session",
    )
    return " ".join(text.split())
