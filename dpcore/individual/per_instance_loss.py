"""How much a release reveals about each person: per-instance privacy loss.

The guarantee of a mechanism is the worst case over all tables. For the table at hand
the loss of person ``i`` is the privacy loss between two laws only: that of the release
with the person's record, and that without it or with another one (Wang 2019,
definition 2). It is a function of everybody's records and must not be published.

Of a table in parts nobody's loss is held: two passes over the parts, one for the statistic of
the whole, and one for how far it moves without each person of a part, count them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.analyses.base import Question, partial_of
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import DataError, InPartsError, ParameterError
from dpcore.individual.losses import (
    CELLS,
    MOST_KEPT,
    SAME,
    CountedPart,
    ExposedPerson,
    GroupCounts,
    LossCount,
    Losses,
    LossGrid,
    counted_together,
)
from dpcore.relations import NeighboringRelation
from dpcore.statistics.statistic import NeighborValues, Statistic

_NUMBERS: Final = 1 << 17
"""Shifts in a block: twice as many as in memory, so that two threads wait for the
interpreter's lock half as often.
"""
_FARTHEST: Final = 20
"""Up to so many times the guarantee losses are counted that it is not about."""


class Revealing(Protocol):
    """What a release reveals, whatever draws it."""

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta`` over all tables."""

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the epsilon at ``delta`` between two values of the statistic."""


class Moves(NamedTuple):
    """How everybody moves a statistic, whatever releases it. CONFIDENTIAL."""

    shifts: NeighborValues
    joined: FloatArray
    """Where the statistic would lie after somebody with an extreme record joined; see
    ``Statistic.neighbors_added``.
    """

    @classmethod
    def of(cls, statistic: Statistic, values: FloatArray, relation: NeighboringRelation) -> Moves:
        """Return how everybody moves the statistic of a table."""
        shifts = statistic.neighbors(values, relation)
        return cls(shifts, statistic.neighbors_added(values, relation))


class Behind(NamedTuple):
    """What losses were worked out from. CONFIDENTIAL."""

    values: FloatArray
    """The values behind the statistic, shape ``(n,)`` or ``(n, d)``."""
    moves: Moves
    """How everybody moves it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatisticLosses(Losses):
    """Everybody's privacy loss from the release of a statistic, exactly. CONFIDENTIAL.

    Attributes:
        behind: Returns what the losses were worked out from: losses are kept while
            somebody looks at them, and what is behind them need not be.

    """

    behind: Callable[[], Behind] = field(repr=False)
    relation: NeighboringRelation

    @property
    def values(self) -> FloatArray:
        """Return the values behind the statistic, shape ``(n,)`` or ``(n, d)``."""
        return self.behind().values

    @property
    def shifts(self) -> NeighborValues:
        """Return where the statistic would lie without each person."""
        return self.behind().moves.shifts

    def most_exposed(self, count: int = MOST_KEPT) -> tuple[ExposedPerson, ...]:
        """Return the people who lose most, most first; ties in the table's order."""
        entries = self.ranking(count)
        values, moves = self.behind()
        return _exposed(values, moves.shifts, self.epsilon[entries], entries, entries)


