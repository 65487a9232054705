"""Pairs of values: how far apart, in how many coordinates, and what that reveals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.mechanisms.laplace_law import scaled
from dpcore.mechanisms.mechanism import Mechanism


def floats(first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both as arrays of floats."""
    return np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)


def distances(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return the absolute change of each coordinate, shape ``(..., k)``."""
    first, second = floats(first, second)
    moved = np.asarray(first - second)
    return np.asarray(np.abs(moved, out=moved))


def over_scale(lengths: FloatArray, noise: float) -> FloatArray:
    """Divide ``lengths`` by the scale, in place where that is safe."""
    if 0 < noise < np.inf:
        with np.errstate(over="ignore"):
            lengths = np.asarray(lengths)
            return np.asarray(np.divide(lengths, noise, out=lengths))
    return scaled(lengths, noise)


def total(parts: FloatArray) -> FloatArray:
    """Return the sum over coordinates; a single coordinate costs no pass."""
    return np.asarray(parts[..., 0] if parts.shape[-1] == 1 else parts.sum(axis=-1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactForOne(Mechanism):
    """Noise of which is known exactly what a change in one coordinate reveals.

    Where several change, the pure level is exact too; at a delta it is an upper bound.
    """

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the exact level of a change in one coordinate."""
        first, second = self._counted(first, second)
        if delta == 0:
            return self._pure(first, second)
        return _where_one_changes(
            first,
            second,
            scalar=lambda x, y: self._scalar_epsilon(x, y, delta),
            several=lambda: self._vector_epsilon(first, second, delta),
        )

    def pairwise_delta(self, first: ArrayLike, second: ArrayLike, *, epsilon: float) -> FloatArray:
        """Return the larger delta of both directions, as exact as ``pairwise_epsilon``."""
        first, second = self._counted(first, second)
        return _where_one_changes(
            first,
            second,
            scalar=lambda x, y: self._scalar_delta(x, y, epsilon),
            several=lambda: self._vector_delta(first, second, epsilon),
        )

    def _counted(self, first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the values as what they count as."""
        return floats(first, second)

    def _ratios(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return over_scale(distances(x, y), self.noise)

    def _pure(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the pure level, shapes ``(..., k)`` to ``(...)``."""
        return total(self._ratios(x, y))

    @abstractmethod
    def _scalar_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        """Return the epsilon at ``delta`` of scalars, elementwise."""

    @abstractmethod
    def _scalar_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        """Return the delta at ``epsilon`` of scalars, elementwise."""

    @abstractmethod
    def _vector_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        """Return an epsilon at ``delta`` of vectors, shape ``(...)``."""

    @abstractmethod
    def _vector_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        """Return a delta at ``epsilon`` of vectors, shape ``(...)``."""


def _where_one_changes(
    first: FloatArray,
    second: FloatArray,
    *,
    scalar: Callable[[FloatArray, FloatArray], FloatArray],
    several: Callable[[], FloatArray],
) -> FloatArray:
    """Return ``scalar`` of the coordinate that changes, ``several()`` if more do."""
    if first.shape[-1] == second.shape[-1] == 1:
        return scalar(first[..., 0], second[..., 0])
    first, second = np.broadcast_arrays(first, second)
    changed = first != second
    which = changed.argmax(axis=-1)[..., np.newaxis]
    before = np.take_along_axis(first, which, axis=-1)[..., 0]
    after = np.take_along_axis(second, which, axis=-1)[..., 0]
    one = np.count_nonzero(changed, axis=-1) <= 1
    return np.where(one, scalar(before, after), several())
