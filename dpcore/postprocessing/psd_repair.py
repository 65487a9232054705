"""Repair of a sanitized covariance matrix that no table could have.

Three or more columns released one number at a time may contradict each other: the
matrix then has a negative eigenvalue. The nearest matrix without one is found from the
released numbers alone, which costs no privacy.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

TOLERANCE = 1e-12
"""An eigenvalue of a correlation matrix above ``-TOLERANCE * d`` counts as 0."""
_ROUNDS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """A matrix before and after its repair.

    Attributes:
        before: The matrix as released, shape ``(d, d)``.
        after: The nearest positive semidefinite one with the same variances.
        distance: Frobenius norm of the change on the correlation scale, the quantity
            that the repair makes as small as it can be.
        smallest_before: Smallest eigenvalue of the correlation matrix before, its
            entries within -1 and 1.
        changed: Whether a repair was needed.

    """

    before: FloatArray
    after: FloatArray
    distance: float
    smallest_before: float
    changed: bool


def repair(matrix: ArrayLike) -> Repaired:
    """Return the covariance matrix, repaired where it is not positive semidefinite.

    The correlations are moved to the nearest correlation matrix in Frobenius norm, by
    Higham's (2002) alternating projections with Dykstra's correction; the variances
    stay. Columns whose variance is 0 are set aside: their covariances can only be 0.
    What only unbounded noise leaves is mended first: a negative variance becomes 0, a
    correlation beyond -1 or 1 becomes that one.

    Raises:
        ParameterError: The matrix is not square and symmetric, or not finite.

    >>> repair([[1.0, 0.5], [0.5, 1.0]]).changed
    False
    >>> broken = [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]]
    >>> fixed = repair(broken)
    >>> fixed.after[0].round(6).tolist(), round(fixed.distance, 6)
    ([1.0, 0.76069, 0.157298], 0.52779)

    """
    before = _checked(matrix)
    variances = np.diag(before)
    kept = variances > 0
    roots = np.sqrt(variances[kept])
    with np.errstate(over="ignore"):
        # One side after the other: a product of two roots may underflow.
        raw = before[np.ix_(kept, kept)] / roots / roots[:, np.newaxis]
    correlations = np.clip((raw + raw.T) / 2, -1.0, 1.0)
    np.fill_diagonal(correlations, 1.0)
    nearest, needed = _nearest(correlations)
    scaled = nearest * roots * roots[:, np.newaxis]
    after = np.zeros_like(before)
    after[np.ix_(kept, kept)] = (scaled + scaled.T) / 2
    np.fill_diagonal(after, np.maximum(variances, 0.0))
    beyond = bool(np.any(np.abs(raw) > 1 + TOLERANCE))
    stray = beyond or bool(np.any(after[~kept] != before[~kept]))
    return Repaired(
        before=before,
        after=after if needed or stray else before,
        distance=float(np.linalg.norm(nearest - correlations)),
        smallest_before=_smallest(correlations),
        changed=needed or stray,
    )


def warm_up() -> tuple[Any, Any]:
    """Import statsmodels, which takes a second or two; return what is used of it.

    Most matrices need no repair, so that this waits until one does.
    """
    from statsmodels.stats.correlation_tools import corr_nearest  # noqa: PLC0415
    from statsmodels.tools.sm_exceptions import IterationLimitWarning  # noqa: PLC0415

    return corr_nearest, IterationLimitWarning


def _nearest(correlations: FloatArray) -> tuple[FloatArray, bool]:
    """Return the nearest correlation matrix, and whether it had to be looked for."""
    if _smallest(correlations) >= -TOLERANCE * len(correlations):
        return correlations, False
    corr_nearest, IterationLimitWarning = warm_up()  # noqa: N806 - a class
    with warnings.catch_warnings():
        # Its stopping rule is hardly ever met; the eigenvalues are checked below.
        warnings.simplefilter("ignore", IterationLimitWarning)
        nearest = np.array(corr_nearest(correlations, n_fact=_ROUNDS), dtype=float)
    nearest = (nearest + nearest.T) / 2
    if _smallest(nearest) < -TOLERANCE * len(nearest):
        nearest = _clipped(nearest)
    return nearest, True


def _clipped(correlations: FloatArray) -> FloatArray:
    """Return a correlation matrix without the little that is still negative."""
    values, vectors = np.linalg.eigh(correlations)
    clipped = (vectors * np.maximum(values, 0.0)) @ vectors.T
    roots = np.sqrt(np.diag(clipped))
    result = clipped / roots / roots[:, np.newaxis]
    np.fill_diagonal(result, 1.0)
    return np.asarray((result + result.T) / 2)


def _smallest(matrix: FloatArray) -> float:
    """Return the smallest eigenvalue; 1 where no column is left."""
    return float(np.linalg.eigvalsh(matrix)[0]) if len(matrix) else 1.0


def _checked(matrix: ArrayLike) -> FloatArray:
    matrix = np.array(matrix, dtype=np.float64)
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1]  # noqa: PLR2004
    if not square or not np.isfinite(matrix).all() or np.any(matrix != matrix.T):
        raise ParameterError("a covariance matrix must be square, symmetric and finite.")
    return matrix
