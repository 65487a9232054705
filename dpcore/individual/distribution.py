"""Everybody's losses from a release about a table in parts, counted and not held.

Two passes over the parts: one for the statistic of the whole, and one for how far it
moves without each person of a part. Kept are counts on a fixed grid, the largest losses
with their places, and how many people lose more than some levels asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.statistics.parts import ShiftsOfParts
from dpcore.statistics.question import part_of

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    counted = list(
        table.each(partial(_counted, asked, edges, worst, ordered), asked.names)
    )
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
        shifts = self.statistic.shifts_within(
            self.question.values(part), self.whole, self.question.relation
        )
        return np.empty(0) if shifts.people == 0 else shifts.map(self._of_block)

    def _of_block(self, shifts: Shifts) -> FloatArray:
        if np.isnan(shifts.alternatives).any():
            message = "the statistic is undefined with one person less."
            raise ParameterError(message)
        losses = [
            self.plan.pair_epsilon(shifts.actual, reached, delta=self.delta)
            for reached in np.moveaxis(shifts.alternatives, 1, 0)
        ]
        return cast("FloatArray", np.maximum.reduce(losses))


def _counted(
    asked: _Losses,
    edges: FloatArray,
    worst: float,
    levels: tuple[float, ...],
    part: Dataset,
) -> _Counted:
    """Return what is kept of the losses of a part."""
    epsilon = asked.each(part)
    # Above the worst case by rounding only.
    epsilon = np.where(
        (epsilon > worst) & (epsilon <= worst * (1 + _SAME)), worst, epsilon
    )
    rows = asked.question.rows(part)
    # Whoever is tied with the last who is kept, before ties are told apart by place.
    last = max(len(epsilon) - MOST_KEPT, 0)
    least = np.partition(epsilon, last)[last] if len(epsilon) else 0.0
    candidates = np.flatnonzero(epsilon >= least)
    order = np.argsort(-epsilon[candidates], kind="stable")
    largest = candidates[order[:MOST_KEPT]]
    return _Counted(
        rows=part.rows,
        people=len(epsilon),
        counts=_in_cells(epsilon, edges),
        above=tuple(int(np.count_nonzero(epsilon > level)) for level in levels),
        total=float(epsilon.sum()),
        largest=[(int(rows[at]), float(epsilon[at])) for at in largest],
    )


def _in_cells(epsilon: FloatArray, edges: FloatArray) -> FloatArray:
    """Return how many losses are above an edge and at most the next, exactly.

    Cells are equally long, so that a division tells the cell but for rounding, which a
    look at both of its ends puts right.
    """
    cells = len(edges) - 1
    near = np.ceil(epsilon * (cells / edges[-1])).astype(np.intp) - 1
    np.clip(near, 0, cells - 1, out=near)
    near += (epsilon > edges[near + 1]) & (near < cells - 1)
    near -= (epsilon <= edges[near]) & (near > 0)
    return np.bincount(near, minlength=cells).astype(np.float64)
