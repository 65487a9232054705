"""The sensitivity explorer: synthetic tables.

Nothing here comes from anybody's data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.figures import neighbors
from dpcore.figures.neighbors import Scene, letter, people_picture, reach_picture
from dpcore.figures.tradeoffs import leak_picture, price_picture
from dpcore.formatting import epsilon_text, people, significant
from dpcore.studies.comparing.private_size import PrivateSize
from dpcore.studies.teaching.explorable import EXPLORABLE, Explorable
from dpcore.studies.teaching.neighbors import MOST_PEOPLE, sizes, worst_neighbor, worst_table
from dpcore.studies.teaching.small_tables import (
    GROUP,
    SECOND,
    VALUE,
    Columns,
    RecordChange,
    TableSetting,
)
from ui import controls, live_chart, results, session
from ui.form import ChoiceSetting, NumberSetting, SettingsForm, Slide, Ticked
from ui.text import literal

NAMES: Final = (
    *("Ana", "Ben", "Cem", "Dee", "Eli", "Fay"),
    *("Gus", "Hal", "Ida", "Jan", "Kim", "Leo"),
)
COLUMNS: Final = ("person", "value", "second value", "group")
_GOLDEN = 0.618
PRESETS: Final = {
    "low": "All at the lower bound",
    "halves": "Half and half",
    "even": "Evenly spread",
    "outlier": "One outlier",
    "worst": "Worst case",
}


class ToyPerson(NamedTuple):
    """One row of the table."""

    name: str
    value: float
    second: float
    group: str


START: Final = tuple(
    ToyPerson(name, float(value), float(second), group)
    for name, value, second, group in zip(
        NAMES,
        (12, 18, 25, 31, 38, 44, 52, 96),
        (20, 35, 30, 48, 41, 60, 55, 90),
        "AABBCCDD",
        strict=False,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerQuery:
    """What is asked of the table; public settings only."""

    key: str
    setting: TableSetting
    change: RecordChange

    @property
    def statistic(self) -> Explorable:
        """Return the statistic that is asked about."""
        return EXPLORABLE[self.key]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyTable:
    """The synthetic table as the core reads it: rows of shape ``(n, 3)``, in the bounds.

    The controls move the person at the place ``selected``.
    """

    rows: FloatArray
    names: tuple[str, ...]
    selected: int


def as_table(people: tuple[ToyPerson, ...], selected: int, setting: TableSetting) -> ToyTable:
    """Return people as the core reads them."""
    letters = [letter(group) for group in range(setting.groups)]
    rows = [[p.value, p.second, letters.index(p.group)] for p in people]
    return ToyTable(
        rows=np.array(rows, dtype=np.float64),
        names=tuple(person.name for person in people),
        selected=selected,
    )


def read(frame: pd.DataFrame, setting: TableSetting) -> tuple[tuple[ToyPerson, ...], list[str]]:
    """Return the people of an edited table, and what had to be mended, in words.

    Rows without a value are left out, values beyond the bounds moved to them, and
    whatever else is missing is filled in.
    """
    letters = [letter(group) for group in range(setting.groups)]
    numbers = frame[["value", "second value"]].apply(pd.to_numeric, errors="coerce")
    numbers["second value"] = numbers["second value"].fillna(setting.middle)
    kept = frame[numbers["value"].notna()]
    words = []
    if len(kept) < len(frame):
        words.append(f"{_rows(len(frame) - len(kept))} without a value left out.")
    if len(kept) > MOST_PEOPLE:
        words.append(f"Only the first {MOST_PEOPLE} people are used.")
        kept = kept[:MOST_PEOPLE]
    numbers = numbers.loc[kept.index]
    inside = setting.bounds.clip(numbers.to_numpy())
    beyond = int((inside != numbers.to_numpy()).any(axis=1).sum())
    if beyond:
        words.append(f"{_rows(beyond)} beyond the bounds moved to the nearest bound.")
    people: list[ToyPerson] = []
    for (_, row), (value, second) in zip(kept.iterrows(), inside, strict=True):
        group = row["group"] if row["group"] in letters else letters[-1]
        name = name_of(row["person"], [*kept["person"], *(p.name for p in people)])
        people.append(ToyPerson(name, float(value), float(second), str(group)))
    return tuple(people), words


def preset(key: str, rows: FloatArray, question: ExplorerQuery) -> FloatArray:
    """Return the values of a preset for as many people, in the same groups."""
    n, bounds = len(rows), question.setting.bounds
    steps = np.arange(n)
    if key == "worst":
        return worst_table(question.statistic, rows, question.setting, question.change)
    x, y = {
        "low": (np.zeros(n), np.zeros(n)),
        "halves": (steps >= (n + 1) // 2, steps >= (n + 1) // 2),
        "even": (steps / max(n - 1, 1), ((steps + 1) * _GOLDEN) % 1),
        "outlier": (
            np.where(steps == n - 1, 1, 0.1 + 0.2 * steps / max(n - 1, 1)),
            np.where(steps == n - 1, 1, 0.1 + 0.2 * ((steps * _GOLDEN) % 1)),
        ),
    }[key]
    values = bounds.lower + bounds.width * np.column_stack([x, y])
    return np.column_stack([bounds.clip(values), rows[:, GROUP]])


def name_of(name: object, taken: Iterable[object]) -> str:
    """Return the name of a row, or one that nobody has yet."""
    if isinstance(name, str) and name in NAMES:
        return name
    return next(free for free in NAMES if free not in taken)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


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
        st.markdown("**Edit the data**")
        typed = _typed(question)
    session.set_public(_NOW, typed)
    for key, label in PRESETS.items():
        presets.button(label, key=f"start-{key}", on_click=_start, args=(key, question))
    if not typed:
        controls.info("The table is empty. Add people, or type a value.")
    with place:
        selected = _move(typed, question)
    return as_table(typed, selected, question.setting) if typed else None


def choose(position: object) -> None:
    """Select the person at a position in the table, whose point was clicked."""
    if isinstance(position, int) and 0 <= position < len(_now()):
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
        alt="The example data, one row per person",
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


_CHART = "explorer-chart"
_MOVES, _NUMBER = "What can one person change?", "Is the number of people public?"
_MOST_GROUPS = 6


_FORM: Final = SettingsForm(
    row={
        "key": ChoiceSetting(
            label="Statistic",
            options=tuple(EXPLORABLE),
            named=lambda name: EXPLORABLE[name].label,
            key="explored",
        ),
        "change": ChoiceSetting(
            label="Neighboring datasets",
            options=tuple(RecordChange),
            key="change",
            note="One person may change the record (n is public), join, or leave.",
        ),
        "level": lambda asked: (
            Slide(label="Quantile level", value=0.25, within=(0.0, 1.0, 0.05), key="level")
            if asked["key"] == "quantile"
            else None
        ),
        "groups": lambda asked: (
            NumberSetting(label="Number of groups", value=4, within=(1, _MOST_GROUPS), key="groups")
            if _is_grouped(asked)
            else None
        ),
        "private": lambda asked: (
            Ticked(
                label="Private group",
                key="group-private",
                note="A replaced record may have another group.",
            )
            if _is_grouped(asked) and asked["change"] is RecordChange.SUBSTITUTION
            else None
        ),
    },
    more={
        "lower": NumberSetting(label="Lower bound", value=0.0, within=(-1e6, 1e6), key="lowest"),
        "upper": NumberSetting(label="Upper bound", value=100.0, within=(-1e6, 1e6), key="highest"),
    },
    called="Public bounds",
    widths=(1.0, 1.0, 0.6, 0.6),
)


def _is_grouped(asked: Mapping[str, Any]) -> bool:
    return EXPLORABLE[asked["key"]].columns is Columns.GROUPED


def show() -> None:
    """Ask which of both questions is explored, and its settings, and answer it."""
    question = controls.HERE.radio("Question", [_MOVES, _NUMBER], key="explorer-view")
    if question == _NUMBER:
        _private_number(**_NUMBERS.ask())
    else:
        _explore(_design(**_FORM.ask()))


def _design(
    *,
    key: str,
    change: RecordChange,
    lower: float,
    upper: float,
    level: float = 0.5,
    groups: int = _MOST_GROUPS,
    private: bool = False,
) -> ExplorerQuery:
    if not upper - lower > 1e-9 * max(abs(lower), abs(upper), 1):
        raise ParameterError("the upper bound must exceed the lower bound.")
    setting = TableSetting(
        bounds=Interval(lower=lower, upper=upper),
        level=level,
        groups=groups,
        group_is_public=not private,
    )
    return ExplorerQuery(key=key, setting=setting, change=change)


def _explore(question: ExplorerQuery) -> None:
    """Show the message, the table to play with, and everybody's reach."""
    message = st.container()
    drawn, controlled = st.columns([3, 2], gap="large")
    reach, sheet = st.columns([3, 2], gap="large")
    table = edit(question, controls=controlled, sheet=sheet)
    if table is None:
        return
    with message, controls.valid():
        groups = sizes(table.rows, question.setting)
        worst = question.statistic.sensitivity(groups, question.setting, question.change)
        scene = _scene(question, table, table.rows)
        _answer(scene, worst, _extreme(question, table))
    with drawn:
        # A click on one of the people selects the person to move.
        picture = people_picture(scene)
        st.markdown(f"**{literal(picture.title)}**")
        live_chart.show(picture, key=_CHART, on_pick=choose)
    with reach:
        results.show(reach_picture(scene, worst), "explorer-reach", simulated=True)
    st.markdown(neighbors.why(question.key, scene, worst))


