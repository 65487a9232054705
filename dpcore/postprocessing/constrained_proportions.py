"""Releasing the parts of a whole: each part in its bounds, and their sum what it is.

Four ways to make noisy parts add up (Liu 2016, section 4.2): divide them by their sum,
move them to the nearest point that adds up, release all but one and leave the rest to
the last, or release a tree of sums (``universal_histogram``). The last axis is the axis
of the parts; everything before it is carried along.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.bounded import Bounding, draw

_UNIT = Interval(lower=0.0, upper=1.0)


def rescale(noisy: ArrayLike) -> FloatArray:
    """Return parts divided by their sum; equal shares where the sum is 0.

    Raises:
        ParameterError: A part is negative or not finite, or there is none.

    >>> rescale([0.2, 0.3, 0.0]).tolist(), rescale([0.0, 0.0]).tolist()
    ([0.4, 0.6, 0.0], [0.5, 0.5])

    """
    noisy = _parts(noisy)
    if not np.all((noisy >= 0) & (noisy < np.inf)):
        raise ParameterError("noisy parts must be finite and at least 0 to be re-scaled.")
    # Divided by the largest first: the sum neither overflows nor loses tiny parts.
    largest = noisy.max(axis=-1, keepdims=True)
    relative = np.where(largest > 0, noisy, 1.0) / np.where(largest > 0, largest, 1.0)
    return np.asarray(relative / relative.sum(axis=-1, keepdims=True))


def project(noisy: ArrayLike) -> FloatArray:
    """Return the nearest vector of shares: at least 0, with sum 1 (least squares).

    It is ``max(noisy - t, 0)`` with the one ``t`` that makes the sum 1, found by
    sorting (Held, Wolfe and Crowder 1974).

    Raises:
        ParameterError: A part is not finite, or there is none.

    >>> project([0.9, 0.3, -0.4]).round(12).tolist()
    [0.8, 0.2, 0.0]

    """
    parts = _parts(noisy)
    if not np.isfinite(parts).all():
        raise ParameterError("noisy parts must be finite to be projected.")
    # A shift of all parts leaves the answer as it is, and keeps large ones exact.
    parts = parts - parts.max(axis=-1, keepdims=True)
    falling = -np.sort(-parts, axis=-1)
    counts = np.arange(1, parts.shape[-1] + 1)
    thresholds = (np.cumsum(falling, axis=-1) - 1) / counts
    kept = np.sum(falling > thresholds, axis=-1, keepdims=True)
    threshold = np.take_along_axis(thresholds, kept - 1, axis=-1)
    return np.asarray(np.maximum(parts - threshold, 0.0))


def all_but_one(
    shares: ArrayLike,
    *,
    noise: ArrayLike,
    order: Sequence[int],
    bounding: Bounding,
    rng: np.random.Generator,
) -> FloatArray:
    """Return releases of all cells but the last of ``order``, which gets the rest.

    Each cell is released on [0, what the cells before it left], so that the rest is
    never negative (Liu 2016, Remark 1). Which cell comes last matters: it collects the
    noise of all others.

    Args:
        shares: Shape ``(..., k)``: the true shares.
        noise: Scale of the noise, broadcasting against ``(...)``.
        order: The cells from first to last, each once.
        bounding: How each release is kept within its bounds.
        rng: Source of the simulation.

    Raises:
        ParameterError: ``order`` does not name every cell once.

    """
    shares = _parts(shares)
    cells = shares.shape[-1]
    if sorted(order) != list(range(cells)):
        raise ParameterError(f"the order must name each of the cells 0 to {cells - 1} once.")
    released = np.zeros(shares.shape)
    left = np.ones(shares.shape[:-1])
    for cell in order[:-1]:
        released[..., cell] = draw(
            shares[..., cell], noise=noise, upper=left, bounding=bounding, rng=rng
        )
        left = np.maximum(left - released[..., cell], 0.0)
    released[..., order[-1]] = left
    return released


def leaving_over(cell: int, cells: int) -> tuple[int, ...]:
    """Return an order of all-but-one that ends at ``cell``, the farthest first.

    >>> leaving_over(3, 4), leaving_over(0, 4)
    ((0, 1, 2, 3), (3, 2, 1, 0))
    """
    return tuple(sorted(range(cells), key=lambda other: -abs(other - cell)))


def _parts(noisy: ArrayLike) -> FloatArray:
    noisy = np.asarray(noisy, dtype=np.float64)
    if noisy.ndim == 0 or noisy.shape[-1] == 0:
        raise ParameterError("at least one part is needed.")
    return noisy
