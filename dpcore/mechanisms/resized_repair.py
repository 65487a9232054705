"""The resized bootstrap repaired: a resample, and Laplace noise on its mean.

The noise alone would give ``level``-DP for one changed row of the *resample*. The
sample may hold a person's row several times, and mostly not at all: the number of times
is ``J ~ Bin(m, g/n)`` with ``g`` rows a unit. What that gives for the table is derived
here, pure and with a delta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from dpcore.errors import ParameterError
from dpcore.mechanisms.base import require_budget
from dpcore.mechanisms.resized_bootstrap import appearance
from dpcore.mechanisms.resized_profile import MOST_TRIALS, binomial, reach
from dpcore.privacy.conversions import pure_delta_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray

KEY, LABEL = "resized-repaired", "Resampled mean with Laplace noise"
LARGEST_LEVEL = 700.0
"""Levels beyond it leave the range of floats."""
_HALVINGS = 200
_SHRINK = 1 - 2.0**-48
_GRID = np.concatenate([[0.0], np.geomspace(1e-5, 1.0, 150)])
_NEARLY = 1e-4
_NEGLIGIBLE = 46.0


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
            message = f"the number of people must be at least 1, got {self.people}."
            raise ParameterError(message)
        if not 1 <= self.draws <= MOST_TRIALS:
            message = f"the number of draws must be in [1, 10^9], got {self.draws}."
            raise ParameterError(message)
        if self.rows < 1:
            message = f"rows a unit must be at least 1, got {self.rows}."
            raise ParameterError(message)
        if not 0 < self.level <= LARGEST_LEVEL:
            message = f"the level of the noise must be in (0, 700], got {self.level}."
            raise ParameterError(message)

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
        where that holds; else by halving, and always checked against ``epsilon``.
        """
        require_budget(epsilon, delta)
        one = cls(people=people, draws=draws, level=1.0, rows=rows, shares=shares)
        share = min(1.0, rows / people)
        closed = math.log1p(math.expm1(min(epsilon / draws, LARGEST_LEVEL)) / share)
        if delta == 0:
            level = min(closed, LARGEST_LEVEL)
            if not shares and epsilon > level:
                level = _largest(lambda t: one.at(t).stays_below(epsilon), level)
        else:
            level = min(closed, LARGEST_LEVEL)
            while level < LARGEST_LEVEL and one.at(level).gives(epsilon, delta):
                level = min(2 * level, LARGEST_LEVEL)
            level = _largest(lambda t: one.at(t).gives(epsilon, delta), level)
        found = one.at(max(level, math.ulp(0.0)))
        while not found.gives(epsilon, delta):
            found = one.at(found.level * _SHRINK)
        return found

    def at(self, level: float) -> Self:
        """Return the same with another level of the noise."""
        return replace(self, level=level)

    def gives(self, epsilon: float, delta: float) -> bool:
        """Tell whether it is (epsilon, delta)-DP, as far as is known here."""
        if delta == 0:
            return self.epsilon() <= epsilon
        return self.delta(epsilon) <= delta

    def stays_below(self, epsilon: float) -> bool:
        """Tell whether the general bound on the pure level is at most ``epsilon``."""
        return self._balance(1.0)(epsilon) <= 0

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
        return self._root(1.0, formula)

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
        most = self.epsilon()
        for index in needed[needed > 0]:
            levels[index] = min(most, self._root(float(_GRID[index]), 0.0, _NEARLY))
        return np.asarray(levels[place])

    def pair_epsilon(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
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
        ``j`` changed rows. Where the pure level promises less, that counts: few draws
        of many copies weigh little in it, and a small delta cannot cover them.

        Raises:
            ParameterError: ``epsilon`` is not in [0, inf).

        """
        if not 0 <= epsilon < math.inf:
            message = f"epsilon must be at least 0 and finite, got {epsilon}."
            raise ParameterError(message)
        # log(1 + expm1(epsilon)/tau), also where e^epsilon overflows.
        inner = epsilon + math.log1p(-math.expm1(-epsilon) * (1 / self.appears - 1))
        copies, weight = self._copies(self.level / 2)
        missing = np.minimum((inner - copies * self.level) / 2, 0.0)
        joint = math.fsum(weight * -np.expm1(missing))
        return min(self.appears, joint, float(pure_delta_of(self.epsilon(), epsilon)))

    def _copies(self, tilt: float) -> tuple[FloatArray, FloatArray]:
        """Return numbers of copies and their chances, as far as they matter.

        Also where the chances are weighted with up to ``e^(j tilt)``.
        """
        n, g = self.people, min(self.rows, self.people)
        share = g / n
        tilted = share / (share - (share - 1) * math.exp(-tilt))
        far = math.ceil(self.draws * tilted + reach(self.draws, tilted))
        law = binomial(self.draws, g, n)
        copies = np.arange(min(far, self.draws) + 1, dtype=np.float64)
        weight = np.zeros(len(copies))
        within = law.counts < len(copies)
        weight[law.counts[within].astype(np.intp)] = law.mass[within]
        return copies, weight

    def _balance(self, change: float) -> Callable[[float], float]:
        """Return the sum of ``change_epsilon`` over ``e^x``: no term overflows."""
        r = self.level
        copies, weight = self._copies(r)
        present = weight > 0
        copies, logs = copies[present], np.log(weight[present])
        largest = logs + copies * r
        kept = largest > largest.max() - _NEGLIGIBLE
        # No term is above ``w_j e^(j r - x)``: what is left out counts in full.
        rest = np.exp(np.minimum(largest[~kept], LARGEST_LEVEL)).sum()
        copies, logs = copies[kept], logs[kept]
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

    def _root(self, change: float, low: float, within: float = 0.0) -> float:
        """Return the root ``x`` of ``change_epsilon``, rounded up.

        By at most ``within``, as a share of the root.
        """
        sum_at = self._balance(change)
        high = max(low, change * self.draws * self.level)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if middle in {low, high} or high - low <= within * high:
                break
            if sum_at(middle) > 0:
                low = middle
            else:
                high = middle
        return high


def _largest(holds: Callable[[float], bool], high: float) -> float:
    """Return the largest level in (0, high] for which a promise holds, by halving."""
    if holds(high):
        return high
    low = 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in {low, high} or (low > 0 and high / low < 1 + 2.0**-50):
            break
        if holds(middle):
            low = middle
        else:
            high = middle
    return low
