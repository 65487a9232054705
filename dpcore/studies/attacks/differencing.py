"""Differencing: two totals, one before and one after somebody moved in.

The difference of two exact totals is the newcomer's value. Behind Laplace noise of
scale ``b`` on each total it is that value plus the difference ``D`` of two Laplace
draws, of which ``P(|D| > t) = e^(-t/b) (1 + t/(2 b))``. The newcomer is in one of the
two tables only, and loses the epsilon of one release; whoever is in both loses it
twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.mechanism import require_budget
from dpcore.privacy.halving import halved
from dpcore.studies.attacks.targets import Target

LEVEL: Final = 0.95
_FAR = 60.0


def outside(distance: ArrayLike, scale: float) -> FloatArray:
    """Return how likely two Laplace draws differ by more than a distance.

    >>> float(outside(0.0, 1.0)), round(float(outside(2.0, 1.0)), 6)
    (1.0, 0.270671)
    """
    t = np.asarray(distance, dtype=np.float64) / scale
    return np.asarray(np.exp(-t) * (1 + t / 2))


def reach(scale: float, level: float = LEVEL) -> float:
    """Return how far the difference reaches with probability ``level``.

    >>> round(reach(1.0), 4)
    4.113
    """
    _, high = halved(lambda t: float(outside(t, 1.0)) <= 1 - level, 0.0, _FAR)
    return high * scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Differencing:
    """What an attacker makes of the totals before and after. CONFIDENTIAL.

    Attributes:
        truth: The newcomer's value, within the bounds.
        before: The exact total without the newcomer.
        after: The exact total with the newcomer.
        noisy_before: What is released privately without the newcomer.
        noisy_after: What is released privately with the newcomer.
        scale: Scale of the Laplace noise on each total. Public.
        bounds: What a value can be. Public.

    """

    truth: float = field(repr=False)
    before: float = field(repr=False)
    after: float = field(repr=False)
    noisy_before: float = field(repr=False)
    noisy_after: float = field(repr=False)
    scale: float
    bounds: Interval

    @property
    def exact(self) -> float:
        """Return the difference of the exact totals."""
        return self.after - self.before

    @property
    def private(self) -> float:
        """Return the difference of the private totals."""
        return self.noisy_after - self.noisy_before

    @property
    def interval(self) -> tuple[float, float]:
        """Return where the value lies with 95% confidence, by the private totals."""
        far = reach(self.scale)
        return self.private - far, self.private + far

    @property
    def left(self) -> float:
        """Return which share of all possible values the interval leaves, in [0, 1]."""
        low, high = self.bounds.clip(np.array(self.interval)).tolist()
        return float((high - low) / self.bounds.width)


def attack(
    target: Target, newcomer: int, *, epsilon: float, rng: np.random.Generator
) -> Differencing:
    """Return what the totals before and after a person moved in tell.

    Args:
        target: The people and their values.
        newcomer: Who moves in, from 0.
        epsilon: The price of each of the two private totals.
        rng: Draws the noise.

    Raises:
        ParameterError: ``epsilon`` is not in (0, inf), or there is no such person.

    """
    require_budget(epsilon)
    if not 0 <= newcomer < target.people:
        raise ParameterError(f"the person must be from 0 to {target.people - 1}, got {newcomer}.")
    scale = least_scale(target.largest, epsilon)
    after = math.fsum(target.amounts)
    before = math.fsum(np.delete(target.amounts, newcomer))
    first, second = rng.laplace(scale=scale, size=2)
    return Differencing(
        truth=float(target.amounts[newcomer]),
        before=before,
        after=after,
        noisy_before=before + float(first),
        noisy_after=after + float(second),
        scale=scale,
        bounds=target.bounds,
    )
