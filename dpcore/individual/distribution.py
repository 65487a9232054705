"""Everybody's losses from a release about a table in parts, counted and not held.

Two passes over the parts: one for the statistic of the whole, and one for how far it
moves without each person of a part. Kept are counts on a fixed grid, the largest losses
with their places, and how many people lose more than some levels asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Question, partial_of
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import DataError, InPartsError, ParameterError
from dpcore.individual.exposure import Revealing
from dpcore.individual.grid import Grid
from dpcore.individual.losses import GroupExposure
from dpcore.relations import NeighboringRelation
from dpcore.statistics.base import NeighborValues, Statistic

MOST_KEPT: Final = 10
"""Of how many of the most exposed people the places are kept."""
_CELLS: Final = 1_000
_NUMBERS: Final = 1 << 17
"""Shifts in a block: twice as many as in memory, so that two threads wait for the
interpreter's lock half as often.
"""
_FEW: Final = 1_000
"""People of whom those who lose most rule out most of the others."""
_FARTHEST: Final = 20
"""Up to so many times the guarantee losses are counted that it is not about."""
_SAME: Final = 1e-9


class Place(NamedTuple):
    """A person who loses much. CONFIDENTIAL."""

    row: int
    """Row of the table, from 0."""
    epsilon: float
    shift: float = math.nan
    """Largest change of the statistic, added up over its coordinates."""
    values: tuple[float, ...] = ()
    """The person's values behind the statistic, not clamped."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LossDistribution:
    """How many people lose how much from one release. CONFIDENTIAL.

    Attributes:
        worst_case: The guarantee: the loss over all tables and people. Public.
        edges: Ends of the cells of the grid, ascending from 0 to the worst case, or as
            far as somebody loses more by a change that it is not about; all equally
            long, shape ``(k + 1,)``.
        counts: Number of people whose loss is above an edge and at most the next; the
            first cell has those of no loss, too. Shape ``(k,)``.
        levels: Levels that were asked about, ascending. Public.
        above: Number of people who lose more than each level.
        people: Number of people who have a loss: those behind the statistic.
        total: All losses added up.
        most_exposed: Who loses most, most first; ties in the table's order.
        groups: Who bears the loss, where a column was asked for. Medians and other
            quantiles are ends of a cell: at most so much too large.

    """

    worst_case: float
    edges: FloatArray = field(repr=False)
    counts: FloatArray = field(repr=False)
    levels: tuple[float, ...]
    above: tuple[int, ...] = field(repr=False)
    people: int = field(repr=False)
    total: float = field(repr=False)
    most_exposed: tuple[Place, ...] = field(repr=False)
    groups: tuple[GroupExposure, ...] = field(default=(), repr=False)

    @property
    def maximum(self) -> float:
        """Return the largest loss of a person in the table, exactly."""
        return self.most_exposed[0].epsilon

    @property
    def mean(self) -> float:
        """Return the mean loss."""
        return self.total / self.people

    def quantile(self, q: float) -> tuple[float, float]:
        """Return two losses that the ``q``-quantile lies between: ends of a cell.

        The quantile is the smallest loss that at least a share ``q`` of people stay
        within; it is above the first number, or 0, and at most the second.

        Raises:
            ParameterError: Unless ``q`` is above 0 and at most 1.

        """
        if not 0 < q <= 1:
            raise ParameterError(f"q must be above 0 and at most 1, got {q}.")
        lower, upper = _quantile(self.counts, self.edges, q)
        return lower, min(upper, self.maximum)

    def exceeding(self, threshold: float) -> tuple[float, float]:
        """Return two shares that of the people who lose more than it lies between.

        They are the same where nobody's loss lies in the same cell.
        """
        cell = int(np.searchsorted(self.edges, threshold, side="left"))
        within = np.concatenate([[0.0], np.cumsum(self.counts)])
        if threshold >= self.maximum:
            return 0.0, 0.0
        at_least, at_most = within[cell], within[max(cell - 1, 0)]
        if threshold == self.edges[cell]:
            at_most = at_least
        return 1 - float(at_least / self.people), 1 - float(at_most / self.people)