METHODS: Final = (
    "**Local sensitivity**: the most that one person can change the statistic of "
    "this table. It is found by trying new values for every person: the bounds, "
    "a grid, the values present and the means of the others. Noise scaled to "
    "it would reveal the data.\n\n"
    "**Global sensitivity** Δ = max |f(D) - f(D′)| over all neighboring tables D, "
    "D′ with values between the public bounds. It is public. Laplace noise of "
    "scale Δ/ε gives ε-differential privacy.\n\n"
    "Formulas: Liu 2016 (arXiv 1607.08554), corrected for the pooled variance."
)


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
        listed = ", ".join(f"{people(count)} at {place}" for place, count in crowd.items())
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
        here = f"Here {who} can move the {label} without limit"
    else:
        here = f"Here {who} can move the {label} by at most "
        here += significant(local)
    if np.isinf(worst):
        over_all = "without limit"
        end = "No noise can cover a change without limit."
    else:
        over_all = f"by {all_tables}"
        end = "Noise must cover the global sensitivity."
    st.header(literal(f"{here}, and over all tables {over_all}"), anchor=False)
    st.markdown(literal(f"Worst case: {extreme}. {end}"))
    places = st.columns(3)
    defined = 0 < worst < np.inf
    results.metrics(
        {
            "Local sensitivity": (
                significant(local),
                "The largest change that one person can make in this table.",
            ),
            "Global sensitivity": (
                all_tables,
                (
                    "The largest change in any table. Noise is scaled to it. Narrower bounds make "
                    "it smaller."
                ),
            ),
            "Local ÷ global": (
                f"{significant(100 * local / worst)}%" if defined else "undefined",
                "Local ÷ global sensitivity. It is confidential for a real table.",
            ),
        },
        places=places,
    )
    places[0].badge("Confidential for a real table", icon=":material/lock:", color="orange")
    places[1].badge("Public", icon=":material/public:", color="blue")