def per_instance_losses(
    plan: Revealing,
    statistic: Statistic,
    values: FloatArray,
    *,
    relation: NeighboringRelation,
    delta: float = 0.0,
    rows: int = 1,
    known: Moves | None = None,
) -> StatisticLosses:
    """Return everybody's privacy loss when ``plan`` releases ``statistic``.

    The loss of a person is ``plan.pairwise_epsilon`` between the statistic of the
    table and its value without the person's record (add/remove), or the larger loss
    of the extreme values that it takes with another record (substitution).

    Where one unit may own ``rows`` rows, nothing in the table says which rows belong
    together; the loss is that of a unit whose rows all shift the statistic as this one
    does: ``rows`` times the shift, within the statistic's range.

    ``relation`` says which change the losses are about. It may differ from the one that
    the plan and so the guarantee are about, and then a loss may exceed the
    guarantee; with a public number of people a neighbor then divides by its own.

    ``known`` is how everybody moves the statistic, where that was found before.

    Raises:
        DataError: If nobody has a value.
        ParameterError: If the statistic is undefined without one of the people.

    """
    if len(values) == 0:
        raise DataError("nobody has a value, so nobody's privacy loss exists.")
    if known is None:
        known = Moves.of(statistic, values, relation)
    behind = Behind(values, known)
    shifts, joined = known
    actual = shifts.actual

    def loss(alternatives: FloatArray) -> FloatArray:
        if rows > 1:
            moved = actual + rows * (alternatives - actual)
            alternatives = statistic.range.clip(moved)
        return plan.pairwise_epsilon(actual, alternatives, delta=delta)

    def losses(block: NeighborValues) -> FloatArray:
        if np.isnan(block.alternatives).any():
            raise ParameterError("the statistic is undefined with one person less.")
        # One alternative after the other, so that few arrays of n are alive at a time.
        largest = loss(block.alternatives[:, 0])
        for column in range(1, block.alternatives.shape[1]):
            np.maximum(largest, loss(block.alternatives[:, column]), out=largest)
        return largest

    worst_case = plan.worst_case(delta=delta)
    epsilon = _snapped(shifts.map(losses), worst_case)
    for_all = float(epsilon.max())
    if len(joined):
        for_all = max(for_all, float(_snapped(loss(joined), worst_case).max()))
    return StatisticLosses(
        everybody=epsilon,
        ordered=np.sort(epsilon),
        behind=lambda: behind,
        relation=relation,
        delta=delta,
        worst_case=worst_case,
        for_all=for_all,
        certificate=for_all,
    )


def counted_losses(
    plan: Revealing,
    question: Question,
    table: Dataset | PartitionedDataset,
    *,
    delta: float = 0.0,
    relation: NeighboringRelation | None = None,
    by: Column | None = None,
) -> Losses:
    """Return how many people lose how much when ``plan`` answers a question.

    The loss of a person is that of ``per_instance_losses``, of one row a person, under a
    relation, which is that of the question unless another is asked for. ``by`` is the
    column of groups to be compared.

    Raises:
        DataError: Nobody has a value, or the table cannot be read.
        ParameterError: The statistic's shifts of some people need all others, is
            undefined without one of them, or has no finite worst case.

    """
    asked = _WholeStatistic.of(plan, question, table, delta=delta, relation=relation)
    worst = plan.worst_case(delta=delta)
    if not 0 < worst < math.inf:
        raise ParameterError(
            "losses are counted up to the worst case, which has to be positive and finite."
        )
    farthest = _FARTHEST if asked.relation is not question.relation else 1
    grid = LossGrid.of(end=farthest * worst, cells=farthest * CELLS)
    labels = () if by is None else (*by.labels, "other", "missing")
    names = asked.names if by is None else [*asked.names, by.name]
    parts: list[CountedPart] = []
    groups: list[GroupCounts] = []
    cells, start = np.zeros((len(labels), len(grid.edges) - 1)), 0
    for rows, part, of_groups in table.each(partial(_counted, asked, grid, by), names):
        most = (one._replace(entry=start + one.entry) for one in part.most)
        parts.append(part._replace(most=tuple(most)))
        start += rows
        if by is not None:
            # Of many groups the counts of one part are large, and are added up at once.
            cells = cells + of_groups.cells
            groups.append(of_groups._replace(cells=np.empty(0)))
    found = replace(counted_together(parts), worst_case=worst, delta=delta, relation=asked.relation)
    if by is None:
        return found
    totals = np.array([math.fsum(each) for each in np.array([g.totals for g in groups]).T])
    whole = GroupCounts(cells, totals, np.max([each.most for each in groups], axis=0))
    return replace(found, groups=whole.summaries(labels, grid.edges))


