"""The worst neighbor of a small table, found by trying them all.

Local sensitivity: the most that one person can change a statistic of the table at hand.
For a real table it is CONFIDENTIAL, because it depends on everybody's records; here the
tables are synthetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.studies.teaching.explorable import Explorable
from dpcore.studies.teaching.small_tables import (
    GROUP,
    SECOND,
    VALUE,
    Columns,
    RecordChange,
    TableSetting,
)

MOST_PEOPLE: Final = 12
"""Above it, trying all neighbors would no longer be immediate."""
_GRID = {Columns.ONE: 41, Columns.GROUPED: 41, Columns.TWO: 9}
_CLOSER = 16
_NEAR = 1e-3
_BETTER = 1 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbor:
    """The neighboring table that changes a statistic most, and what the others do.

    CONFIDENTIAL where the table is not synthetic.
    """

    here: float = field(repr=False)
    """The statistic of the table; NaN where it has none, and then no neighbor can be
    compared with it.
    """
    there: float = field(repr=False)
    """The statistic of the worst neighbor."""
    reach: FloatArray = field(repr=False)
    """The largest change that each person can cause, shape ``(n,)``; shape ``(1,)`` for
    a newcomer. ``inf`` where nothing limits it.
    """
    person: int | None
    """Whose record changes; ``None`` for a newcomer."""
    record: FloatArray | None = field(repr=False)
    """The new record, shape ``(3,)``; ``None`` if the person is removed."""
    undefined: int = field(repr=False)
    """How many of the neighbors tried have no value of the statistic."""

    @property
    def local(self) -> float:
        """Return the local sensitivity: the largest reach of all."""
        return float(self.reach.max(initial=0.0))


def sizes(rows: FloatArray, setting: TableSetting) -> tuple[int, ...]:
    """Return the number of people in each group of the table ``(n, 3)``.

    Raises:
        ParameterError: If the table is empty or too large to try all its neighbors.

    """
    people = len(rows)
    if not 1 <= people <= MOST_PEOPLE:
        raise ParameterError(f"the table must have 1 to {MOST_PEOPLE} people, got {people}.")
    return tuple(np.bincount(rows[:, GROUP].astype(np.intp), minlength=setting.groups).tolist())


def worst_neighbor(
    statistic: Explorable, rows: FloatArray, setting: TableSetting, change: RecordChange
) -> Neighbor:
    """Return the neighbor of the table ``rows``, ``(n, 3)``, that changes most.

    Values beyond the bounds are clamped. A new value is tried at the bounds, on a grid
    between them, at the values present and at the means of the others (where the
    extremes of all statistics lie that are not ``curved``); for curved statistics the
    best is then followed between the points of the grid.

    Raises:
        ParameterError: If the table is empty or has more than 12 people.

    """
    _ = sizes(rows, setting)
    rows = rows.copy()
    rows[:, :GROUP] = setting.bounds.clip(rows[:, :GROUP])
    here = float(statistic.value(rows, setting))
    joins = change is RecordChange.ADDITION
    others = rows[np.newaxis] if joins else _without_each(rows)
    if change is RecordChange.REMOVAL:
        values = statistic.value(others, setting)
        records, undefined = None, int(np.isnan(values).sum())
    else:
        own = [None] if joins else [int(group) for group in rows[:, GROUP]]
        records = np.stack(
            [
                _records(statistic, rest, group, setting)
                for rest, group in zip(others, own, strict=True)
            ]
        )
        everything = statistic.value(_joined(others, records), setting)
        undefined = int(np.isnan(everything).sum())
        records, values = _best(records, everything, here)
        if statistic.curved:
            records, values = _followed(statistic, others, setting, records, here)
    reach = np.nan_to_num(np.abs(values - here), nan=0.0, posinf=np.inf)
    if statistic.unlimited is not None and records is not None and np.isfinite(here):
        reach = np.where(statistic.unlimited(others, setting), np.inf, reach)
    person = int(np.argmax(reach))
    return Neighbor(
        here=here,
        there=float(values[person]),
        reach=reach,
        person=None if joins else person,
        record=None if records is None else records[person],
        undefined=undefined,
    )


def worst_table(
    statistic: Explorable, rows: FloatArray, setting: TableSetting, change: RecordChange
) -> FloatArray:
    """Return a table with the groups of ``rows`` whose local sensitivity is global.

    Where the worst case is only approached (a slope, or a correlation with one person
    more or less), the table comes close to it. It is the worst of a few: people at
    either bound, a cluster with one person apart, and halves with one person between.

    Raises:
        ParameterError: If the table is empty or has more than 12 people.

    """
    worst, most = rows, -1.0
    for table in _suspects(statistic, rows, setting, change):
        local = worst_neighbor(statistic, table, setting, change).local
        if local > most * _BETTER:
            worst, most = table, local
    return worst


def _without_each(rows: FloatArray) -> FloatArray:
    """Return the tables without each person, shape ``(n, n - 1, 3)``."""
    n = len(rows)
    return np.broadcast_to(rows, (n, n, 3))[~np.eye(n, dtype=bool)].reshape(n, n - 1, 3)


def _joined(others: FloatArray, records: FloatArray) -> FloatArray:
    """Return the tables ``(p, c, m + 1, 3)`` of ``(p, m, 3)`` and ``(p, c, 3)``."""
    kept = np.broadcast_to(others[:, np.newaxis], (*records.shape[:2], *others.shape[1:]))
    return np.concatenate([kept, records[:, :, np.newaxis]], axis=2)


def _records(
    statistic: Explorable, others: FloatArray, group: int | None, setting: TableSetting
) -> FloatArray:
    """Return the records to try beside the others, shape ``(c, 3)``.

    ``group`` is that of the person replaced; ``None`` for a newcomer.
    """
    ends = setting.bounds.lower, setting.bounds.upper
    # Rolled: among equals the first counts, and bounds are easier to grasp.
    grid = np.roll(np.linspace(*ends, _GRID[statistic.columns]), 1)
    columns = others[:, VALUE], others[:, SECOND]
    x, y = (np.concatenate([grid, column, [_mean(column, setting)]]) for column in columns)
    groups = [0.0 if group is None else float(group)]
    if statistic.columns is not Columns.TWO:
        y = np.array([setting.middle])
    if statistic.columns is Columns.GROUPED:
        if group is None or not setting.group_is_public:
            groups = [float(any_group) for any_group in range(setting.groups)]
        centers = [
            _mean(others[others[:, GROUP] == any_group, VALUE], setting)
            for any_group in range(setting.groups)
        ]
        x = np.concatenate([x, centers])
    return np.stack(np.meshgrid(x, y, groups, indexing="ij"), axis=-1).reshape(-1, 3)


def _mean(values: FloatArray, setting: TableSetting) -> float:
    return float(values.mean()) if len(values) else setting.middle


def _best(records: FloatArray, values: FloatArray, here: float) -> tuple[FloatArray, FloatArray]:
    """Return for each person the record that changes most, and the value it leads to.

    Where no record leads to a value, the value is NaN.
    """
    most = np.nan_to_num(np.abs(values - here), nan=-1.0, posinf=np.inf).argmax(axis=1)
    everyone = np.arange(len(most))
    return records[everyone, most], values[everyone, most]


def _followed(
    statistic: Explorable,
    others: FloatArray,
    setting: TableSetting,
    records: FloatArray,
    here: float,
) -> tuple[FloatArray, FloatArray]:
    """Follow the best records uphill in ever smaller steps."""
    step = setting.bounds.width / (_GRID[Columns.TWO] - 1)
    around = np.array([[dx, dy, 0] for dx in (0, -1, 1) for dy in (0, -1, 1)], float)
    for _ in range(_CLOSER):
        step /= 2
        trial = records[:, np.newaxis] + step * around
        trial[..., :GROUP] = setting.bounds.clip(trial[..., :GROUP])
        records, found = _best(trial, statistic.value(_joined(others, trial), setting), here)
    return records, found


def _suspects(
    statistic: Explorable, rows: FloatArray, setting: TableSetting, change: RecordChange
) -> Iterator[FloatArray]:
    """Yield the tables among which the worst case is, or is nearly, found."""
    n, groups = len(rows), rows[:, GROUP]
    lower, upper = setting.bounds.lower, setting.bounds.upper
    middle, near = setting.middle, _NEAR * setting.bounds.width

    def table(x: FloatArray, y: FloatArray) -> FloatArray:
        return np.column_stack([x, y, groups])

    if statistic.columns is Columns.ONE:
        for high in range(n + 1):
            x = np.where(np.arange(n) < n - high, lower, upper)
            yield table(x, np.full(n, middle))
        return
    last = np.arange(n) == n - 1
    if statistic.columns is Columns.TWO:
        odd = np.asarray(np.arange(n) % 2, dtype=np.float64)
        yield table(np.full(n, lower), np.full(n, lower))
        for height in (lower, middle):
            yield table(np.where(last, upper, lower), np.where(last, upper, height))
        # Steep or falling all but vertically, without and with a person far off.
        falling = lower + near * odd, middle + near * (1 - 2 * odd)
        steep = lower + near * odd, lower + (upper - lower) * odd
        for x, y in (falling, steep):
            yield table(x, y)
            yield table(np.where(last, upper, x), np.where(last, upper, y))
            yield table(np.where(last, upper, x), np.where(last, lower, y))
        return
    yield from _grouped_suspects(rows, setting, change)


def _grouped_suspects(
    rows: FloatArray, setting: TableSetting, change: RecordChange
) -> Iterator[FloatArray]:
    n, groups = len(rows), rows[:, GROUP]
    lower, upper = setting.bounds.lower, setting.bounds.upper
    low = np.full(n, lower)
    second = np.full(n, setting.middle)
    everyone = np.arange(n)
    largest = np.bincount(groups.astype(np.intp)).argmax()
    first = everyone == np.flatnonzero(groups == largest)[0]
    yield np.column_stack([low, second, groups])
    yield np.column_stack([np.where(first, upper, lower), second, groups])
    jumps = change is RecordChange.SUBSTITUTION and not setting.group_is_public
    if jumps and setting.groups > 1:
        yield np.column_stack([low, second, everyone == n - 1])
    for person in [None, *range(n)]:
        x = np.empty(n)
        for group in np.unique(groups):
            members = np.flatnonzero((groups == group) & (everyone != person))
            x[members] = np.where(np.arange(len(members)) % 2, upper, lower)
            if person is not None and groups[person] == group:
                x[person] = _mean(x[members], setting)
        yield np.column_stack([x, second, groups])
