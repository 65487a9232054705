"""The Hessian ``H = X^T W X + Lambda`` of a penalized fit, as a triangular factor.

``H = R^T R`` with ``R`` upper triangular. Cholesky's decomposition of the sum of
squares finds it in one pass of matrix products, but squares the condition number; where
that is above ``QR_ABOVE``, the QR decomposition of the rows themselves replaces it.

Rows of a large table, a block at a time.

A block stays in the second-level cache, and a product of its rows with a square matrix
is small enough (262,144 multiplications) for OpenBLAS not to start threads: on a busy
machine their waiting for each other costs far more than it saves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from scipy.linalg.blas import dtrsm

from dpcore.arrays import FloatArray
from dpcore.data.columns import LARGEST
from dpcore.errors import DataError, ParameterError
from dpcore.formatting import in_full

QR_ABOVE: Final = 1e10
"""Condition number of ``H``, columns scaled to length 1, from which QR is used."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Factor:
    """``H = R^T R`` and its right-hand side. CONFIDENTIAL."""

    root: FloatArray = field(repr=False)
    """The upper triangular ``R``, shape ``(d, d)``."""
    projected: FloatArray = field(repr=False)
    """``R^-T X^T W y``, shape ``(d,)``."""
    condition: float = field(repr=False)
    """Condition number of ``H`` with its columns scaled to length 1."""
    by_rows: bool = field(repr=False)
    """Whether the QR decomposition of the rows was needed."""

    @property
    def hessian(self) -> FloatArray:
        """Return ``H``, shape ``(d, d)``."""
        return np.asarray(self.root.T @ self.root)

    @property
    def inverse_root(self) -> FloatArray:
        """Return ``R^-1``, shape ``(d, d)``."""
        return _solved(self.root, np.eye(len(self.root)))

    @property
    def solution(self) -> FloatArray:
        """Return ``H^-1 X^T W y``, shape ``(d,)``."""
        return _solved(self.root, self.projected)

    def solve(self, right: FloatArray) -> FloatArray:
        """Return ``H^-1 b`` for a vector or the columns of a matrix."""
        return _solved(self.root, _solved(self.root, right, transposed=True))


def factor_of(
    gram: FloatArray,
    right: FloatArray,
    penalty: FloatArray,
    *,
    triangles: Callable[[FloatArray], Iterable[FloatArray]],
    people: int,
) -> Factor:
    """Return the factor of a sum of squares plus ``diag(penalty)``.

    Args:
        gram: ``X^T W X``, shape ``(d, d)``.
        right: ``X^T W y``, shape ``(d,)``.
        penalty: Diagonal of ``Lambda``, shape ``(d,)``, at least 0.
        triangles: Returns ``triangle`` of the rows of each part, for the lengths of
            columns that it is given. It is asked where the sum of squares is too close
            to singular.
        people: The number of rows.

    Raises:
        DataError: The rows do not determine all coefficients.

    """
    gram = gram + np.diag(penalty)
    if not (np.diag(gram) > 0).all():
        raise undetermined()
    lengths = np.sqrt(np.diag(gram))
    # In two steps: the product of two lengths may overflow or vanish.
    scaled = gram / lengths / lengths[:, np.newaxis]
    eigenvalues = np.linalg.eigvalsh(scaled)
    if eigenvalues[0] * QR_ABOVE < eigenvalues[-1]:
        return _by_rows(triangles(lengths), penalty, lengths, people)
    root = np.asarray(np.linalg.cholesky(scaled).T * lengths)
    return Factor(
        root=root,
        projected=_solved(root, right, transposed=True),
        condition=float(eigenvalues[-1] / eigenvalues[0]),
        by_rows=False,
    )


