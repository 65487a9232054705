"""The resized bootstrap: a small sample with replacement as the only noise.

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
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.resized.profile import MOST_TRIALS, ResamplePair

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

    >>> ResizedBootstrap.of_epsilon(100, 0.07).draws
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
                f"{self.people:,}, got {float(self.ratio):g}."
            )
        if self.draws > MOST_TRIALS:
            raise ParameterError(f"Z {float(self.ratio):g} takes more than 10^9 draws. Raise Z.")

    @classmethod
    def of_ratio(cls, people: int, ratio: float, *, rows: int = 1) -> Self:
        """Return the bootstrap of a typed ``Z``, by the decimal that it stands for."""
        return cls(people=people, ratio=_exact("Z", ratio), rows=rows)

    @classmethod
    def of_epsilon(cls, people: int, epsilon: float, *, rows: int = 1) -> Self:
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

    def epsilon(self, delta: float = 0.0, *, scores: int = 1) -> float:
        """Return the epsilon at ``delta``, over all tables and scores: 0 or ``inf``."""
        if not 0 <= delta <= 1:
            raise ParameterError(f"delta must be in [0, 1], got {delta}.")
        return 0.0 if delta >= self.delta(scores=scores) else math.inf

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

        ``log(1 - chance) / (m log(1 - 1/n))``, rounded up: for 95 % about ``3 Z``.

        >>> ResizedBootstrap.of_ratio(1000, 10).looks_until(0.95)
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