def person_of_row(
    plan: Revealing,
    question: Question,
    table: PartitionedDataset,
    row: int,
    *,
    delta: float = 0.0,
    relation: NeighboringRelation | None = None,
) -> ExposedPerson | None:
    """Return the person of a row, from 0; ``None`` if it has no value. CONFIDENTIAL.

    After the statistic of the whole only the person's part is read. Errors as for
    ``counted_losses``; ParameterError also where there is no such row.
    """
    place, within = table.place_of(row)
    asked = _WholeStatistic.of(plan, question, table, delta=delta, relation=relation)
    part = table.part(place, asked.names)
    found = np.flatnonzero(question.rows(part) == within)
    if not len(found):
        return None
    values, shifts = asked.behind(part)
    epsilon = np.concatenate([np.empty(0), *asked.blocks(shifts)])
    return _exposed(values, shifts, _defined(epsilon)[found], np.array([row]), found)[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _WholeStatistic:
    """The losses of people of a part, once the whole is known. CONFIDENTIAL."""

    plan: Revealing
    question: Question
    statistic: Statistic
    whole: Any = field(repr=False)
    names: list[str]
    """The columns that are read."""
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
    ) -> _WholeStatistic:
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
            names=names,
            delta=delta,
            relation=relation or question.relation,
        )

    def behind(self, part: Dataset) -> tuple[FloatArray, NeighborValues]:
        """Return the values of a part, and how they move the statistic."""
        values = self.question.values(part)
        return values, self.statistic.neighbors(values, self.relation, self.whole)

    def blocks(self, shifts: NeighborValues) -> Iterator[FloatArray]:
        """Yield the losses of everybody in a part, of a block of people at a time."""
        if shifts.in_blocks:
            yield from map(self._of_block, shifts.blocks(_NUMBERS))
        elif shifts.people:
            yield shifts.map(self._of_block)

    def _of_block(self, shifts: NeighborValues) -> FloatArray:
        reached = np.moveaxis(shifts.alternatives, 1, 0)
        losses = self.plan.pairwise_epsilon(shifts.actual, reached, delta=self.delta)
        return np.asarray(losses.max(axis=0))


def _counted(
    asked: _WholeStatistic, grid: LossGrid, by: Column | None, part: Dataset
) -> tuple[int, CountedPart, GroupCounts]:
    """Return the rows of a part, and what is kept of its people and groups."""
    values, shifts = asked.behind(part)
    # Where every row has an entry it is the row's own, and nobody has to look.
    rows = None if shifts.people == part.rows else asked.question.rows(part)
    count, codes = LossCount(grid=grid), np.empty(0, dtype=np.int64)
    groups = GroupCounts.of_nobody(0, grid)
    if by is not None:
        groups = GroupCounts.of_nobody(len(by.labels) + 2, grid)
        codes = part.with_columns(by).codes(by.name)
        codes = codes if rows is None else codes[rows]
        # Those without a label come last.
        codes = np.where(codes < 0, len(by.labels) + 1, codes)
    for found in asked.blocks(shifts):
        epsilon = _within(_defined(found), grid.end)
        if by is not None:
            groups.add(epsilon, codes[count.people : count.people + len(epsilon)], grid)
        count.add(epsilon)
    named = count.at if rows is None else rows[count.at]
    most = _exposed(values, shifts, count.most, named, count.at)
    return part.rows, count.part(most), groups


def _defined(epsilon: FloatArray) -> FloatArray:
    """Return the losses.

    Raises:
        ParameterError: The statistic is no number for somebody, so there is none.

    """
    if math.isnan(epsilon.max()):
        raise ParameterError("the statistic is undefined with one person less.")
    return epsilon


def _within(epsilon: FloatArray, end: float) -> FloatArray:
    """Return the losses, with those beyond the grid by rounding put back to its end.

    Raises:
        ParameterError: Somebody loses more than that.

    """
    largest = float(epsilon.max())
    if largest <= end:
        return epsilon
    if largest > end * (1 + SAME):
        raise ParameterError(
            f"somebody loses more than {_FARTHEST} times the guarantee, which is about "
            "another change. Ask about the change that the table is protected against."
        )
    return np.minimum(epsilon, end)


def _exposed(
    values: FloatArray,
    shifts: NeighborValues,
    epsilon: FloatArray,
    named: NDArray[np.intp],
    entries: NDArray[np.intp],
) -> tuple[ExposedPerson, ...]:
    """Return some people, how they are named, with what is behind their losses."""
    if not len(entries):
        return ()
    return tuple(
        ExposedPerson(
            entry=int(name),
            epsilon=float(loss),
            shift=float(distance),
            values=tuple(np.atleast_1d(values[entry]).astype(float).tolist()),
        )
        for name, entry, loss, distance in zip(
            named, entries, epsilon, shifts.distances(entries), strict=True
        )
    )


def _snapped(epsilon: FloatArray, worst_case: float) -> FloatArray:
    """Return the losses, with those above the worst case by rounding put back to it."""
    if not epsilon.max() > worst_case:
        return epsilon
    rounding = (epsilon > worst_case) & (epsilon <= worst_case * (1 + SAME))
    epsilon[rounding] = worst_case
    return epsilon
