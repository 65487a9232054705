"""The parts of the Sensitivity explorer that ask and answer about a made-up table."""

from __future__ import annotations

from collections import Counter

import numpy as np
import streamlit as st

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.figures import neighbors
from dpcore.figures.neighbors import Scene, people_picture, reach_picture
from dpcore.studies.teaching.explorable import EXPLORABLE
from dpcore.studies.teaching.neighbors import sizes, worst_neighbor, worst_table
from dpcore.studies.teaching.small_tables import Columns, RecordChange, TableSetting
from dpcore.wording import significant
from ui import controls, results, session
from ui.controls import Cell
from ui.teaching import small_table
from ui.teaching.made_up import ExplorerQuery, ToyTable
from ui.text import literal, sentence_of

_SHARE = (
    "How close this table comes to the worst one. Noise has to be made for the worst "
    "one all the same: how close it comes would tell about the people."
)
_CHART = "explorer-chart"
_MOST_GROUPS = 6


def ask() -> ExplorerQuery:
    """Show the public controls; the page stops where the bounds are no interval."""
    first, second, third = controls.row(3)
    key = first.selectbox(
        "Statistic",
        list(EXPLORABLE),
        format_func=lambda name: EXPLORABLE[name].label,
        key="explored",
    )
    change = second.selectbox(
        "Neighboring tables",
        list(RecordChange),
        key="change",
        note="What one person may do: change the record (the number of people is "
        "public), join, or leave.",
    )
    level, groups, group_is_public = 0.5, _MOST_GROUPS, True
    if key == "quantile":
        level = third.slider("Level of the quantile", 0.25, (0.0, 1.0, 0.05), key="level")
    if EXPLORABLE[key].columns is Columns.GROUPED:
        groups, group_is_public = _ask_groups(third, change)
    with st.expander("Public bounds of the values"):
        low, high = controls.row(2)
        lower = low.number("Lowest value", 0.0, (-1e6, 1e6), key="lowest")
        upper = high.number("Highest value", 100.0, (-1e6, 1e6), key="highest")
    if not upper - lower > 1e-9 * max(abs(lower), abs(upper), 1):
        st.info("The highest value must lie above the lowest.", icon="✏️")
        session.end_page()
    setting = TableSetting(
        bounds=Interval(lower=lower, upper=upper),
        level=level,
        groups=groups,
        group_is_public=group_is_public,
    )
    return ExplorerQuery(key=key, setting=setting, change=change)


def explore(question: ExplorerQuery) -> None:
    """Show the message, the table to play with, and everybody's reach."""
    message = st.container()
    drawn, controls = st.columns([3, 2], gap="large")
    reach, sheet = st.columns([3, 2], gap="large")
    table = small_table.edit(question, controls=controls, sheet=sheet)
    if table is None:
        return
    try:
        groups = sizes(table.rows, question.setting)
        worst = question.statistic.sensitivity(groups, question.setting, question.change)
        scene = _scene(question, table, table.rows)
        extreme = _extreme(question, table)
    except ParameterError as error:
        message.info(sentence_of(error), icon="✏️")
        return
    with message:
        _answer(scene, worst, extreme)
    with drawn:
        _clickable(scene)
    with reach:
        picture = reach_picture(scene, worst)
        results.show(picture, "explorer-reach", simulated=True)
    st.markdown(neighbors.why(question.key, scene, worst))


def details() -> None:
    """Define what the page compares."""
    st.markdown(
        "**Local sensitivity**: the most that one person can change the statistic of "
        "this table. It is found by trying all people, and new values at the bounds, "
        "on a grid between them, at the values present and at the means of the others. "
        "It depends on everybody's records, so for a real table it is confidential, "
        "and noise scaled to it would give it away.\n\n"
        "**Global sensitivity** Δ = max |f(D) - f(D′)| over all neighboring tables D, "
        "D′ with values between the public bounds. It is public. Laplace noise of "
        "scale Δ/ε gives ε-differential privacy.\n\n"
        "Formulas: Liu 2016 (arXiv 1607.08554), corrected for the pooled variance."
    )