def loss_distribution(
    plan: Revealing,
    question: Question,
    table: Dataset | PartitionedDataset,
    *,
    delta: float = 0.0,
    levels: Sequence[float] = (),
    relation: NeighboringRelation | None = None,
    by: Column | None = None,
) -> LossDistribution:
    """Return how many people lose how much when ``plan`` answers a question.

    The loss of a person is that of ``exposure.expose``, of one row a person, under a
    relation, which is that of the question unless another is asked for. ``by`` is the
    column of groups to be compared.

    Raises:
        DataError: Nobody has a value, or the table cannot be read.
        ParameterError: The statistic's shifts of some people need all others, is
            undefined without one of them, or has no finite worst case.

    """
    asked = _Losses.of(plan, question, table, delta=delta, relation=relation)
    worst = plan.worst_case(delta=delta)
    if not 0 < worst < math.inf:
        raise ParameterError(
            "losses are counted up to the worst case, which has to be positive and finite."
        )
    farthest = _FARTHEST if asked.relation is not question.relation else 1
    grid = Grid.of(end=farthest * worst, cells=farthest * _CELLS)
    edges, ordered = grid.edges, tuple(sorted(levels))
    counting = _Counting(grid=grid, levels=ordered, by=by)
    names = asked.names if by is None else [*asked.names, by.name]
    counted: list[_Counted] = []
    groups = np.zeros((_number(by), len(edges) - 1))
    for part in table.each(partial(_counted, asked, counting), names):
        # Of many groups the counts of one part are large, and are added up at once.
        groups = groups + part.groups if by is not None else groups
        counted.append(part._replace(groups=np.empty(0)))
    starts = np.cumsum([0, *(each.rows for each in counted)])
    places = [
        place._replace(row=int(start + place.row))
        for start, each in zip(starts, counted, strict=False)
        for place in each.largest
    ]
    if not places:
        raise DataError("nobody has a value, so nobody's privacy loss exists.")
    counts = np.sum([each.counts for each in counted], axis=0)
    # The whole grid up to the worst case, and beyond as far as somebody is.
    cells = max(_CELLS, int(np.flatnonzero(counts)[-1]) + 1)
    return LossDistribution(
        worst_case=worst,
        edges=edges[: cells + 1],
        counts=counts[:cells],
        levels=ordered,
        above=tuple(np.sum([each.above for each in counted], axis=0).tolist()),
        people=sum(each.people for each in counted),
        total=math.fsum(each.total for each in counted),
        most_exposed=tuple(
            sorted(places, key=lambda place: (-place.epsilon, place.row))[:MOST_KEPT]
        ),
        groups=() if by is None else _groups(groups, counted, edges, by),
    )


def loss_of_row(
    plan: Revealing, question: Question, table: PartitionedDataset, row: int, *, delta: float = 0.0
) -> float | None:
    """Return the loss of the person of a row, from 0; ``None`` if it has no value.

    CONFIDENTIAL. After the statistic of the whole only the person's part is read.

    Errors as for ``loss_distribution``; ParameterError also where there is no such row.
    """
    found = person_of_row(plan, question, table, row, delta=delta)
    return None if found is None else found.epsilon


def person_of_row(
    plan: Revealing,
    question: Question,
    table: PartitionedDataset,
    row: int,
    *,
    delta: float = 0.0,
    relation: NeighboringRelation | None = None,
) -> Place | None:
    """Return the person of a row, from 0; ``None`` if it has no value. CONFIDENTIAL.

    After the statistic of the whole only the person's part is read. Errors as for
    ``loss_distribution``; ParameterError also where there is no such row.
    """
    place, within = table.place_of(row)
    asked = _Losses.of(plan, question, table, delta=delta, relation=relation)
    part = table.part(place, asked.names)
    found = np.flatnonzero(question.rows(part) == within)
    if not len(found):
        return None
    values, shifts = asked.behind(part)
    epsilon = asked.each(shifts)
    _largest(epsilon)
    return _places(values, shifts, epsilon[found], rows=np.array([row]), entries=found)[0]


