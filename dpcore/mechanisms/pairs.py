"""Pairs of values: how far apart, and in how many coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.mechanisms.laplace_law import scaled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from dpcore.arrays import FloatArray


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


def where_one_changes(
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
