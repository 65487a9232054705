"""Made-up tables of a few people, and the questions about them.

Nothing here comes from anybody's data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from dpcore.arrays import FloatArray
from dpcore.figures.neighbors import letter
from dpcore.studies.teaching.explorable import EXPLORABLE, Explorable
from dpcore.studies.teaching.neighbors import MOST_PEOPLE, worst_table
from dpcore.studies.teaching.small_tables import GROUP, RecordChange, TableSetting

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
    "worst": "The worst table for this statistic",
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
    """The made-up table as the core reads it: rows of shape ``(n, 3)``, in the bounds.

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
