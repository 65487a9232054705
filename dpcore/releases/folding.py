"""Folding at two bounds on a grid of whole numbers, so that the law stays exact.

Folding reveals less than the noise that is folded, because each answer has several
origins. Floats would spoil that: they are denser near 0, so that an answer with many
digits would tell its origin. Hence the value and the width of the bounds are rounded to
a fixed grid, the noise is OpenDP's discrete Laplace noise on it, and the reflections
are exact. On the grid the same hyperbolic functions hold as on the line (the sum over
the reflections is geometric there too); rounding moves two values apart by at most one
step more, which a slightly larger scale pays for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError, ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.mechanisms.folded import FoldedLaplace, least_scale_folded

TOLERANCE = 1e-9
"""By how much of itself a level may be off for the error of computing it."""
MOST_RAISED = 1e-3
"""By how much of itself the grid may raise the scale."""
_BITS = 61  # leaves the sum of value and noise within 64 bits
_FARTHEST = 512.0  # noise farther out, over the scale, has probability e^-512


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Whole numbers from 0 to ``steps`` for the bounds, and the noise among them.

    Attributes:
        exponent: A step is ``2^exponent``.
        steps: The width of the bounds in steps, rounded up.
        scale: The scale of the noise in steps.

    """

    exponent: int
    steps: int
    scale: float

    @classmethod
    def of(cls, mechanism: FoldedLaplace, sensitivity: Sensitivity, level: float) -> Self:
        """Return the finest grid, with noise that gives ``level`` on it.

        Raises:
            ClaimError: The mechanism does not give ``level``.
            ParameterError: The bounds are too wide for the grid.

        """
        noise, width = mechanism.noise, mechanism.bounds.width
        if mechanism.epsilon(sensitivity) > level * (1 + TOLERANCE):
            raise ClaimError(f"folded noise of scale {noise:g} does not give the level {level:g}.")
        exponent = math.frexp(max(width, _FARTHEST * noise))[1] - _BITS
        step = math.ldexp(1.0, exponent)
        steps = math.ceil(width / step)
        cells = sensitivity.coordinates
        needed = least_scale_folded(
            sensitivity.l1 / cells + step, level / cells, Interval(lower=0.0, upper=steps * step)
        )
        if needed > noise * (1 + MOST_RAISED):
            raise ParameterError(
                f"bounds {width:g} apart are too wide for folding noise of scale "
                f"{noise:g}; use the BIT Laplace mechanism."
            )
        return cls(exponent=exponent, steps=steps, scale=max(noise, needed) / step)

    def numbers(self, distances: FloatArray) -> list[int]:
        """Return the whole numbers nearest to distances from the lower bound."""
        return [round(math.ldexp(d, -self.exponent)) for d in distances.tolist()]

    def folded(self, numbers: list[int]) -> FloatArray:
        """Return whole numbers reflected into the bounds, as distances."""
        turns = [number % (2 * self.steps) for number in numbers]
        inside = [min(turn, 2 * self.steps - turn) for turn in turns]
        return np.array([math.ldexp(float(y), self.exponent) for y in inside])
