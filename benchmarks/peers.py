"""Bounded Laplace draws one by one: by diffprivlib if it is there, else plain Python.

A peer returns a way to draw at a noise scale and between bounds, made once for as many
values as it fits. As it comes, diffprivlib draws from the operating system's source of
randomness; a simulation would rather give it a seed, which is faster.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

Draw = Callable[[float], float]
Bounded = Callable[[float, float, float], Draw]


def _diffprivlib() -> Any:  # noqa: ANN401 - a module without types
    """Return its mechanisms, or ``None``."""
    try:
        from sklearn.tree import _tree  # noqa: PLC0415

        # Names that it imports, and scikit-learn no longer has.
        _tree.DOUBLE, _tree.DTYPE = np.float64, np.float32
        from diffprivlib import mechanisms  # noqa: PLC0415
    except ImportError:
        return None
    return mechanisms


class Plain:
    """The same algorithms in plain Python."""

    name = "plain Python"

    def clamped(self, scale: float, lower: float, upper: float) -> Draw:
        """Return BIT Laplace draws."""
        return lambda value: min(max(value + _laplace(scale), lower), upper)

    def truncated(self, scale: float, lower: float, upper: float) -> Draw:
        """Return draws that are repeated until inside."""
        if upper <= lower:
            return lambda _: lower
        return lambda value: _inside(value, scale, lower, upper)


class Diffprivlib:
    """Its mechanisms, with its own source of randomness or a seed."""

    def __init__(self, mechanisms: Any, seed: int | None) -> None:  # noqa: ANN401
        self._mechanisms = mechanisms
        # The only kind of generator that it takes.
        self._rng = None if seed is None else np.random.RandomState(seed)
        self.name = f"diffprivlib, {'as it comes' if seed is None else 'seeded'}"

    def clamped(self, scale: float, lower: float, upper: float) -> Draw:
        """Return BIT Laplace draws; here they are called truncated."""
        return self._made("LaplaceTruncated", scale, lower, upper).randomise

    def truncated(self, scale: float, lower: float, upper: float) -> Draw:
        """Return draws that are repeated until inside, at a scale that is given."""
        if upper <= lower:
            return lambda _: lower
        mechanism = self._made("LaplaceBoundedDomain", scale, lower, upper)
        # It would look for a scale that keeps its promise on these bounds.
        mechanism._scale = scale  # noqa: SLF001 - there is no other way
        return mechanism.randomise

    def _made(self, name: str, scale: float, lower: float, upper: float) -> Any:  # noqa: ANN401
        # Sensitivity at epsilon 1 is the scale.
        return getattr(self._mechanisms, name)(
            epsilon=1.0, sensitivity=scale, lower=lower, upper=upper, random_state=self._rng
        )


def peers() -> tuple[Plain | Diffprivlib, ...]:
    """Return the peers that can be imported."""
    mechanisms = _diffprivlib()
    if mechanisms is None:
        return (Plain(),)
    return Diffprivlib(mechanisms, None), Diffprivlib(mechanisms, 1)


def _inside(value: float, scale: float, lower: float, upper: float) -> float:
    value = min(max(value, lower), upper)
    while True:
        drawn = value + _laplace(scale)
        if lower <= drawn <= upper:
            return drawn


def _laplace(scale: float) -> float:
    u = random.random() - 0.5  # noqa: S311 - a simulation
    return -math.copysign(scale * math.log1p(-2 * abs(u)), u)
