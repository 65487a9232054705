"""How far the smallest eigenvalue of ``X'X`` falls when each person leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.models.blocks import row_blocks

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray

_STEPS: Final = 60
_CLOSE: Final = 1e-12


def smallest_eigenvalue_moves(gram: FloatArray, x: FloatArray) -> FloatArray:
    """Return ``lambda_min(G) - lambda_min(G - x x')`` for each row, shape ``(n,)``.

    With the eigenvalues ``l_j`` of ``G`` and the squares ``c_j`` of the entries of
    ``x`` along its eigenvectors, the smallest eigenvalue without the person is the root
    below ``l_1`` of the secular equation ``sum c_j/(l_j - t) = 1``, found by bisection
    from ``l_1 - |x|^2``. Rounded up.

    >>> smallest_eigenvalue_moves(np.diag([2.0, 5.0]), np.array([[1.0, 0.0]])).round(9)
    array([1.])
    """
    values, vectors = np.linalg.eigh(gram)
    moves = np.empty(len(x))
    for rows in row_blocks(*x.shape):
        squares = (x[rows] @ vectors) ** 2
        low, high = np.zeros(len(squares)), squares.sum(axis=1)
        gaps = values - values[0]
        for _ in range(_STEPS):
            middle = (low + high) / 2
            with np.errstate(divide="ignore", invalid="ignore"):
                parts = squares / (gaps + middle[:, np.newaxis])
            # At a fall of ``middle`` the sum is above 1 until the root is passed.
            short = np.where(np.isnan(parts), 0.0, parts).sum(axis=1) > 1
            low, high = np.where(short, middle, low), np.where(short, high, middle)
            if np.all(high - low <= _CLOSE * high):
                break
        moves[rows] = high
    return moves
