"""How much a release reveals about each person: per-instance privacy loss.

The guarantee of a mechanism is the worst case over all tables. For the table at hand
the loss of person ``i`` is the privacy loss between two laws only: that of the release
with the person's record, and that without it or with another one (Wang 2019,
definition 2). It is a function of everybody's records and must not be published.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.individual import summaries
from dpcore.individual.summaries import ExposedPerson, GroupExposure
from dpcore.statistics.blocks import ShiftBlocks, shifts_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.relations import NeighboringRelation
    from dpcore.statistics.base import Shifts, Statistic


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Exposure:
    """Everybody's privacy loss from one release. CONFIDENTIAL.

    Attributes:
        epsilon: Loss of each person, shape ``(n,)``.
        ordered: The same losses, ascending: sorted once, read by every summary.
        values: The values behind the statistic, shape ``(n,)`` or ``(n, d)``.
        shifts: Where the statistic would lie without each person.
        relation: Which tables are neighbors.
        delta: The delta that every epsilon here goes with.
        worst_case: The guarantee: the loss over all tables and people. Public.
        for_all: The most that anybody could lose, in this table or joining it with any
            record within the bounds.

    """

    epsilon: FloatArray = field(repr=False)
    ordered: FloatArray = field(repr=False)
    values: FloatArray = field(repr=False)
    shifts: Shifts | ShiftBlocks = field(repr=False)
    relation: NeighboringRelation
    delta: float
    worst_case: float
    for_all: float = field(repr=False)

    @property
    def people(self) -> int:
        """Return the number of people."""
        return len(self.epsilon)

    @property
    def maximum(self) -> float:
        """Return the largest loss of a person in the table."""
        return float(self.ordered[-1])

    @property
    def mean(self) -> float:
        """Return the mean loss."""
        return float(self.epsilon.mean())

    def quantiles(self, q: ArrayLike) -> FloatArray:
        """Return the smallest losses that at least a share ``q`` of people stay within.

        An inverted distribution function: no interpolation, so infinities are safe.
        """
        # Just below a whole rank only for the rounding of the product.
        ranks = np.ceil(np.asarray(q) * self.people - 1e-9).astype(np.intp)
        return np.asarray(self.ordered[np.clip(ranks - 1, 0, self.people - 1)])

    def moment(self, order: float) -> float:
        """Return ``(mean of epsilon^order)^(1 / order)`` (Wang 2019, definition 7).

        Scaled by the maximum ``M``, ``M (mean of (epsilon / M)^order)^(1 / order)``, so
        that no power overflows.

        Raises:
            ParameterError: Unless ``order`` is positive.

        """
        if not order > 0:
            message = f"the order of a moment must be positive, got {order}."
            raise ParameterError(message)
        largest = self.maximum
        if largest == 0 or np.isinf(largest) or np.isinf(order):
            return largest
        powers = (self.epsilon / largest) ** order
        return largest * float(powers.mean() ** (1 / order))

    def exceeding(self, threshold: float) -> float:
        """Return the share of people who lose more than ``threshold``."""
        within = np.searchsorted(self.ordered, threshold, side="right")
        return float(1 - within / self.people)

    def ecdf(self, points: int = 500) -> tuple[FloatArray, FloatArray]:
        """Return losses, ascending, and the share of people at or below each.

        At most ``points`` of them, equally far apart in share, the largest included.
        """
        ranks = np.linspace(0, self.people, min(points, self.people) + 1)[1:]
        losses = self.ordered[np.ceil(ranks).astype(np.intp) - 1]
        within = np.searchsorted(self.ordered, losses, side="right")
        return losses, within / self.people

    def histogram(self, edges: FloatArray) -> NDArray[np.intp]:
        """Return how many people lose more than an edge and at most the next.

        ``edges`` ascend; people below the first or above the last are not counted.
        """
        return np.diff(np.searchsorted(self.ordered, edges, side="right"))

    def by_group(
        self, codes: NDArray[np.int64], labels: tuple[str, ...]
    ) -> tuple[GroupExposure, ...]:
        """Return a summary for each group that has people, in the order of ``labels``.

        ``codes`` holds each person's index into ``labels``; ``len(labels)`` stands for
        "other" and -1 for "missing".

        Raises:
            ParameterError: Unless there is one code a person.

        """
        if len(codes) != self.people:
            message = f"{self.people} people need as many codes, got {len(codes)}."
            raise ParameterError(message)
        return summaries.by_group(self.epsilon, codes, labels)

    def most_exposed(self, count: int = 10) -> tuple[ExposedPerson, ...]:
        """Return the people who lose most, most first; ties in the table's order."""
        count = min(count, self.people)
        threshold = np.partition(self.epsilon, self.people - count)[-count]
        candidates = np.flatnonzero(self.epsilon >= threshold)
        order = np.argsort(-self.epsilon[candidates], kind="stable")
        entries = candidates[order[:count]]
        distances = self.shifts.distances(entries)
        return tuple(
            ExposedPerson(
                entry=int(entry),
                value=float(np.atleast_1d(self.values[entry])[0]),
                shift=float(distance),
                epsilon=float(self.epsilon[entry]),
            )
            for entry, distance in zip(entries, distances, strict=True)
        )


