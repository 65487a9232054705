"""Closed forms that the two bounded Laplace mechanisms share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.mechanisms.laplace_law import scaled

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray, Interval

FLAT_BELOW = 1e-150
"""Width over scale below which the law equals its limit for infinite noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where true values lie in their bounds, in units of the scale.

    Attributes:
        nearest: The point of the bounds nearest to each value.
        a: Distance from there to the lower bound, over the scale.
        d: Distance from there to the upper bound, over the scale.
        outside: Distance from the value to the bounds, over the scale.

    """

    nearest: FloatArray
    a: FloatArray
    d: FloatArray
    outside: FloatArray


def place(position: ArrayLike, bounds: Interval, noise: float) -> Placement:
    """Return where ``position`` lies."""
    position = np.asarray(position, dtype=np.float64)
    nearest = bounds.clip(position)
    return Placement(
        nearest=nearest,
        a=scaled(nearest - bounds.lower, noise),
        d=scaled(bounds.upper - nearest, noise),
        outside=scaled(np.abs(position - nearest), noise),
    )


def is_flat(bounds: Interval, noise: float) -> bool:
    """Return whether the noise dwarfs the bounds, so that its limit law applies."""
    return bool(bounds.width == 0 or scaled(bounds.width, noise) < FLAT_BELOW)
