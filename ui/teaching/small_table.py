"""The made-up table of the sensitivity explorer, and the ways to change it.

Nothing here comes from anybody's data, so that it may stand in the session's notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.figures.neighbors import letter
from dpcore.studies.teaching.neighbors import MOST_PEOPLE
from dpcore.studies.teaching.small_tables import GROUP, SECOND, VALUE, Columns
from ui import session
from ui.teaching.made_up import (
    COLUMNS,
    PRESETS,
    START,
    ExplorerQuery,
    ToyPerson,
    ToyTable,
    as_table,
    name_of,
    preset,
    read,
)

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


_SHOWN: Final = {
    Columns.ONE: ("person", "value"),
    Columns.TWO: ("person", "value", "second value"),
    Columns.GROUPED: ("person", "value", "group"),
}
_NOW, _BASE, _VERSION = "_explorer_now", "_explorer_base", "_explorer_version"
_PERSON, _PEOPLE = "explorer-person", "explorer-people"


def edit(
    question: ExplorerQuery, *, controls: DeltaGenerator, sheet: DeltaGenerator
) -> ToyTable | None:
    """Show the ways to change the table; ``None`` while it is empty.

    ``controls`` is the place for moving one person and for presets, ``sheet`` that for
    typing.
    """
    place = controls.container()
    controls.markdown("Start from")
    presets = controls.container(horizontal=True, gap="xsmall")
    with sheet:
        st.markdown("**The made-up table, for typing**")
        typed = _typed(question)
    session.set_public(_NOW, typed)
    for key, label in PRESETS.items():
        presets.button(label, key=f"start-{key}", on_click=_start, args=(key, question))
    if not typed:
        controls.info("The table is empty. Add people, or type a value.")
    with place:
        selected = _move(typed, question)
    return as_table(typed, selected, question.setting) if typed else None


def choose(chart: str) -> None:
    """Select the person whose point was clicked in a chart of that key."""
    state = session.public(chart)
    points = state["selection"]["points"] if isinstance(state, dict) else []
    if not points or "customdata" not in points[0]:
        return
    position = int(np.ravel(points[0]["customdata"])[0])
    if position < len(_now()):
        session.set_public(_PERSON, _now()[position].name)


def _typed(question: ExplorerQuery) -> tuple[ToyPerson, ...]:
    """Show the table for typing, and return what it says."""
    setting, columns = question.setting, question.statistic.columns
    key = f"explorer-table-{session.count(_VERSION)}-{columns.name}-{setting.groups}"
    if session.public(key) is None:
        # A fresh editor starts from where the last one ended.
        session.set_public(_BASE, _now())
    base = cast("tuple[ToyPerson, ...]", session.public(_BASE))
    frame = st.data_editor(
        pd.DataFrame(base, columns=COLUMNS),
        key=key,
        num_rows="dynamic",
        hide_index=True,
        height=36 + 35 * (min(len(_now()), MOST_PEOPLE) + 1),
        disabled=("person",),
        column_order=_SHOWN[columns],
        column_config={
            "value": st.column_config.NumberColumn(format="%.4g"),
            "second value": st.column_config.NumberColumn(format="%.4g"),
            "group": st.column_config.SelectboxColumn(
                options=[letter(group) for group in range(setting.groups)]
            ),
        },
        alt="The made-up table, one row a person",
    )
    people, words = read(frame, setting)
    if words:
        st.warning(" ".join(words))
    return people


def _move(people: tuple[ToyPerson, ...], question: ExplorerQuery) -> int:
    """Show the controls that move one person, and return who it is."""
    bounds = question.setting.bounds
    session.set_public(_PEOPLE, len(people))
    who, how_many = st.columns(2)
    how_many.number_input("People", 0, MOST_PEOPLE, key=_PEOPLE, on_change=_resize, args=(bounds,))
    if not people:
        return 0
    names = [person.name for person in people]
    if session.public(_PERSON) not in names:
        session.set_public(_PERSON, names[-1])
    name = who.selectbox(
        "Person to move", names, key=_PERSON, help="Or click a point in the figure."
    )
    selected = names.index(name)
    fields = {"value": people[selected].value}
    if question.statistic.columns is Columns.TWO:
        fields["second"] = people[selected].second
    for field, now in fields.items():
        key = f"explorer-{field}-{bounds.lower}-{bounds.upper}"
        session.set_public(key, now)
        st.slider(
            f"{name}’s {'value' if field == 'value' else 'second value'}",
            bounds.lower,
            bounds.upper,
            step=bounds.width / 100,
            format="%.4g",
            key=key,
            on_change=_slide,
            args=(field, key),
        )
    if question.statistic.columns is Columns.GROUPED:
        session.set_public("explorer-group", people[selected].group)
        st.selectbox(
            f"{name}’s group",
            [letter(group) for group in range(question.setting.groups)],
            key="explorer-group",
            on_change=_slide,
            args=("group", "explorer-group"),
        )
    return selected


def _now() -> tuple[ToyPerson, ...]:
    people = session.public(_NOW)
    return START if people is None else cast("tuple[ToyPerson, ...]", people)


def _put(people: tuple[ToyPerson, ...]) -> None:
    """Take over a table that was not typed: the editor starts anew from it."""
    session.set_public(_NOW, people)
    session.count_up(_VERSION)


def _slide(field: str, key: str) -> None:
    chosen, to = session.public(_PERSON), cast("Any", session.public(key))
    _put(
        tuple(
            person._replace(**{field: to}) if person.name == chosen else person for person in _now()
        )
    )


def _resize(bounds: Interval) -> None:
    people = _now()
    wanted = cast("int", session.public(_PEOPLE))
    middle = bounds.lower + bounds.width / 2
    while len(people) < wanted:
        name = name_of(None, [person.name for person in people])
        group = people[-1].group if people else "A"
        people = (*people, ToyPerson(name, middle, middle, group))
    _put(people[:wanted])


def _start(key: str, question: ExplorerQuery) -> None:
    people = _now()
    if not people:
        return
    table = as_table(people, 0, question.setting)
    rows = preset(key, table.rows, question)
    _put(
        tuple(
            ToyPerson(name, float(row[VALUE]), float(row[SECOND]), letter(row[GROUP]))
            for name, row in zip(table.names, rows, strict=True)
        )
    )
