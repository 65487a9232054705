"""Everybody's losses from a release about a table in parts, counted and not held.

Two passes over the parts: one for the statistic of the whole, and one for how far it
moves without each person of a part. Kept are counts on a fixed grid, the largest losses
with their places, and how many people lose more than some levels asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.statistics.blocks import ShiftBlocks
from dpcore.statistics.parts import ShiftsOfParts
from dpcore.statistics.question import part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.data.dataset import Dataset
    from dpcore.data.partitions.table import PartitionedDataset
    from dpcore.individual.exposure import Revealing
    from dpcore.statistics.base import Shifts
    from dpcore.statistics.question import Question

MOST_KEPT: Final = 10
"""Of how many of the most exposed people the places are kept."""
_CELLS: Final = 1_000
_SAME: Final = 1e-9


class Place(NamedTuple):
    """A person who loses much. CONFIDENTIAL."""

    row: int
    """Row of the table, from 0."""
    epsilon: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LossDistribution:
    """How many people lose how much from one release. CONFIDENTIAL.

    Attributes:
        worst_case: The guarantee: the loss over all tables and people. Public.
        edges: Ends of the cells of the grid, ascending from 0 to the worst case, all
            equally long, shape ``(k + 1,)``. Public.
        counts: Number of people whose loss is above an edge and at most the next; the
            first cell has those of no loss, too. Shape ``(k,)``.
        levels: Levels that were asked about, ascending. Public.
        above: Number of people who lose more than each level.
        people: Number of people who have a loss: those behind the statistic.
        total: All losses added up.
        most_exposed: Who loses most, most first; ties in the table's order.

    """

    worst_case: float
    edges: FloatArray = field(repr=False)
    counts: FloatArray = field(repr=False)
    levels: tuple[float, ...]
    above: tuple[int, ...] = field(repr=False)
    people: int = field(repr=False)
    total: float = field(repr=False)
    most_exposed: tuple[Place, ...] = field(repr=False)

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
            message = f"q must be above 0 and at most 1, got {q}."
            raise ParameterError(message)
        rank = math.ceil(q * self.people - _SAME)
        cell = int(np.searchsorted(np.cumsum(self.counts), rank, side="left"))
        upper = min(float(self.edges[cell + 1]), self.maximum)
        return float(self.edges[cell]), upper


def loss_distribution(
    plan: Revealing,
    question: Question,
    table: Dataset | PartitionedDataset,
    *,
    delta: float = 0.0,
    levels: Sequence[float] = (),
) -> LossDistribution:
    """Return how many people lose how much when ``plan`` answers a question.

    The loss of a person is that of ``exposure.expose``, of one row a person, under the
    relation of the question.

    Raises:
        DataError: Nobody has a value, or the table cannot be read.
        ParameterError: The statistic's shifts of some people need all others, is
            undefined without one of them, or has no finite worst case.

    """
    asked = _Losses.of(plan, question, table, delta=delta)
    worst = plan.worst_case(delta=delta)
    if not 0 < worst < math.inf:
        message = (
            "losses are counted up to the worst case, which has to be positive and "
            "finite."
        )
        raise ParameterError(message)
    edges = np.linspace(0.0, worst, _CELLS + 1)
    ordered = tuple(sorted(levels))
    counted = list(table.each(partial(_counted, asked, edges, ordered), asked.names))
    starts = np.cumsum([0, *(each.rows for each in counted)])
    places = [
        Place(row=int(start + row), epsilon=epsilon)
        for start, each in zip(starts, counted, strict=False)
        for row, epsilon in each.largest
    ]
    if not places:
        message = "nobody has a value, so nobody's privacy loss exists."
        raise DataError(message)
    return LossDistribution(
        worst_case=worst,
        edges=edges,
        counts=np.sum([each.counts for each in counted], axis=0),
        levels=ordered,
        above=tuple(np.sum([each.above for each in counted], axis=0).tolist()),
        people=sum(each.people for each in counted),
        total=math.fsum(each.total for each in counted),
        most_exposed=tuple(
            sorted(places, key=lambda place: (-place.epsilon, place.row))[:MOST_KEPT]
        ),
    )


def loss_of_row(
    plan: Revealing,
    question: Question,
    table: PartitionedDataset,
    row: int,
    *,
    delta: float = 0.0,
) -> float | None:
    """Return the loss of the person of a row, from 0; ``None`` if it has no value.

    CONFIDENTIAL. After the statistic of the whole only the person's part is read.

    Errors as for ``loss_distribution``; ParameterError also where there is no such row.
    """
    place, within = table.place_of(row)
    asked = _Losses.of(plan, question, table, delta=delta)
    part = table.part(place, asked.names)
    found = np.flatnonzero(question.rows(part) == within)
    return float(asked.each(part)[found[0]]) if len(found) else None


class _Counted(NamedTuple):
    """What is kept of the losses of a part."""

    rows: int
    people: int
    counts: FloatArray
    above: tuple[int, ...]
    total: float
    largest: list[tuple[int, float]]
    """Row of the part and loss of those who lose most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Losses:
    """The losses of people of a part, once the whole is known. CONFIDENTIAL."""

    plan: Revealing
    question: Question
    statistic: ShiftsOfParts[Any]
    whole: Any = field(repr=False)
    delta: float

    @classmethod
    def of(
        cls,
        plan: Revealing,
        question: Question,
        table: Dataset | PartitionedDataset,
        *,
        delta: float,
    ) -> _Losses:
        """Return them, after a pass over the table."""
        statistic = question.statistic
        if not isinstance(statistic, ShiftsOfParts) or question.unit.rows > 1:
            message = (
                f"everybody's loss from the {question.kind} is not computed of a table "
                "that lies in parts. Look at it with a sample of the rows, uploaded as "
                "a file."
            )
            raise ParameterError(message)
        names = [column.name for column in question.columns]
        parts = list(table.each(partial(part_of, question, statistic), names))
        return cls(
            plan=plan,
            question=question,
            statistic=statistic,
            whole=statistic.together(parts),
            delta=delta,
        )

    @property
    def names(self) -> list[str]:
        """Return the names of the columns that are read."""
        return [column.name for column in self.question.columns]

    def each(self, part: Dataset) -> FloatArray:
        """Return the loss of everybody behind the statistic in a part."""
        return np.concatenate([np.empty(0), *self.blocks(part)])

    def blocks(self, part: Dataset) -> Iterator[FloatArray]:
        """Yield the losses of everybody in a part, of a block of people at a time."""
        shifts = self.statistic.shifts_within(
            self.question.values(part), self.whole, self.question.relation
        )
        if isinstance(shifts, ShiftBlocks):
            yield from map(self._of_block, shifts.blocks())
        elif shifts.people:
            yield shifts.map(self._of_block)

    def _of_block(self, shifts: Shifts) -> FloatArray:
        losses = reduce(
            lambda one, other: np.maximum(one, other, out=one),
            (
                self.plan.pair_epsilon(shifts.actual, reached, delta=self.delta)
                for reached in np.moveaxis(shifts.alternatives, 1, 0)
            ),
        )
        # Where the statistic is no number there is no loss, and so no largest one.
        if np.isnan(losses.max()):
            message = "the statistic is undefined with one person less."
            raise ParameterError(message)
        return losses