def _ask_groups(cell: Cell, change: RecordChange) -> tuple[int, bool]:
    groups = cell.number("Number of groups", 4, (1, _MOST_GROUPS), key="groups")
    private = cell.place.checkbox(
        "The group is private too",
        key="group-private",
        bind="query-params",
        disabled=change is not RecordChange.SUBSTITUTION,
        help="Then a replaced record may turn up in another group.",
    )
    return groups, change is not RecordChange.SUBSTITUTION or not private


def _scene(question: ExplorerQuery, table: ToyTable, rows: FloatArray) -> Scene:
    """Return people with such rows, and the worst that one of them can do."""
    statistic, setting, change = question.statistic, question.setting, question.change
    return Scene(
        rows=rows,
        names=table.names,
        statistic=statistic,
        setting=setting,
        change=change,
        neighbor=worst_neighbor(statistic, rows, setting, change),
        selected=table.selected,
    )


def _extreme(question: ExplorerQuery, table: ToyTable) -> str:
    """Return the worst table of the same size and what happens in it, in words."""
    statistic, setting = question.statistic, question.setting
    groups = sizes(table.rows, setting)

    def described() -> str:
        rows = worst_table(statistic, table.rows, setting, question.change)
        scene = _scene(question, table, rows)
        crowd = Counter(scene.place(row) for row in rows)
        listed = ", ".join(f"{count} at {place}" for place, count in crowd.items())
        change = significant(scene.neighbor.local)
        return f"{listed}; {_impersonal(scene)} moves it by {change}"

    return session.remember("explorer", f"{question}-{groups}", described)


def _impersonal(scene: Scene) -> str:
    neighbor = scene.neighbor
    if neighbor.person is None or neighbor.local == 0:
        return scene.move
    before = scene.place(scene.rows[neighbor.person])
    if neighbor.record is None:
        return f"one at {before} leaving"
    return f"one going from {before} to {scene.place(neighbor.record)}"


def _answer(scene: Scene, worst: float, extreme: str) -> None:
    """Say the message, and show its numbers."""
    local, label = scene.neighbor.local, scene.statistic.label
    who = "one more person" if scene.change is RecordChange.ADDITION else "one person"
    all_tables = significant(worst, up=True)
    if np.isnan(scene.neighbor.here):
        here = f"This table has no {label}"
    elif np.isinf(local):
        here = f"In this table nothing limits how far {who} can move the {label}"
    else:
        here = f"In this table {who} can move the {label} by at most "
        here += significant(local)
    if np.isinf(worst):
        over_all = "nothing limits it"
        end = "Closer together it grows without limit: no noise can cover that."
    else:
        over_all = f"by {all_tables}"
        end = "Noise must cover this, not what happens in one table."
    message = f"{here}; over all tables {over_all}."
    st.header(literal(message), anchor=False)
    st.markdown(literal(f"The worst table: {extreme}. {end}"))
    first, second, third = st.columns(3)
    first.metric(
        "In this table (local sensitivity)",
        significant(local),
        help="How far the one change that matters most moves the number in this very table.",
    )
    first.badge("Confidential in real life", icon=":material/lock:", color="orange")
    first.caption("With real people it would tell about them; this table is made up.")
    second.metric(
        "Over all tables (global sensitivity)",
        all_tables,
        help="How far one person can move the number at most, whatever the table. "
        "Noise is measured by it; closer bounds make it smaller.",
    )
    second.badge("Public: bounds and sizes only", icon=":material/public:", color="blue")
    if 0 < worst < np.inf:
        third.metric(
            "Share of the worst case reached", f"{significant(100 * local / worst)} %", help=_SHARE
        )
    else:
        third.metric("Share of the worst case reached", "none can be told", help=_SHARE)


def _clickable(scene: Scene) -> None:
    """Draw the people; a click on one selects the person to move."""
    picture = people_picture(scene)
    st.markdown(f"**{literal(picture.title)}**")
    st.plotly_chart(
        picture.figure,
        key=_CHART,
        on_select=_clicked,
        selection_mode="points",
        config={"displayModeBar": False},
        alt=picture.alt,
    )


def _clicked() -> None:
    small_table.choose(_CHART)
