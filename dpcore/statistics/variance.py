"""Variance and standard deviation, with divisor n - 1 or n."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.checks import (
    alternatives,
    can_join,
    check_bounds,
    check_people,
    numeric,
    own_divisor,
)
from dpcore.statistics.statistic import Moments, NeighborValues, NumericStatistic

DIVISORS: Final = {0: "n", 1: "n - 1"}
"""What the sum of squares is divided by, in words, for each ``ddof``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variance(NumericStatistic):
    """Variance of everybody's value, clamped to bounds of width ``R``.

    ``SS / (n - ddof)`` with ``SS`` the sum of squared distances from the mean. With a
    private number of people ``SS / (max(n, N) - ddof)``, ``N`` the public minimum.

    Sensitivity ``R^2 (n - 1) / (n (n - ddof))`` under either relation: ``R^2 / n`` for
    ``ddof = 1``, ``R^2 (n - 1) / n^2`` for ``ddof = 0``. With a private number it is
    that at ``N``: up to ``N`` people one person changes ``SS`` by at most
    ``R^2 (n - 1) / n``, and the divisor stays ``N - ddof``; above, it is the
    sensitivity at ``n > N``, which falls as n grows.

    Attributes:
        bounds: The public bounds.
        size: What is public about the number of people, at least ``2 + ddof``: the
            variance has to exist with one person left out.
        ddof: 1 for the unbiased variance, 0 for that of the people in the table.

    >>> from dpcore.relations import TableSize
    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> Variance(bounds=bounds, size=TableSize(people=3, public=True)).value([1, 2, 3])
    array([1.])

    """

    bounds: Interval
    size: TableSize
    ddof: int = 1

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        if self.ddof not in DIVISORS:
            raise ParameterError(f"ddof must be 0 (divide by n) or 1 (by n - 1), got {self.ddof}.")
        if self.size.people < 2 + self.ddof:
            raise ParameterError(
                "the variance and standard deviation with divisor "
                f"{DIVISORS[self.ddof]} need at least {2 + self.ddof} rows, got "
                f"{self.size.people}."
            )

    labels = ("variance",)
    neighbors_of_parts: ClassVar[bool] = False

    @property
    def range(self) -> Interval:
        """Return ``[0, R^2 floor(n^2 / 4) / (n (n - ddof))]``.

        The largest variance has half of the people at either bound. For ``ddof = 1`` it
        falls as n grows, so that a private number of people has it at its public
        minimum; for ``ddof = 0`` it is ``R^2 / 4`` at every even n, and less at odd n.
        """
        n = self.size.people
        largest = (n * n // 4) / (n * (n - self.ddof))
        if self.ddof == 0 and not self.size.public:
            largest = 1 / 4
        return Interval(lower=0.0, upper=self.bounds.width**2 * largest)

    def partial(self, values: FloatArray) -> Moments:
        """Return mean and sum of squared distances from it of some people."""
        return self._deviations(values)[0]

    def finalize(self, whole: Moments) -> FloatArray:
        """Return the variance, shape ``(1,)``, of a whole table of such moments."""
        check_people(whole.people, self.size)
        return self._at(whole.sums, whole.people)

    def raw(self, values: FloatArray) -> FloatArray:
        """Return the variance of numbers as they are; NaN or infinite for too few."""
        away = values - values.sum(axis=0) / len(values)
        squares = (away.T @ away)[0]
        return np.asarray(squares / max(len(values) - self.ddof, 0))

    def sensitivity(
        self,
        relation: NeighboringRelation,  # noqa: ARG002 - the same for both, see above
    ) -> Sensitivity:
        """Return the most that one record can change the variance, over all tables."""
        n, square = self.size.people, self.bounds.width**2
        return Sensitivity.scalar(square / n if self.ddof else square * (n - 1) / (n * n))

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Moments | None = None
    ) -> NeighborValues:
        """Return where the variance would move for each person.

        With ``d`` the distance of a person from the mean ``m``, the others have
        ``SS' = SS - n d^2 / (n - 1)`` around ``m' = m - d / (n - 1)``, and a new value
        ``v`` makes it ``SS' + (v - m')^2 (n - 1) / n``: lowest at ``v = m'``, highest
        at the bound farther from it.
        """
        own, each = self._deviations(values)
        whole = whole or own
        n, others, squares = whole.people, max(whole.people - 1, 1), whole.sums
        actual = self.finalize(whole)
        rest = np.maximum(squares - each**2 * (n / others), 0.0)
        # A person who makes up nearly all of SS leaves rounding error behind, and there
        # can be two of them at most: compute what is left without them anew.
        for person in np.flatnonzero(rest < squares / 1000):
            remaining = np.delete(each, person)
            rest[person] = np.square(remaining - remaining.mean()).sum()
        rest_mean = whole.means[0, 0] - each / others
        reach = np.maximum(rest_mean, self.bounds.width - rest_mean)
        return NeighborValues.at_once(
            actual,
            alternatives(
                relation,
                self.size,
                removed=lambda: self._at(rest, n - 1),
                replaced=lambda: np.stack(
                    [self._at(rest, n), self._at(rest + reach**2 * ((n - 1) / max(n, 1)), n)]
                ),
            ),
        )

    def neighbors_added(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the variance after a person at a bound or at the mean joins."""
        if not can_join(relation, self.size):
            return np.empty((0, 1))
        moments = self.partial(values)
        check_people(moments.people, self.size)
        mean, squares, n = moments.means[0, 0], moments.sums, moments.people
        distances = np.array([mean, self.bounds.width - mean, 0.0])
        joined = self._at(squares + distances**2 * (n / (n + 1)), n + 1)
        return joined[:, np.newaxis]

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``sqrt(v (R^2 - v) / n + 2 v^2 / (n (n - 1)))``, a bound.

        The unbiased variance has variance ``(mu_4 - v^2) / n + 2 v^2 / (n (n - 1))``
        with ``mu_4 = E (x - mu)^4``; ``(x - mu)^2`` lies in ``[0, R^2]`` and has mean
        ``v``, so ``mu_4 - v^2 <= v (R^2 - v)`` (Bhatia and Davis 2000). With divisor n
        the statistic is ``(n - 1) / n`` times the unbiased one, and so is the bound.
        """
        v, n = self.range.clip(estimate) / self._shrinkage, self.size.people
        square = self.bounds.width**2
        unbiased = np.maximum(v * (square - v), 0.0) / n + 2 * v**2 / (n * (n - 1))
        return self._shrinkage * np.sqrt(unbiased)

    @property
    def _shrinkage(self) -> float:
        return (self.size.people - 1) / (self.size.people - self.ddof)

    def _deviations(self, values: FloatArray) -> tuple[Moments, FloatArray]:
        """Return the moments of people, and each one's distance from their mean."""
        # Measured from the lower bound, a large offset costs no digits.
        heights = self.bounds.clip(numeric(values)) - self.bounds.lower
        mean = 0.0
        if len(heights) > 0:
            mean = heights.mean()
            mean += (heights - mean).mean()
        each = heights - mean
        moments = Moments(
            counts=np.array([float(len(each))]),
            means=np.array([[mean]]),
            pairs=((0, 0),),
            sums=np.array([np.square(each).sum()]),
        )
        return moments, each

    def _at(self, squares: FloatArray, people: int) -> FloatArray:
        return squares / (own_divisor(self.size, people) - self.ddof)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardDeviation(Variance):
    """Square root of the variance, ``Variance``.

    Its sensitivity is the square root of that of the variance, ``R / sqrt(n)`` for
    ``ddof = 1``, because ``|sqrt(u) - sqrt(v)| <= sqrt(|u - v|)``, with equality where
    one of them is 0, as in the pair of tables that moves the variance most.
    """

    labels = ("standard deviation",)

    @property
    def range(self) -> Interval:
        """Return 0 to the square root of the largest variance."""
        return Interval(lower=0.0, upper=float(np.sqrt(self._variance.range.upper)))

    def raw(self, values: FloatArray) -> FloatArray:
        """Return the standard deviation of numbers as they are."""
        return np.sqrt(self._variance.raw(values))

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change it, over all tables."""
        return Sensitivity.scalar(float(np.sqrt(self._variance.sensitivity(relation).l1)))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return half of ``sqrt((R^2 - s^2) / n + 2 s^2 / (n (n - 1)))``.

        That of the variance over ``2 s``, which is the leading term for large n (delta
        method), not a strict bound.
        """
        v, n = np.square(self.range.clip(estimate)) / self._shrinkage, self.size.people
        spread = np.maximum(self.bounds.width**2 - v, 0.0) / n + 2 * v / (n * (n - 1))
        return np.sqrt(self._shrinkage * spread) / 2

    @property
    def _variance(self) -> Variance:
        return Variance(bounds=self.bounds, size=self.size, ddof=self.ddof)

    def _at(self, squares: FloatArray, people: int) -> FloatArray:
        return np.sqrt(squares / (own_divisor(self.size, people) - self.ddof))
