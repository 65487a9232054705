"""Covariance of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.base import Shifts
from dpcore.statistics.parts import Moments
from dpcore.statistics.rows import numeric_rows
from dpcore.statistics.scatter import Scatter, largest_scatter
from dpcore.statistics.tables import alternatives, can_join, check_bounds, check_people, own_divisor

_FEWEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Covariance:
    """Covariance of two values of everybody, clamped to rectangular bounds.

    ``S / (n - 1)`` with ``S`` the sum of the products of both distances from the means;
    ``values`` has shape ``(n, 2)``. With a private number of people
    ``S / (max(n, N) - 1)``, ``N`` the public minimum.

    Sensitivity ``Rx Ry / n`` under either relation (Liu 2016), with a private number
    ``Rx Ry / N``. In the unit square, with ``a, b`` the means of the others:

    * a record ``(u, w)`` contributes ``(u - a)(w - b)(n - 1) / n`` to ``S``; over all
      records the products differ by at most 1, so one replaced record moves the
      covariance by at most ``1 / n``;
    * without the record it moves by ``(u - a)(w - b) / n - S' / ((n - 1)(n - 2))``.
      Mirrored so that the product is positive and at most ``a b``, and since
      ``S' >= (n - 1)(max(0, a + b - 1) - a b)`` (Fréchet), that is at most
      ``a b (1 / n + 1 / (n - 2)) - max(0, a + b - 1) / (n - 2)``. It is largest at
      ``a = b = 1`` (``1 / n``) or ``a = b = 1/2`` (less, for ``n >= 3``);
    * up to ``N`` people the divisor stays ``N - 1`` and ``S`` changes by at most
      ``(n - 1) / n``, which over ``N - 1`` is at most ``1 / N``.

    Everybody else in one corner and the record in the opposite one attain it.

    Attributes:
        bounds: The public bounds of the first and of the second value.
        size: What is public about the number of people, at least 3.

    >>> from dpcore.relations import TableSize
    >>> box = Interval(lower=0.0, upper=10.0), Interval(lower=0.0, upper=10.0)
    >>> three = TableSize(people=3, public=True)
    >>> Covariance(bounds=box, size=three).value([[1, 2], [2, 4], [3, 6]])
    array([2.])

    """

    bounds: tuple[Interval, Interval]
    size: TableSize

    def __post_init__(self) -> None:
        check_scatter(self.bounds, self.size)

    labels = ("covariance",)

    @property
    def range(self) -> Interval:
        """Return ``± Rx Ry floor(n^2 / 4) / (n (n - 1))``.

        It falls as n grows, so a private number has it at its public minimum.
        """
        n = self.size.people
        largest = self._area * (largest_scatter(n) / (n - 1))
        return Interval(lower=-largest, upper=largest)

    def value(self, values: FloatArray) -> FloatArray:
        """Return the covariance, shape ``(1,)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> Moments:
        """Return means and sums of products of some people."""
        return self._scatter(values).moments

    def together(self, parts: Sequence[Moments]) -> Moments:
        """Return means and sums of products of the people of all parts."""
        return Moments.together(parts)

    def of_whole(self, whole: Moments) -> FloatArray:
        """Return it of a whole table of such moments."""
        check_people(whole.people, self.size)
        return self._at(whole.sums, whole.people)

    def sensitivity(
        self,
        relation: NeighboringRelation,  # noqa: ARG002 - the same for both, see above
    ) -> Sensitivity:
        """Return the most that one record can change it, over all tables."""
        return Sensitivity.scalar(self._area / self.size.people)

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the covariance would move for each person.

        Another record moves it farthest from a corner of the bounds.
        """
        scatter = self._scatter(values)
        actual = self.of_whole(scatter.moments)
        n, everybody = scatter.people, slice(None)
        rest = scatter.without(everybody)[:, 0]
        low, high = scatter.added_instead(everybody)
        return Shifts(
            actual=actual,
            alternatives=alternatives(
                relation,
                self.size,
                removed=lambda: self._at(rest, n - 1),
                replaced=lambda: self._at(rest + np.stack([low[:, 0], high[:, 0]]), n),
            ),
        )

    def additions(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the lowest and highest covariance after a person joins."""
        if not can_join(relation, self.size):
            return np.empty((0, 1))
        scatter = self._scatter(values)
        check_people(scatter.people, self.size)
        joined = scatter.sums + np.concatenate(scatter.added_by_newcomer())
        return self._at(joined, scatter.people + 1)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``sqrt((M^2 / 12 - c^2 + (M^2 / 16 + c^2) / (n - 1)) / n)``.

        A bound, with ``M = Rx Ry``. The covariance of a random sample has variance
        ``(E z^2 - c^2) / n + (vx vy + c^2) / (n (n - 1))`` with ``z`` the product of
        both distances from the population's means. ``E z^2`` is at most the geometric
        mean of the fourth moments, each at most ``R^4 / 12``, and ``vx vy`` at most
        ``M^2 / 16`` (all of them for values at the bounds).
        """
        c, n = self.range.clip(estimate) / self._area, self.size.people
        spread = np.maximum(1 / 12 - c**2, 0.0) + (1 / 16 + c**2) / (n - 1)
        return np.asarray(self._area * np.sqrt(spread / n))

    @property
    def _area(self) -> float:
        return self.bounds[0].width * self.bounds[1].width

    def _scatter(self, values: FloatArray) -> Scatter:
        entries = numeric_rows(values, columns=2)
        return Scatter.of(entries, bounds=self.bounds, pairs=((0, 1),))

    def _at(self, sums: FloatArray, people: int) -> FloatArray:
        return sums / (own_divisor(self.size, people) - 1)


def check_scatter(bounds: tuple[Interval, ...], size: TableSize) -> None:
    """Refuse bounds or sizes for which no covariance exists.

    Raises:
        ParameterError: Unless the bounds are finite and there are at least 3 people.

    """
    for column in bounds:
        check_bounds(column)
    if size.people < _FEWEST:
        raise ParameterError(
            f"covariances need at least {_FEWEST} rows, so that they exist with one "
            f"left out, got {size.people}."
        )