def principal_ways(factor: Factor, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvectors of ``H``, a row each, and the direction of ``theta``.

    That of the last eigenvector where all coefficients are 0.
    """
    _, vectors = np.linalg.eigh(factor.hessian)
    length = float(np.linalg.norm(theta))
    return vectors.T, theta / length if length > 0 else vectors[:, -1]


def _solved(root: FloatArray, right: FloatArray, *, transposed: bool = False) -> FloatArray:
    """Return ``R^-1 B`` or ``R^-T B``, for a vector as well.

    By BLAS: LAPACK's routine, ``solve_triangular``, starts a thread even for a few
    columns, which then keeps a processor busy for a tenth of a second while it waits
    for more. Asked for every block of a table, it would never rest.
    """
    columns = right[:, np.newaxis] if right.ndim == 1 else right
    found = dtrsm(1.0, root, columns, trans_a=transposed)
    return np.asarray(found).reshape(right.shape)


def undetermined() -> DataError:
    """Return the error for rows that leave coefficients open."""
    message = (
        "the features do not determine all coefficients: some of them are linearly "
        "dependent, or there are too few people. Add a penalty, or leave a feature out."
    )
    return DataError(message)


def nobody() -> DataError:
    """Return the error for a model of nobody, where no penalty gives it a fit."""
    message = "nobody has a value of every column of the model."
    return DataError(message)


def checked_table(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rows and targets as numbers.

    Raises:
        DataError: There is nobody.
        ParameterError: The shapes do not fit, or a number is missing or beyond 1e100.

    """
    x = np.asarray(x, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] == 0 or y.shape != x.shape[:1]:  # noqa: PLR2004 - a table
        raise ParameterError(
            "a model needs one row of features and one target a person, got arrays of "
            f"shape {x.shape} and {y.shape}."
        )
    if len(x) == 0:
        raise DataError("there is nobody to fit a model to.")
    # Not a number is neither: its comparisons are false.
    if not all(z.min() >= -LARGEST and z.max() <= LARGEST for z in (x, y)):
        raise ParameterError(
            f"features and targets must be numbers of size at most {in_full(LARGEST)}; clamp "
            "or replace others first."
        )
    return x, y


def moments(
    x: FloatArray, y: FloatArray, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return ``X^T W X`` and ``X^T W y``; all weights are 1 if not given."""
    d = x.shape[1]
    gram, right = np.zeros((d, d)), np.zeros(d)
    for rows in row_blocks(*x.shape):
        block = x[rows]
        weighted = block if weights is None else block * weights[rows, np.newaxis]
        gram += weighted.T @ block
        right += weighted.T @ y[rows]
    return gram, right


def triangle(
    x: FloatArray, y: FloatArray, weights: FloatArray | None, lengths: FloatArray
) -> FloatArray:
    """Return ``R`` of the QR decomposition of ``W^1/2 (X/lengths, y)``.

    Shape ``(k, d + 1)`` with ``k`` at most ``d + 1``, by blocks stacked under each
    other (TSQR). Weights, all 1 if not given, are at least 0.
    """
    n, d = x.shape
    top = np.zeros((0, d + 1))
    for rows in row_blocks(n, d + 1, numbers=UNTHREADED - d * d):
        block = np.column_stack([x[rows] / lengths, y[rows]])
        if weights is not None:
            block *= np.sqrt(weights[rows, np.newaxis])
        top = np.asarray(np.linalg.qr(np.vstack([top, block]), mode="r"))
    return top


def _by_rows(
    triangles: Iterable[FloatArray], penalty: FloatArray, lengths: FloatArray, people: int
) -> Factor:
    """Return the factor by QR of the triangles of all parts and of the penalty."""
    d = len(penalty)
    top = np.zeros((d, d + 1))
    np.fill_diagonal(top, np.sqrt(penalty) / lengths)
    for each in triangles:
        top = np.asarray(np.linalg.qr(np.vstack([top, each]), mode="r"))
    scaled = top[:d, :d]
    singular = np.linalg.svd(scaled, compute_uv=False)
    if singular[-1] <= singular[0] * max(people, d) * np.finfo(np.float64).eps:
        raise undetermined()
    signs = np.where(np.diag(scaled) < 0, -1.0, 1.0)[:, np.newaxis]
    return Factor(
        root=signs * scaled * lengths,
        projected=(signs * top[:d, d:])[:, 0],
        condition=float((singular[0] / singular[-1]) ** 2),
        by_rows=True,
    )


CACHED: Final = 1 << 15
"""Numbers in a block that stays in the cache."""
UNTHREADED: Final = 1 << 13
"""Numbers in a block whose QR decomposition starts no threads either."""
_MULTIPLICATIONS: Final = 1 << 18
_LEAST: Final = 32


def row_blocks(people: int, columns: int, *, numbers: int = CACHED) -> Iterator[slice]:
    """Return consecutive slices of rows of ``columns`` numbers, ``numbers`` in each.

    >>> [(rows.start, rows.stop) for rows in row_blocks(1500, 20)]
    [(0, 655), (655, 1310), (1310, 1500)]
    """
    fitting = min(numbers // columns, _MULTIPLICATIONS // columns**2)
    size = max(_LEAST, fitting)
    for start in range(0, people, size):
        yield slice(start, min(start + size, people))