def _counted(
    asked: _Losses, edges: FloatArray, levels: tuple[float, ...], part: Dataset
) -> _Counted:
    """Return what is kept of the losses of a part."""
    people, totals = 0, []
    counts, above = np.zeros(len(edges) - 1), np.zeros(len(levels), dtype=np.intp)
    most = _Most(at=np.empty(0, dtype=np.intp), epsilon=np.empty(0))
    for found in asked.blocks(part):
        epsilon = _within(found, edges[-1])
        counts += _in_cells(epsilon, edges)
        above += np.fromiter((np.count_nonzero(epsilon > x) for x in levels), np.intp)
        totals.append(float(epsilon.sum()))
        most = most.joined_by(epsilon, first=people)
        people += len(epsilon)
    # Where every row has an entry it is the row's own, and nobody has to look.
    every = people == part.rows
    rows = most.at if every else asked.question.rows(part)[most.at]
    return _Counted(
        rows=part.rows,
        people=people,
        counts=counts,
        above=tuple(above.tolist()),
        total=math.fsum(totals),
        largest=list(zip(rows.tolist(), most.epsilon.tolist(), strict=True)),
    )


class _Most(NamedTuple):
    """Those who lose most of the people looked at so far, most first."""

    at: NDArray[np.intp]
    epsilon: FloatArray

    def joined_by(self, epsilon: FloatArray, *, first: int) -> _Most:
        """Return those who lose most of these people and later ones.

        ``first`` is the number of the first of the later ones. Of those who are tied
        the earlier ones are kept.
        """
        full = len(self.at) == MOST_KEPT
        if full and epsilon.max() <= self.epsilon[-1]:
            return self
        more = epsilon > self.epsilon[-1] if full else np.ones(len(epsilon), dtype=bool)
        rivals = np.flatnonzero(more)
        if len(rivals) > MOST_KEPT:
            # Whoever is tied with the last who is kept, too.
            least = np.partition(epsilon[rivals], -MOST_KEPT)[-MOST_KEPT]
            rivals = rivals[epsilon[rivals] >= least]
        at = np.concatenate([self.at, rivals + first])
        losses = np.concatenate([self.epsilon, epsilon[rivals]])
        order = np.argsort(-losses, kind="stable")[:MOST_KEPT]
        return _Most(at=at[order], epsilon=losses[order])


def _within(epsilon: FloatArray, worst: float) -> FloatArray:
    """Return the losses, with those above the worst case by rounding put back to it."""
    if not epsilon.max() > worst:
        return epsilon
    rounding = (epsilon > worst) & (epsilon <= worst * (1 + _SAME))
    return np.where(rounding, worst, epsilon)


def _in_cells(epsilon: FloatArray, edges: FloatArray) -> FloatArray:
    """Return how many losses are above an edge and at most the next, exactly.

    Cells are equally long, so that a product tells the cell; but for losses so close to
    an edge that rounding might, for which a look at the edges does. Whoever is in the
    lower half of the first cell, or the upper half of the last, is not moved from it by
    rounding, and nobody looks: there may be many on the ends.
    """
    cells = len(edges) - 1
    place = epsilon * (cells / edges[-1])
    np.clip(place, 0.5, cells - 0.5, out=place)
    place += _SAME
    below = np.floor(place)
    near = below.astype(np.int32)
    place -= below
    close = np.flatnonzero(place <= 2 * _SAME)
    near[close] = np.searchsorted(edges, epsilon[close]) - 1
    return np.bincount(near, minlength=cells).astype(np.float64)
