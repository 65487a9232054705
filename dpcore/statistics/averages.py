"""Means, and proportions as means of 0/1 memberships."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics.tables import numeric, own_divisor
from dpcore.statistics.totals import FunctionOfTotal, Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean(FunctionOfTotal):
    """Mean of everybody's value, clamped to ``[c0, c1]`` of width ``R``.

    With a public number of people it is the plain mean. With a private one it is
    ``c + sum(x - c) / max(n, N)`` with ``c`` the middle of the bounds and ``N`` the
    public minimum: the plain mean from ``N`` people on, drawn to ``c`` below.

    Sensitivity with a private number, over all tables:

    * one person more or less: up to ``N`` people ``|x - c| / N <= R / (2 N)``; above,
      ``|x - mean of the others| / n <= R / n``, so ``R / (N + 1)``, which is larger;
    * one record replaced: ``R / max(n, N) <= R / N``, and a record that loses its value
      counts as removed, which is less.

    >>> from dpcore.relations import TableSize
    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> Mean(bounds=bounds, size=TableSize(people=3, public=True)).value([1, 2, 99])
    array([4.33333333])
    >>> Mean(bounds=bounds, size=TableSize(people=6, public=False)).value([1, 2, 99])
    array([4.66666667])

    """

    labels = ("mean",)

    @property
    def range(self) -> Interval:
        """Return the bounds: a mean never leaves them."""
        return self.bounds

    def raw(self, values: FloatArray) -> FloatArray:
        """Return the mean of numbers as they are; NaN for nobody."""
        return np.asarray(values.sum(axis=0) / len(values))

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the mean, over all tables.

        Raises:
            ParameterError: If the only person of a public number can be removed.

        """
        people = self.size.people
        if relation is NeighboringRelation.ADD_REMOVE:
            if not self.size.public:
                return Sensitivity.scalar(self.bounds.width / (people + 1))
            if people == 1:
                raise ParameterError("the mean of one row is undefined without that row.")
        return Sensitivity.scalar(self.bounds.width / people)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``sqrt((m - c0)(c1 - m) / n)``, a bound at the public estimate m.

        A variable in ``[c0, c1]`` with mean ``m`` has at most that variance times n
        (Bhatia and Davis 2000). For a proportion it is exact. A private ``n`` is at
        least the public minimum; below it, the statistic is scaled down and the bound
        still holds.
        """
        mean = self.bounds.clip(estimate)
        spread = (mean - self.bounds.lower) * (self.bounds.upper - mean)
        return np.sqrt(spread / self.size.people)

    @property
    def _center(self) -> float:
        return self.bounds.lower + self.bounds.width / 2

    @property
    def _ends(self) -> Interval:
        return Interval(lower=-self.bounds.width / 2, upper=self.bounds.width / 2)

    def _terms(self, values: FloatArray) -> Terms:
        clamped = self.bounds.clip(numeric(values))
        clamped -= self._center
        return Terms(distinct=clamped)

    def _at(self, total: FloatArray, people: int) -> FloatArray:
        divisor = own_divisor(self.size, people)
        if divisor == 0:
            return np.full_like(total, np.nan)
        total /= divisor
        total += self._center
        # Rounding could leave the bounds by a last digit.
        return np.clip(total, self.bounds.lower, self.bounds.upper, out=total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportion(Mean):
    """Share of members; ``values`` are 1 for a member and 0 for anybody else.

    It is the mean of the memberships, with bounds ``[0, 1]``.
    """

    bounds: Interval = field(default=Interval(lower=0.0, upper=1.0), init=False)

    labels = ("proportion",)
    _alike = True

    def _terms(self, values: FloatArray) -> Terms:
        return Terms.of_membership(values, center=self._center)
