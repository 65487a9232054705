"""How much a release reveals about each person: per-instance privacy loss.

The guarantee of a mechanism is the worst case over all tables. For the table at hand
the loss of person ``i`` is the privacy loss between two laws only: that of the release
with the person's record, and that without it or with another one (Wang 2019,
definition 2). It is a function of everybody's records and must not be published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.individual.losses import ExposedPerson, Losses
from dpcore.relations import NeighboringRelation
from dpcore.statistics.base import NeighborValues, Statistic


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Exposure(Losses):
    """Everybody's privacy loss from the release of a statistic. CONFIDENTIAL.

    Attributes:
        behind: Returns what the losses were worked out from: losses are kept while
            somebody looks at them, and what is behind them need not be.
        relation: Which tables are neighbors.
        delta: The delta that every epsilon here goes with.
        worst_case: The guarantee: the loss over all tables and people. Public.
        for_all: The most that anybody could lose, in this table or joining it with any
            record within the bounds.

    """

    behind: Callable[[], Behind] = field(repr=False)
    relation: NeighboringRelation
    delta: float
    worst_case: float
    for_all: float = field(repr=False)

    @property
    def values(self) -> FloatArray:
        """Return the values behind the statistic, shape ``(n,)`` or ``(n, d)``."""
        return self.behind().values

    @property
    def moves(self) -> Moves:
        """Return how everybody moves the statistic."""
        return self.behind().moves

    @property
    def shifts(self) -> NeighborValues:
        """Return where the statistic would lie without each person."""
        return self.moves.shifts

    def most_exposed(self, count: int = 10) -> tuple[ExposedPerson, ...]:
        """Return the people who lose most, most first; ties in the table's order."""
        entries = self.ranking(count)
        values, moves = self.behind()
        distances = moves.shifts.distances(entries)
        return tuple(
            ExposedPerson(
                entry=int(entry),
                value=float(np.atleast_1d(values[entry])[0]),
                shift=float(distance),
                epsilon=float(self.epsilon[entry]),
            )
            for entry, distance in zip(entries, distances, strict=True)
        )


class Moves(NamedTuple):
    """How everybody moves a statistic, whatever releases it. CONFIDENTIAL."""

    shifts: NeighborValues
    joined: FloatArray
    """Where the statistic would lie after a newcomer with an extreme record joined;
    see ``Statistic.neighbors_added``.
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


class Revealing(Protocol):
    """What a release reveals, whatever draws it."""

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta`` over all tables."""

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the epsilon at ``delta`` between two values of the statistic."""


def expose(
    plan: Revealing,
    statistic: Statistic,
    values: FloatArray,
    *,
    relation: NeighboringRelation,
    delta: float = 0.0,
    rows: int = 1,
    known: Moves | None = None,
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
        return plan.pair_epsilon(actual, alternatives, delta=delta)

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
    return Exposure(
        epsilon=epsilon,
        ordered=np.sort(epsilon),
        behind=lambda: behind,
        relation=relation,
        delta=delta,
        worst_case=worst_case,
        for_all=for_all,
    )


def _snapped(epsilon: FloatArray, worst_case: float) -> FloatArray:
    """Return the losses, with those above the worst case by rounding put back to it."""
    if not epsilon.max() > worst_case:
        return epsilon
    rounding = (epsilon > worst_case) & (epsilon <= worst_case * (1 + 1e-9))
    epsilon[rounding] = worst_case
    return epsilon