class _Counted(NamedTuple):
    """What is kept of the losses of a part."""

    rows: int
    people: int
    counts: FloatArray
    above: tuple[int, ...]
    total: float
    largest: list[Place]
    """Those who lose most, by their rows of the part."""
    groups: FloatArray
    """How many of each group are in each cell; no group where none was asked for."""
    totals: FloatArray
    """The losses of each group added up."""
    most: FloatArray
    """The largest loss of each group."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Counting:
    """What losses are counted by. Public."""

    grid: Grid
    levels: tuple[float, ...]
    by: Column | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Losses:
    """The losses of people of a part, once the whole is known. CONFIDENTIAL."""

    plan: Revealing
    question: Question
    statistic: Statistic
    whole: Any = field(repr=False)
    delta: float
    relation: NeighboringRelation

    @classmethod
    def of(
        cls,
        plan: Revealing,
        question: Question,
        table: Dataset | PartitionedDataset,
        *,
        delta: float,
        relation: NeighboringRelation | None,
    ) -> _Losses:
        """Return them, after a pass over the table."""
        statistic = question.statistic
        if not statistic.neighbors_of_parts or question.unit.rows > 1:
            raise InPartsError(
                f"everybody's loss from the {question.kind} is not computed of a table "
                "that lies in parts. Look at it with a sample of the rows, uploaded as "
                "a file."
            )
        names = [column.name for column in question.columns]
        parts = list(table.each(partial(partial_of, question), names))
        return cls(
            plan=plan,
            question=question,
            statistic=statistic,
            whole=statistic.combine(parts),
            delta=delta,
            relation=relation or question.relation,
        )

    @property
    def names(self) -> list[str]:
        """Return the names of the columns that are read."""
        return [column.name for column in self.question.columns]

    def behind(self, part: Dataset) -> tuple[FloatArray, NeighborValues]:
        """Return the values of a part, and how they move the statistic."""
        values = self.question.values(part)
        return values, self.statistic.neighbors(values, self.relation, self.whole)

    def each(self, shifts: NeighborValues) -> FloatArray:
        """Return the loss of everybody behind the statistic in a part."""
        return np.concatenate([np.empty(0), *self.blocks(shifts)])

    def blocks(self, shifts: NeighborValues) -> Iterator[FloatArray]:
        """Yield the losses of everybody in a part, of a block of people at a time."""
        if shifts.in_blocks:
            yield from map(self._of_block, shifts.blocks(_NUMBERS))
        elif shifts.people:
            yield shifts.map(self._of_block)

    def _of_block(self, shifts: NeighborValues) -> FloatArray:
        reached = np.moveaxis(shifts.alternatives, 1, 0)
        losses = self.plan.pair_epsilon(shifts.actual, reached, delta=self.delta)
        return np.asarray(losses.max(axis=0))


def _counted(asked: _Losses, counting: _Counting, part: Dataset) -> _Counted:
    """Return what is kept of the losses of a part."""
    grid, levels = counting.grid, counting.levels
    values, shifts = asked.behind(part)
    groups = _GroupCounts.none(counting)
    # Where every row has an entry it is the row's own, and nobody has to look.
    every = shifts.people == part.rows
    rows = None if every else asked.question.rows(part)
    codes = None if counting.by is None else _codes(counting.by, part, rows)
    people, totals = 0, []
    counts, above = np.zeros(len(grid.edges) - 1), np.zeros(len(levels), dtype=np.intp)
    most = _Most(at=np.empty(0, dtype=np.intp), epsilon=np.empty(0))
    for found in asked.blocks(shifts):
        largest = _largest(found)
        epsilon = _within(found, largest, grid.end)
        counts += grid.counts(epsilon)
        above += np.fromiter((np.count_nonzero(epsilon > x) for x in levels), np.intp)
        totals.append(float(epsilon.sum()))
        most = most.joined_by(epsilon, first=people, largest=min(largest, grid.end))
        if codes is not None:
            groups.add(epsilon, codes[people : people + len(epsilon)], grid)
        people += len(epsilon)
    return _Counted(
        rows=part.rows,
        people=people,
        counts=counts,
        above=tuple(above.tolist()),
        total=math.fsum(totals),
        largest=_places(
            values,
            shifts,
            most.epsilon,
            rows=most.at if rows is None else rows[most.at],
            entries=most.at,
        ),
        groups=groups.cells,
        totals=groups.totals,
        most=groups.most,
    )


class _GroupCounts(NamedTuple):
    """How the people of each group were counted so far."""

    cells: FloatArray
    totals: FloatArray
    most: FloatArray

    @classmethod
    def none(cls, counting: _Counting) -> _GroupCounts:
        """Return those of nobody."""
        number = _number(counting.by)
        cells = np.zeros((number, len(counting.grid.edges) - 1))
        return cls(cells, np.zeros(number), np.zeros(number))

    def add(self, epsilon: FloatArray, codes: NDArray[np.int64], grid: Grid) -> None:
        """Count some people more."""
        for group in np.unique(codes):
            members = epsilon[codes == group]
            self.cells[group] += grid.counts(members)
            self.totals[group] += members.sum()
            self.most[group] = max(self.most[group], members.max())


class _Most(NamedTuple):
    """Those who lose most of the people looked at so far, most first."""

    at: NDArray[np.intp]
    epsilon: FloatArray

    def joined_by(self, epsilon: FloatArray, *, first: int, largest: float) -> _Most:
        """Return those who lose most of these people and later ones.

        ``first`` is the number of the first of the later ones, and ``largest`` their
        largest loss. Of those who are tied the earlier ones are kept.
        """
        full = len(self.at) == MOST_KEPT
        if full and largest <= self.epsilon[-1]:
            return self
        if full:
            rivals = np.flatnonzero(epsilon > self.epsilon[-1])
        else:
            # The first few rule out most of the others, and are soon looked through.
            rivals = np.flatnonzero(epsilon >= _least_kept(epsilon[:_FEW]))
        # Whoever is tied with the last who is kept, too.
        rivals = rivals[epsilon[rivals] >= _least_kept(epsilon[rivals])]
        at = np.concatenate([self.at, rivals + first])
        losses = np.concatenate([self.epsilon, epsilon[rivals]])
        order = np.argsort(-losses, kind="stable")[:MOST_KEPT]
        return _Most(at=at[order], epsilon=losses[order])


def _least_kept(epsilon: FloatArray) -> float:
    """Return the least loss of those that are kept of these people."""
    last = max(len(epsilon) - MOST_KEPT, 0)
    return float(np.partition(epsilon, last)[last])


def _largest(epsilon: FloatArray) -> float:
    """Return the largest loss of somebody.

    Raises:
        ParameterError: The statistic is no number for somebody, so there is none.

    """
    largest = float(epsilon.max())
    if math.isnan(largest):
        raise ParameterError("the statistic is undefined with one person less.")
    return largest


def _within(epsilon: FloatArray, largest: float, end: float) -> FloatArray:
    """Return the losses, with those beyond the grid by rounding put back to its end.

    Raises:
        ParameterError: Somebody loses more than that.

    """
    if largest <= end:
        return epsilon
    if largest > end * (1 + _SAME):
        raise ParameterError(
            f"somebody loses more than {_FARTHEST} times the guarantee, which is about "
            "another change. Ask about the change that the table is protected against."
        )
    return np.minimum(epsilon, end)


def _places(
    values: FloatArray,
    shifts: NeighborValues,
    epsilon: FloatArray,
    *,
    rows: NDArray[np.intp],
    entries: NDArray[np.intp],
) -> list[Place]:
    """Return some people of a part, with their losses, rows and entries in it."""
    if not len(entries):
        return []
    return [
        Place(
            row=int(row),
            epsilon=float(loss),
            shift=float(distance),
            values=tuple(np.atleast_1d(values[entry]).astype(float).tolist()),
        )
        for row, entry, loss, distance in zip(
            rows, entries, epsilon, shifts.distances(entries), strict=True
        )
    ]


def _number(by: Column | None) -> int:
    """Return how many groups there are, those of others and of no label included."""
    return 0 if by is None else len(by.labels) + 2


def _codes(by: Column, part: Dataset, rows: NDArray[np.intp] | None) -> NDArray[np.int64]:
    """Return the group of some rows of a part; those without a label come last."""
    codes = part.with_columns(by).codes(by.name)
    codes = codes if rows is None else codes[rows]
    return np.where(codes < 0, len(by.labels) + 1, codes)


def _groups(
    counts: FloatArray, counted: Sequence[_Counted], edges: FloatArray, by: Column
) -> tuple[GroupExposure, ...]:
    """Return a summary of each group that has people."""
    totals = [math.fsum(each) for each in np.array([c.totals for c in counted]).T]
    most = np.max([each.most for each in counted], axis=0)
    return tuple(
        GroupExposure(
            label=label,
            people=int(cells.sum()),
            mean=total / cells.sum(),
            median=min(_quantile(cells, edges, 0.5)[1], largest),
            ninth_decile=min(_quantile(cells, edges, 0.9)[1], largest),
            maximum=float(largest),
        )
        for label, cells, total, largest in zip(
            (*by.labels, "other", "missing"), counts, totals, most.tolist(), strict=True
        )
        if cells.any()
    )


def _quantile(counts: FloatArray, edges: FloatArray, q: float) -> tuple[float, float]:
    """Return the ends of the cell that a quantile of counted people is in."""
    rank = math.ceil(q * counts.sum() - _SAME)
    cell = int(np.searchsorted(np.cumsum(counts), rank, side="left"))
    return float(edges[cell]), float(edges[cell + 1])
