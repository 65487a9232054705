"""Bounded Laplace draws whose scale and bounds may differ from element to element.

A mechanism is fixed by one scale and one interval. A procedure that releases the parts
of a whole one after another narrows the interval with every release, and a simulation
study walks over many scales at once: both need the same laws, elementwise.

With ``w`` uniform on (-1, 1), ``position - sign(w) b log(1 - |w|)`` is a Laplace draw.
Clamping it gives the BIT law. Drawing ``w`` between ``-P_1(a)`` and ``P_1(d)`` only,
where ``P_1(t) = 1 - e^-t`` and ``a``, ``d`` are the distances to the bounds over ``b``,
gives the truncated law without a single rejection.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.laplace_law import one_minus_exp

_BELOW_ONE = float(np.nextafter(1.0, 0.0))


class Bounding(StrEnum):
    """How a release is kept within its bounds."""

    TRUNCATED = "truncated"
    INFLATED = "boundary inflated"


def draw(
    position: ArrayLike,
    *,
    noise: ArrayLike,
    bounding: Bounding,
    rng: np.random.Generator,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = 1.0,
) -> FloatArray:
    """Return one simulated release of every element; all arguments broadcast.

    Not for real releases: floating-point noise leaks.

    Args:
        position: Where the true values lie. One outside its bounds counts, for
            truncation, as the nearest point within, which has the same law.
        noise: The Laplace scales ``b``, in [0, inf).
        bounding: Redraw until inside, or clamp (Liu 2016, eq. 4 and 5).
        rng: Source of the simulation.
        lower: Lower bounds.
        upper: Upper bounds, none below its lower one.

    Raises:
        ParameterError: A scale is outside [0, inf), or bounds are in the wrong order.

    """
    position, noise, lower, upper = np.broadcast_arrays(
        np.asarray(position, dtype=np.float64), noise, lower, upper
    )
    if not np.all((noise >= 0) & (noise < np.inf)):
        raise ParameterError("the scale of the noise must be finite and at least 0.")
    if not np.all(lower <= upper):
        raise ParameterError("every lower bound must be at most its upper bound.")
    center = position
    below = above = np.ones(())
    if bounding is Bounding.TRUNCATED:
        center = np.clip(position, lower, upper)
        below = one_minus_exp(_over(center - lower, noise))
        above = one_minus_exp(_over(upper - center, noise))
    w = rng.random(position.shape) * (below + above) - below
    tail = np.log1p(-np.minimum(np.abs(w), _BELOW_ONE))
    return np.asarray(np.clip(center + np.copysign(noise * tail, w), lower, upper))


def _over(length: FloatArray, noise: FloatArray) -> FloatArray:
    """Return ``length / noise``, elementwise; without noise 0 or infinity."""
    without = np.where(length > 0, np.inf, 0.0)
    with np.errstate(over="ignore"):
        return np.divide(length, noise, out=without, where=noise > 0)
