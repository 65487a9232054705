"""What every statistic says of itself: its value, and what a person can change.

A statistic is fixed by public numbers alone (bounds, table size, bins). Confidential
values are an argument of ``value`` and ``shifts`` and are clamped there, once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shifts:
    """Where the statistic would lie had one person's record been different.

    CONFIDENTIAL: computed from everybody's records.

    Attributes:
        actual: The statistic of the whole table, shape ``(k,)``.
        alternatives: Shape ``(m, a, k)``: for each of ``m`` kinds of people the ``a``
            values that the statistic can take instead. Removal has one; substitution
            has the lowest and the highest reachable value (between them the loss is
            smaller), or the moves to extreme cells for a histogram. NaN where the
            statistic is undefined without the person.
        kind: Shape ``(n,)``: which row of ``alternatives`` belongs to each person;
            ``None`` where person ``i`` has row ``i`` (then ``m == n``).

    """

    actual: FloatArray = field(repr=False)
    alternatives: FloatArray = field(repr=False)
    kind: NDArray[np.intp] | None = field(default=None, repr=False)

    @property
    def people(self) -> int:
        """Return the number of people."""
        return len(self.alternatives) if self.kind is None else len(self.kind)

    def of_people(self, per_kind: FloatArray) -> FloatArray:
        """Return one number per person from one number per kind of people."""
        return per_kind if self.kind is None else per_kind[self.kind]

    def map(self, of_kinds: Callable[[Shifts], FloatArray]) -> FloatArray:
        """Return one number per person from a function of all kinds of people."""
        return self.of_people(of_kinds(self))

    def distances(self, people: NDArray[np.intp] | None = None) -> FloatArray:
        """Return how far each of ``people`` (or everybody) can shift the statistic.

        The changes of all coordinates are added up.
        """
        if people is None:
            return self.of_people(self._of(slice(None)))
        return self._of(people if self.kind is None else self.kind[people])

    def _of(self, kinds: slice | NDArray[np.intp]) -> FloatArray:
        """Return how far some kinds of people can shift the statistic."""
        moved = np.abs(self.alternatives[kinds] - self.actual)
        return np.asarray(moved.sum(axis=-1).max(axis=-1))


class Statistic(Protocol):
    """A statistic of clamped values, described by public numbers.

    Implementations are frozen dataclasses.
    """

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each of the ``k`` coordinates."""

    def value(self, values: FloatArray) -> FloatArray:
        """Return the statistic, shape ``(k,)``, of one entry of ``values`` a person.

        Raises:
            ParameterError: A value is missing, or is no cell or group that there is; or
                a public size is not met.

        """

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the statistic, over all tables."""

    @property
    def range(self) -> Interval:
        """Return the public interval that contains every coordinate."""

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the statistic would move for each person."""

    def additions(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the statistic after one more person joins, shape ``(c, k)``.

        One row for each extreme record the newcomer may have; ``c`` is 0 where the
        relation and the size leave no room for a newcomer. CONFIDENTIAL.
        """

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return a bound on the sampling standard deviation at a public estimate.

        It treats the table as a simple random sample from a population, and uses only
        the public numbers and ``estimate`` (never the confidential values).
        """


class OfNumbers(Statistic, Protocol):
    """A statistic of the numbers of one column."""

    def raw(self, values: FloatArray) -> FloatArray:
        """Return what people mean by its name, shape ``(1,)``. CONFIDENTIAL.

        Of ``values`` as they are, shape ``(n, 1)``: no bounds, no public minimum. The
        caller silences what NumPy says where it is not defined.
        """
