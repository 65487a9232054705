"""The resized bootstrap repaired: a resample, and Laplace noise on its mean.

The noise alone would give ``level``-DP for one changed row of the *resample*. The
sample may hold a person's row several times, and mostly not at all: the number of times
is ``J ~ Bin(m, g/n)`` with ``g`` rows a unit. What that gives for the table is derived
here, pure and with a delta.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant
from dpcore.mechanisms.mechanism import require_budget
from dpcore.mechanisms.resized_bootstrap import MOST_TRIALS, appearance, binomial
from dpcore.privacy.conversions import pure_delta_of
from dpcore.privacy.halving import halved

KEY, LABEL = "resized-repaired", "Resampled mean with Laplace noise"
LARGEST_LEVEL = 700.0
"""Levels beyond it leave the range of floats."""
_NEGLIGIBLE = 46.0
_HALVINGS = 200
_CLOSE = 1e-10
_SHRINK = 1 - 2.0**-48
_GRID = np.concatenate([[0.0], np.geomspace(1e-5, 1.0, 150)])
_NEARLY = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyResample:
    """The mean of ``m`` rows drawn with replacement, plus Laplace noise.

    Attributes:
        people: How many rows ``n`` the table has. Public.
        draws: How many rows ``m`` are drawn.
        level: What the noise alone gives for one changed row of the resample: its
            epsilon ``R / (m b)``, ``R`` the width of the bounds, ``b`` the scale.
        rows: How many rows ``g`` one unit may own.
        shares: Whether all rows are 0 or 1, where the pure level is exact.

    Raises:
        ParameterError: A number lies outside its domain.

    >>> fixed = NoisyResample.calibrate(people=1000, draws=100, epsilon=0.1)
    >>> round(fixed.level, 12), round(fixed.scale(1.0), 12)
    (0.693397232648, 0.014421747779)

    """

    people: int
    draws: int
    level: float
    rows: int = 1
    shares: bool = False

    def __post_init__(self) -> None:
        if self.people < 1:
            raise ParameterError(f"the number of people must be at least 1, got {self.people}.")
        if not 1 <= self.draws <= MOST_TRIALS:
            raise ParameterError(f"the number of draws must be in [1, 10^9], got {self.draws}.")
        if self.rows < 1:
            raise ParameterError(f"rows a unit must be at least 1, got {self.rows}.")
        if not 0 < self.level <= LARGEST_LEVEL:
            raise ParameterError(f"the level of the noise must be in (0, 700], got {self.level}.")

    @classmethod
    def calibrate(
        cls,
        *,
        people: int,
        draws: int,
        epsilon: float,
        delta: float = 0.0,
        rows: int = 1,
        shares: bool = False,
    ) -> Self:
        """Return the least noise whose level at ``delta`` is at most ``epsilon``.

        At ``delta = 0`` in closed form, ``level = log(1 + n/g expm1(epsilon/m))``,
        where that holds; else by halving, and always checked against ``epsilon``. It
        depends on public numbers only, and what it took to find is remembered.

        Raises:
            ParameterError: A number lies outside its domain, or ``delta`` is not below
                the chance that a row is drawn: then no noise at all would do, and the
                rows that are drawn might be published.

        """
        require_budget(epsilon, delta)
        one = cls(people=people, draws=draws, level=1.0, rows=rows, shares=shares)
        if delta > 0 and delta >= one.appears:
            raise ParameterError(
                f"delta must be below the chance {significant(one.appears)} that somebody's "
                f"rows are drawn, got {in_full(delta)}: else they need not be hidden at all."
            )
        return one.at(_least_noise(one, float(epsilon), float(delta)))

    def at(self, level: float) -> Self:
        """Return the same with another level of the noise."""
        return replace(self, level=level)

    def gives(self, epsilon: float, delta: float) -> bool:
        """Tell whether it is (epsilon, delta)-DP, as far as is known here."""
        if delta == 0:
            return self.epsilon() <= epsilon
        if min(self.appears, self._joint_delta(epsilon)) <= delta:
            return True
        # The pure level at which (epsilon, delta) holds: (e^x - e^epsilon)/(1 + e^x).
        most = epsilon + math.log1p(delta * math.exp(-epsilon)) - math.log1p(-delta)
        share = min(1.0, self.rows / self.people)
        if self.draws * math.log1p(share * math.expm1(self.level)) > most:
            return False
        return self.delta(epsilon) <= delta

    def stays_below(self, epsilon: float) -> bool:
        """Tell whether the general bound on the pure level is at most ``epsilon``."""
        return self._drawn.balance(1.0)(epsilon) <= 0

    def scale(self, width: float) -> float:
        """Return the scale ``b = R / (m level)`` of the noise, ``R`` the ``width``."""
        return width / (self.draws * self.level)

    def variance(self, width: float, spread: ArrayLike) -> FloatArray:
        """Return ``s^2/m + 2 b^2``, ``s^2 = spread`` the variance of the rows."""
        rows = np.asarray(spread, dtype=np.float64) / self.draws
        return np.asarray(rows + 2 * self.scale(width) ** 2)

    @property
    def appears(self) -> float:
        """Return the probability that one unit's rows are drawn at least once."""
        return appearance(self.people, self.draws, rows=self.rows)

    @property
    def _drawn(self) -> DrawnCopies:
        ones = min(self.rows, self.people)
        return DrawnCopies.of(self.draws, ones, self.people, level=self.level)

    def epsilon(self) -> float:
        """Return the pure level over all tables.

        For 0/1 rows ``m log(1 + g/n expm1(level))``, exactly: the likelihood ratio is
        monotone, and largest at no ones and infinitely far out. For rows within bounds
        that formula holds as long as it does not exceed ``level``; else see
        ``change_epsilon``.
        """
        share = min(1.0, self.rows / self.people)
        formula = self.draws * math.log1p(share * math.expm1(self.level))
        if self.shares or formula <= self.level:
            return formula
        return self._drawn.root(1.0, formula)

    def change_epsilon(self, change: ArrayLike) -> FloatArray:
        """Return a pure level for tables in which one row differs by ``change``.

        ``change`` is in [0, 1], as a share of the width. Let ``w_j`` be the chance that
        the row is drawn ``j`` times, ``r`` the level and ``s = change r``. Whatever the
        other rows are, an output is at most ``e^(j r)`` times as likely with ``j``
        copies as with none, and at most ``e^(j s)`` times as with ``j`` copies of the
        other row. With these bounds alone the ratio of the two laws is at most ``e^x``,
        ``x`` the root of

            ``sum_j w_j max(e^(j r) (1 - e^(x - j s)), e^(-j r) (e^(j s) - e^x)) = 0``

        (each term takes the first form where ``j s > x``, the second elsewhere). At
        ``change = 1`` that is the guarantee. Between points of a grid the next larger
        change counts, so that nothing is understated.
        """
        changes = np.clip(np.asarray(change, dtype=np.float64), 0.0, 1.0)
        place = np.searchsorted(_GRID, changes)
        needed = np.flatnonzero(np.bincount(place.ravel(), minlength=len(_GRID)))
        levels = np.zeros(len(_GRID))
        most, drawn = self.epsilon(), self._drawn
        for index in needed[needed > 0]:
            levels[index] = min(most, drawn.root(float(_GRID[index]), 0.0, _NEARLY))
        return np.asarray(levels[place])

    def pairwise_epsilon(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return the exact pure level between two shares of ones, elementwise.

        ``m |log((1 + q E)/(1 + p E))|`` with ``E = expm1(level)``, or with ``E =
        expm1(-level)`` if that is more: the ratio infinitely far out on either side.
        """
        p, q = (np.asarray(share, dtype=np.float64) for share in (first, second))
        sides = [
            np.abs(np.log1p(q * factor) - np.log1p(p * factor))
            for factor in (math.expm1(self.level), math.expm1(-self.level))
        ]
        return np.asarray(self.draws * np.maximum(*sides))

    def delta(self, epsilon: float) -> float:
        """Return a delta at ``epsilon`` over all tables.

        Advanced joint convexity (Balle, Barthe and Gaboardi 2018, theorem 10): with
        ``e^epsilon = 1 + tau (e^x - 1)``, ``tau`` the chance to be drawn, at most
        ``sum_j w_j max(0, 1 - e^((x - j r)/2))``: what Laplace noise gives at ``x`` for
        ``j`` changed rows. Where the pure level guarantees less, that counts: few draws
        of many copies weigh little in it, and a small delta cannot cover them.

        Raises:
            ParameterError: ``epsilon`` is not in [0, inf).

        """
        if not 0 <= epsilon < math.inf:
            raise ParameterError(f"epsilon must be at least 0 and finite, got {epsilon}.")
        joint = self._joint_delta(epsilon)
        return min(self.appears, joint, float(pure_delta_of(self.epsilon(), epsilon)))

    def _joint_delta(self, epsilon: float) -> float:
        # log(1 + expm1(epsilon)/tau), also where e^epsilon overflows.
        inner = epsilon + math.log1p(-math.expm1(-epsilon) * (1 / self.appears - 1))
        law = binomial(self.draws, min(self.rows, self.people), self.people)
        missing = np.minimum((inner - law.counts * self.level) / 2, 0.0)
        return float(np.sum(law.mass * -np.expm1(missing)))


@lru_cache(maxsize=256)
def _least_noise(one: NoisyResample, epsilon: float, delta: float) -> float:
    """Return the level of ``NoisyResample.calibrate``."""
    share = min(1.0, one.rows / one.people)
    closed = math.log1p(math.expm1(min(epsilon / one.draws, LARGEST_LEVEL)) / share)
    level = min(closed, LARGEST_LEVEL)
    if delta > 0:
        while level < LARGEST_LEVEL and one.at(level).gives(epsilon, delta):
            level = min(2 * level, LARGEST_LEVEL)
        level = _largest(lambda t: one.at(t).gives(epsilon, delta), level)
    elif not one.shares and epsilon > level:
        level = _largest(lambda t: one.at(t).stays_below(epsilon), level)
    level = max(level, math.ulp(0.0))
    while not one.at(level).gives(epsilon, delta):
        level *= _SHRINK
    return level


def _largest(holds: Callable[[float], bool], high: float) -> float:
    """Return the largest level in (0, high] for which a guarantee holds, by halving."""
    if holds(high):
        return high
    low = 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in {low, high} or (low > 0 and high / low < 1 + _CLOSE):
            break
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnCopies:
    """Numbers of copies of a row that matter, with the chances of them.

    What noise that hides one copy at a level ``r`` gives for the table follows from the
    chances ``w_j`` of few and likely numbers of copies, and from those of many, which
    are rare and tell ``e^(j r)`` times as much.

    Attributes:
        draws: How many rows are drawn.
        level: What the noise gives for one copy.
        copies: Numbers of copies ``j``.
        logs: The logarithms of ``w_j``.

    """

    draws: int
    level: float
    copies: FloatArray
    logs: FloatArray

    @classmethod
    def of(cls, draws: int, ones: int, people: int, *, level: float) -> Self:
        """Return the copies of ``ones`` of ``people`` rows.

        Those that are likely, and those for which ``w_j e^(j level)`` is large: these
        two windows alone, of however many draws.
        """
        law = binomial(draws, ones, people)
        tilted = binomial(draws, ones, people, tilt=level)
        # All w_j e^(j level) together, of which the tilted law gives the parts.
        total = draws * math.log1p(ones / people * math.expm1(level))
        beyond = (tilted.counts < law.counts[0]) | (tilted.counts > law.counts[-1])
        with np.errstate(divide="ignore"):
            rare = np.log(tilted.mass[beyond]) + total - tilted.counts[beyond] * level
            logs = np.concatenate([np.log(law.mass), rare])
        copies = np.concatenate([law.counts, tilted.counts[beyond]])
        present = np.isfinite(logs)
        return cls(draws=draws, level=level, copies=copies[present], logs=logs[present])

    def balance(self, change: float) -> Callable[[float], float]:
        """Return the sum of ``NoisyResample.change_epsilon`` over ``e^x``.

        No term of it overflows.
        """
        r = self.level
        largest = self.logs + self.copies * r
        kept = largest > largest.max() - _NEGLIGIBLE
        kept |= self.logs > self.logs.max() - _NEGLIGIBLE
        # No term is above ``w_j e^(j r - x)``: what is left out counts in full.
        rest = np.exp(np.minimum(largest[~kept], LARGEST_LEVEL)).sum()
        copies, logs = self.copies[kept], self.logs[kept]
        s = change * copies * r

        def sum_at(x: float) -> float:
            above = s > x
            far, near = copies[above] * r, copies[~above] * r
            first = np.exp(np.minimum(logs[above] + far - x, LARGEST_LEVEL))
            second = np.exp(logs[~above] - near)
            gained = first * -np.expm1(x - s[above])
            lost = second * np.expm1(s[~above] - x)
            return float(gained.sum() + lost.sum() + rest * math.exp(-x))

        return sum_at

    def root(self, change: float, low: float, within: float = 0.0) -> float:
        """Return where ``balance`` is 0, not below ``low``, rounded up.

        By at most ``within``, as a share of the root.
        """
        sum_at = self.balance(change)
        high = max(low, change * self.draws * self.level)
        return halved(lambda x: sum_at(x) <= 0, low, high, within=within)[1]
