"""How often a resample holds a row, and what that makes of the noise on one copy.

The number of copies is ``J ~ Bin(m, g/n)``. What noise that hides one copy at a level
``r`` gives for the table follows from the chances ``w_j`` of few and likely numbers of
copies, and from those of many, which are rare and tell ``e^(j r)`` times as much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from dpcore.mechanisms.resized_profile import binomial

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.data.bounds import FloatArray

LARGEST_LEVEL = 700.0
"""Levels beyond it leave the range of floats."""
_HALVINGS = 200
_NEGLIGIBLE = 46.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnCopies:
    """Numbers of copies that matter, with the chances of them.

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
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if middle in {low, high} or high - low <= within * high:
                break
            if sum_at(middle) > 0:
                low = middle
            else:
                high = middle
        return high
