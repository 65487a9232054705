"""What a resample reveals about one row: the exact privacy profile of two binomials.

The number of ones among ``m`` draws with replacement is ``Bin(m, k/n)`` if ``k`` of
``n`` rows are ones. Two tables with different ``k`` are two such laws. Their likelihood
ratio increases with the number of ones that were drawn, so that every most powerful
test is a tail, and all sums here have terms of one sign.

The resized bootstrap: a small sample with replacement as the only noise.

As published (Mount and Zumel 2015): of ``n`` rows draw ``m = ceil(n/Z)`` with
replacement, anew for every question, and answer with the score of these rows. Said to
be 1/Z-differentially private. It is not: no epsilon is enough.

Where the score shows whether a row was drawn, as the share of a trait does that one
person has and nobody else, the answer is proof with probability ``tau = 1 - (1 -
1/n)^m``, close to 1/Z, whatever the epsilon. So it is (0, tau)-DP, exactly, and
(epsilon, delta)-DP for no delta below tau.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
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


KEY, LABEL = "resized-published", "Resized bootstrap, as published"


def appearance(people: int, draws: int, *, rows: int = 1) -> float:
    """Return the probability ``tau`` that one unit's rows are drawn at least once.

    ``1 - (1 - g/n)^m`` with ``g`` rows a unit; 1 where all rows are the unit's.

    >>> round(appearance(1000, 100), 12), appearance(1, 1)
    (0.095207852886, 1.0)
    """
    if draws == 0:
        return 0.0
    if rows >= people:
        return 1.0
    return -math.expm1(draws * math.log1p(-rows / people))


@dataclass(frozen=True, slots=True, kw_only=True)
class ResizedBootstrap:
    """Answer with the score of ``m = ceil(n/Z)`` rows drawn with replacement.

    Attributes:
        people: How many rows ``n`` there are. Public.
        ratio: ``Z``, in (0, n), as an exact fraction: in floats 100 times 0.07 is more
            than 7, and one row too many would be drawn.
        rows: How many rows one unit may own.

    Raises:
        ParameterError: A number lies outside its domain.

    >>> ResizedBootstrap.from_epsilon(100, 0.07).draws
    7

    """

    people: int
    ratio: Fraction
    rows: int = 1

    def __post_init__(self) -> None:
        if self.people < 1:
            raise ParameterError(f"the number of people must be at least 1, got {self.people}.")
        if self.rows < 1:
            raise ParameterError(f"rows a unit must be at least 1, got {self.rows}.")
        if not 0 < self.ratio < self.people:
            raise ParameterError(
                f"Z must lie strictly between 0 and the number of people "
                f"{self.people:,}, got {in_full(float(self.ratio))}."
            )
        if self.draws > MOST_TRIALS:
            raise ParameterError(
                f"Z {in_full(float(self.ratio))} takes more than 10^9 draws. Raise Z."
            )

    @classmethod
    def from_ratio(cls, people: int, ratio: float, *, rows: int = 1) -> Self:
        """Return the bootstrap of a typed ``Z``, by the decimal that it stands for."""
        return cls(people=people, ratio=_exact("Z", ratio), rows=rows)

    @classmethod
    def from_epsilon(cls, people: int, epsilon: float, *, rows: int = 1) -> Self:
        """Return the bootstrap that claims a typed ``epsilon``: ``Z = 1/epsilon``."""
        exact = _exact("epsilon", epsilon)
        return cls(people=people, ratio=1 / exact, rows=rows)

    @property
    def draws(self) -> int:
        """Return ``m = ceil(n/Z)``. It is at least 1."""
        return math.ceil(self.people / self.ratio)

    @property
    def claimed_epsilon(self) -> float:
        """Return ``1/Z``, which the authors claim. It does not hold."""
        return float(1 / self.ratio)

    @property
    def claimed_appearance(self) -> float:
        """Return ``1/Z``, which the authors claim to bound ``appearance``.

        It does where ``Z`` divides ``n``; otherwise rounding up may exceed it.
        """
        return min(1.0, float(1 / self.ratio))

    @property
    def claimed_variance(self) -> float:
        """Return ``Z/n^2``, which the authors derive for a share.

        It is right, up to ``1 - 1/n``, for one person in ``n``, and for nobody else.
        """
        return float(self.ratio / self.people**2)

    @property
    def stated_variance(self) -> float:
        """Return ``Z/(epsilon n^2)``, which the authors' summary says instead."""
        return float((self.ratio / self.people) ** 2)

    def variance(self, share: ArrayLike) -> FloatArray:
        """Return the real variance ``p (1 - p) / m`` of a share ``p``."""
        p = np.asarray(share, dtype=np.float64)
        return np.asarray(p * (1 - p) / self.draws)

    def delta(self, epsilon: float = 0.0, *, scores: int = 1) -> float:
        """Return the delta at ``epsilon``, over all tables and scores: always ``tau``.

        Upper bound: with the same draws both tables give the same score unless the
        differing row is drawn. Attained by a trait that one person has: without that
        person the score cannot show it. ``scores`` independent ones are one with as
        many times the draws.
        """
        if not 0 <= epsilon < math.inf:
            raise ParameterError(f"epsilon must be at least 0 and finite, got {epsilon}.")
        return appearance(self.people, self._trials(scores), rows=self.rows)

    def epsilon(self, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta``, over all tables: 0 or ``inf``."""
        if not 0 <= delta <= 1:
            raise ParameterError(f"delta must be in [0, 1], got {delta}.")
        return 0.0 if delta >= self.delta() else math.inf

    @property
    def reverse_epsilon(self) -> float:
        """Return the pure epsilon that scores without the row give.

        ``-m log(1 - 1/n)``, slightly above 1/Z: this half of the claim nearly holds.
        """
        if self.rows >= self.people:
            return math.inf
        return -self.draws * math.log1p(-self.rows / self.people)

    def pair(self, ones: int, *, scores: int = 1, more: int = 1) -> ResamplePair:
        """Return two tables with ``ones`` and ``ones + more`` ones, under K scores.

        Raises:
            ParameterError: All scores together draw more than 10^9 rows.

        """
        trials = self._trials(scores)
        if trials > MOST_TRIALS:
            raise ParameterError(
                f"{scores:,} scores of {self.draws:,} rows each draw more than 10^9 "
                "rows together. Ask for fewer scores, or for a smaller sample."
            )
        return ResamplePair(trials=trials, rows=self.people, ones=ones, more=more)

    def around(self, ones: int, *, scores: int = 1) -> tuple[ResamplePair, ...]:
        """Return the pairs of a table with ``ones`` ones and each of its neighbors."""
        if not 0 <= ones <= self.people:
            raise ParameterError(f"the number of ones must be in [0, {self.people}], got {ones}.")
        return tuple(
            self.pair(start, scores=scores)
            for start in (ones - 1, ones)
            if 0 <= start < self.people
        )

    def looks_until(self, chance: float) -> int:
        """Return how many scores give proof with probability at least ``chance``.

        ``log(1 - chance) / (m log(1 - 1/n))``, rounded up: for 95% about ``3 Z``.

        >>> ResizedBootstrap.from_ratio(1000, 10).looks_until(0.95)
        30
        """
        if not 0 < chance < 1:
            raise ParameterError(f"the chance must lie between 0 and 1, got {chance}.")
        if self.rows >= self.people:
            return 1
        return max(1, math.ceil(math.log1p(-chance) / -self.reverse_epsilon))

    def recovered(self, ones: int, scores: int) -> float:
        """Return how likely the mean of ``scores`` shares rounds to the exact count.

        ``P(|n C/(m K) - k| < 1/2)`` with ``C ~ Bin(m K, k/n)``: the noise averages out.
        """
        trials, n = self._trials(scores), self.people
        if trials == 0:
            return 0.0
        if ones in {0, n}:
            return 1.0
        # All C with (2 k - 1) T < 2 n C < (2 k + 1) T, in whole numbers.
        least = ((2 * ones - 1) * trials) // (2 * n) + 1
        most = ((2 * ones + 1) * trials - 1) // (2 * n)
        below = bdtr(least - 1, trials, ones / n) if least > 0 else 0.0
        return max(0.0, float(bdtr(most, trials, ones / n) - below))

    def simulate(self, ones: int, *, rng: np.random.Generator, size: tuple[int, ...]) -> FloatArray:
        """Draw shares of ones in resamples, of shape ``size``. Not for real releases.

        ``ones`` of ``people`` rows are ones.
        """
        counts = rng.binomial(self.draws, ones / self.people, size=size)
        return np.asarray(counts / self.draws)

    def _trials(self, scores: int) -> int:
        if scores < 0:
            raise ParameterError(f"the number of scores must be at least 0, got {scores}.")
        return scores * self.draws


def _exact(name: str, number: float) -> Fraction:
    """Return the decimal that a person means by a float: the shortest one."""
    if not (math.isfinite(number) and number > 0):
        raise ParameterError(f"{name} must be positive and finite, got {number}.")
    return Fraction(repr(float(number)))