class Revealing(Protocol):
    """What a release reveals, whatever draws it."""

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta`` over all tables."""
        ...

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the epsilon at ``delta`` between two values of the statistic."""
        ...


def expose(
    plan: Revealing,
    statistic: Statistic,
    values: FloatArray,
    *,
    relation: NeighboringRelation,
    delta: float = 0.0,
    rows: int = 1,
    shifts: Shifts | ShiftBlocks | None = None,
) -> Exposure:
    """Return everybody's privacy loss when ``plan`` releases ``statistic``.

    The loss of a person is ``plan.pair_epsilon`` between the statistic of the
    table and its value without the person's record (add/remove), or the larger loss
    of the extreme values that it takes with another record (substitution).

    Where one unit may own ``rows`` rows, nothing in the table says which rows belong
    together; the loss is that of a unit whose rows all shift the statistic as this one
    does: ``rows`` times the shift, within the statistic's range.

    ``relation`` says which change the losses are about. It may differ from the one that
    the plan and so the guarantee are about, and then a loss may exceed the
    guarantee; with a public number of people a neighbor then divides by its own.

    Args:
        plan: What is released, and how.
        statistic: The statistic, as ``Query.statistic``.
        values: One value for each person, as ``Query.values``.
        relation: Which change of a person's record the losses are about.
        delta: The delta that the losses go with.
        rows: How many rows one unit may own.
        shifts: ``shifts_of(statistic, values, relation)``, where it is known already.

    Raises:
        DataError: If nobody has a value.
        ParameterError: If the statistic is undefined without one of the people.

    """
    if len(values) == 0:
        message = "nobody has a value, so nobody's privacy loss exists."
        raise DataError(message)
    if shifts is None:
        shifts = shifts_of(statistic, values, relation)
    actual = shifts.actual

    def loss(alternatives: FloatArray) -> FloatArray:
        if rows > 1:
            moved = actual + rows * (alternatives - actual)
            alternatives = statistic.range.clip(moved)
        return plan.pair_epsilon(actual, alternatives, delta=delta)

    def losses(block: Shifts) -> FloatArray:
        if np.isnan(block.alternatives).any():
            message = "the statistic is undefined with one person less."
            raise ParameterError(message)
        # One alternative after the other, so that few arrays of n are alive at a time.
        largest = loss(block.alternatives[:, 0])
        for column in range(1, block.alternatives.shape[1]):
            np.maximum(largest, loss(block.alternatives[:, column]), out=largest)
        return largest

    worst_case = plan.worst_case(delta=delta)
    epsilon = (
        _snapped(shifts.map(losses), worst_case)
        if isinstance(shifts, ShiftBlocks)
        else shifts.of_people(_snapped(losses(shifts), worst_case))
    )
    for_all = float(epsilon.max())
    joined = statistic.additions(values, relation)
    if len(joined):
        for_all = max(for_all, float(_snapped(loss(joined), worst_case).max()))
    return Exposure(
        epsilon=epsilon,
        ordered=np.sort(epsilon),
        values=values,
        shifts=shifts,
        relation=relation,
        delta=delta,
        worst_case=worst_case,
        for_all=for_all,
    )


def _snapped(epsilon: FloatArray, worst_case: float) -> FloatArray:
    """Return the losses, with those above the worst case by rounding put back to it."""
    rounding = (epsilon > worst_case) & (epsilon <= worst_case * (1 + 1e-9))
    return np.where(rounding, worst_case, epsilon)