_BOUNDS = Interval(lower=0.0, upper=100.0)
_EPSILONS = (0.05, 3.0)
_PLACE = 0.3
_DRAWS, _SEED = 20_000, 1
_SIZES = (5, 20, 50, 200, 1000)


_NUMBERS: Final = SettingsForm(
    row={
        "people": Slide(
            label="People in the table", value=20, within=(2, 500), key="private-people"
        ),
        "epsilon": Slide(label="Claimed ε", value=1.0, within=(*_EPSILONS, 0.05), key="promised"),
    }
)


def _private_number(*, people: int, epsilon: float) -> None:
    """Show the leak of a private number of people, and the noisy average."""
    size = PrivateSize(people=people, epsilon=epsilon, bounds=_BOUNDS)
    level = epsilon_text(size.clamped_level)
    st.header(
        f"Noise scaled by a private n breaks ε = {epsilon_text(epsilon)}: BIT costs {level}, "
        "Laplace has no limit",
        anchor=False,
    )
    st.markdown(
        "A mean of values in [0, 100] is released with noise of scale 100/(nε). With "
        f"{people} people or {people - 1} the scale differs, so a distant result reveals n."
    )
    results.metrics(
        {
            "Claimed": (f"ε = {epsilon_text(epsilon)}", "The claimed privacy loss."),
            "Laplace, n private": (
                "no finite ε",
                "Distant results reveal the noise scale, and with it n.",
            ),
            "BIT, n private": (
                f"ε = {level}",
                "Exactly max{ε, log(n/(n - 1)) + ε (n - 1)/n}, rounded up.",
            ),
        }
    )
    results.show(leak_picture(size, widest=_EPSILONS[1]), "leak", simulated=True)
    st.header("Repair: divide a noisy sum by a noisy count", anchor=False)
    st.markdown(
        "Each gets half of ε. Both noise scales are public constants, so the guarantee "
        "holds for every n."
    )
    sizes = [replace(size, people=n) for n in _SIZES if n != people] + [size]
    rng = np.random.default_rng(_SEED)
    errors = np.array([each.noisy_average_error(_PLACE, draws=_DRAWS, rng=rng) for each in sizes])
    picture = price_picture(sizes, errors, size, place=_PLACE, epsilons=_EPSILONS)
    results.show(picture, "price", simulated=True)
    rmse, error = errors[-1]
    st.caption(
        f"True mean 30. With {people} people: RMSE "
        f"{significant(float(rmse))} ± {significant(2 * float(error), 2)} (two "
        f"standard errors of {_DRAWS:,} simulated releases). A public n avoids this cost."
    )
