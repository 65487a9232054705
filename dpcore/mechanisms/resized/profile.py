"""What a resample reveals about one row: the exact privacy profile of two binomials.

The number of ones among ``m`` draws with replacement is ``Bin(m, k/n)`` if ``k`` of
``n`` rows are ones. Two tables with different ``k`` are two such laws. Their likelihood
ratio increases with the number of ones that were drawn, so that every most powerful
test is a tail, and all sums here have terms of one sign.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy.halving import halved

MOST_TRIALS = 10**9
"""More draws than that are not summed over."""
_NATS = 745.0
"""Probabilities below ``e^-745`` are no floats."""


class Law(NamedTuple):
    """The binomial probabilities that are floats.

    Attributes:
        counts: Numbers of ones, ascending, without gaps.
        mass: Their probabilities.

    """

    counts: FloatArray
    mass: FloatArray


def reach(trials: int, share: float) -> float:
    """Return how far from its mean a binomial count strays, but for ``e^-745``.

    Bernstein's inequality: farther than ``t`` with probability at most
    ``2 exp(-t^2 / (2 (v + t/3)))``, ``v`` the variance.
    """
    variance = trials * share * (1 - share)
    third = _NATS / 3
    return third + math.sqrt(third * third + 2 * _NATS * variance) + 1


def binomial(trials: int, ones: int, rows: int, *, tilt: float = 0.0) -> Law:
    """Return the law of the number of ones in ``trials`` draws from ``rows`` rows.

    Its probabilities are weighted with ``e^(tilt c)``, and divided by their sum: that
    is the law of a count with other odds.

    From the most likely count outwards each probability is the one before it times
    ``(m - c) / (c + 1) * k / (n - k)``; logarithms of these ratios are added up, which
    is exact to a few units in the last digits where Gamma functions of large numbers
    are not.

    >>> binomial(2, 1, 2).mass.round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    if ones in {0, rows}:
        sure = np.array([0.0 if ones == 0 else float(trials)])
        return Law(counts=sure, mass=np.ones(1))
    odds = math.log(ones / (rows - ones)) + tilt
    share = 1 / (1 + math.exp(-odds))
    middle, far = trials * share, reach(trials, share)
    low, high = max(0, math.floor(middle - far)), min(trials, math.ceil(middle + far))
    counts = np.arange(low, high + 1, dtype=np.float64)
    steps = np.log((trials - counts[:-1]) / (counts[:-1] + 1)) + odds
    mode = min(max(math.floor((trials + 1) * share), low), high) - low
    logs = np.zeros(len(counts))
    logs[mode + 1 :] = np.cumsum(steps[mode:])
    logs[:mode] = -np.cumsum(steps[:mode][::-1])[::-1]
    mass = np.exp(logs)
    return Law(counts=counts, mass=mass / mass.sum())


@dataclass(frozen=True, kw_only=True)
class ResamplePair:
    """Two tables of 0/1 rows, and what a resample of each tells them apart by.

    Attributes:
        trials: How many rows are drawn, ``m``; for ``K`` scores ``K m``, since the
            draws of independent scores add up.
        rows: How many rows each table has, ``n``.
        ones: How many of them are ones in the table with fewer of them, ``k``.
        more: How many more are ones in the other table.

    Raises:
        ParameterError: A number lies outside its domain.

    """

    trials: int
    rows: int
    ones: int
    more: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.trials <= MOST_TRIALS:
            raise ParameterError(f"the number of draws must be in [0, 10^9], got {self.trials}.")
        if self.rows < 1:
            raise ParameterError(f"the number of rows must be at least 1, got {self.rows}.")
        if self.more < 1 or not 0 <= self.ones <= self.rows - self.more:
            raise ParameterError(
                "the ones of both tables must be in [0, n], and differ; got "
                f"{self.ones} and {self.ones + self.more} of {self.rows}."
            )

    @property
    def pure(self) -> tuple[float, float]:
        """Return the least pure epsilon of either direction, more ones first.

        ``m log((k + d)/k)`` if all draws are ones, ``m log((n - k)/(n - k - d))`` if
        none is, ``d = more``; infinite where the other table cannot have such draws.
        """
        if self.trials == 0:
            return 0.0, 0.0
        return self.trials * self._per_one, -self.trials * self._per_zero

    def deltas(self, epsilon: float) -> tuple[float, float]:
        """Return the exact delta at ``epsilon`` of either direction, more ones first.

        ``sum_c max(0, P(c) - e^epsilon Q(c))``, each term as ``-P(c) expm1(epsilon -
        log P(c)/Q(c))``, so that nothing cancels.

        Raises:
            ParameterError: ``epsilon`` is not in [0, inf).

        >>> round(ResamplePair(trials=5, rows=10, ones=0).deltas(2.0)[0], 9)
        0.40951

        """
        if not 0 <= epsilon < math.inf:
            raise ParameterError(f"epsilon must be at least 0 and finite, got {epsilon}.")
        return tuple(_excess(*side, epsilon) for side in self._sides)  # type: ignore[return-value] # two sides

    def delta(self, epsilon: float) -> float:
        """Return the exact delta at ``epsilon``, of the worse direction."""
        return max(self.deltas(epsilon))

    def epsilon(self, delta: float) -> float:
        """Return the least epsilon at which the tables are (epsilon, delta)-close.

        By halving: the profile decreases. ``inf`` where no epsilon is enough.

        Raises:
            ParameterError: ``delta`` is not in [0, 1].

        """
        if not 0 <= delta <= 1:
            raise ParameterError(f"delta must be in [0, 1], got {delta}.")
        return max(
            _least(side, level, delta) for side, level in zip(self._sides, self.pure, strict=True)
        )

    @property
    def laws(self) -> tuple[Law, Law]:
        """Return the law of the number of ones in either table, more ones first."""
        return (
            binomial(self.trials, self.ones + self.more, self.rows),
            binomial(self.trials, self.ones, self.rows),
        )

    @cached_property
    def _sides(self) -> tuple[tuple[FloatArray, FloatArray], ...]:
        """Mass and privacy loss of each count, from either table."""
        more, fewer = self.laws
        return ((more.mass, self._losses(more.counts)), (fewer.mass, -self._losses(fewer.counts)))

    @property
    def _per_one(self) -> float:
        return math.log1p(self.more / self.ones) if self.ones else math.inf

    @property
    def _per_zero(self) -> float:
        zeros = self.rows - self.ones
        return math.log1p(-self.more / zeros) if zeros > self.more else -math.inf

    def _losses(self, counts: FloatArray) -> FloatArray:
        """Return ``log P(c)/Q(c)``; counts that neither table can have do not occur."""
        with np.errstate(invalid="ignore"):
            ones = np.where(counts > 0, counts * self._per_one, 0.0)
            others = self.trials - counts
            zeros = np.where(others > 0, others * self._per_zero, 0.0)
        return np.asarray(ones + zeros)


def _excess(mass: FloatArray, loss: FloatArray, epsilon: float) -> float:
    beyond = loss > epsilon
    return float((mass[beyond] * -np.expm1(epsilon - loss[beyond])).sum())


def _least(side: tuple[FloatArray, FloatArray], level: float, delta: float) -> float:
    if delta == 0 or level == 0:
        return level
    mass, loss = side
    if _excess(mass, loss, 0.0) <= delta:
        return 0.0
    finite = loss[np.isfinite(loss)]
    high = float(finite.max(initial=0.0))
    if _excess(mass, loss, high) > delta:
        return math.inf
    return halved(lambda level: _excess(mass, loss, level) <= delta, 0.0, high)[1]
