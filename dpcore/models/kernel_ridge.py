"""Kernel ridge regression without each person.

With the kernel matrix ``K``, ``C = (K + lambda I)^-1`` and ``alpha = C y``, the fit is
``f = K alpha`` at the people's points. Without person ``i`` it misses the person's
target by ``e_i = alpha_i / C_ii``, and ``f - f_-i = (K C)_i e_i``; the norm of the
change in the space of the kernel is ``|e_i| sqrt((C K C)_ii)``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KernelRemovals:
    """What happens to a kernel ridge fit when each person leaves. CONFIDENTIAL.

    Attributes:
        fitted: The fit at the people's points, shape ``(n,)``.
        residuals: What the fit without each person misses the person's target by.
        changes: ``f - f_-i`` at the points, a column a person, shape ``(n, n)``.
        shifts: Norm of the change in the space of the kernel, shape ``(n,)``.

    """

    fitted: FloatArray = field(repr=False)
    residuals: FloatArray = field(repr=False)
    changes: FloatArray = field(repr=False)
    shifts: FloatArray = field(repr=False)


def kernel_removals(
    kernel: FloatArray, y: FloatArray, *, strength: float
) -> KernelRemovals:
    """Return everybody's leave-one-out change, in time ``n^3`` and memory ``n^2``.

    Args:
        kernel: The kernel of every two people, symmetric and positive semidefinite,
            shape ``(n, n)``.
        y: Targets, shape ``(n,)``.
        strength: The penalty ``lambda``, in (0, inf).

    Raises:
        ParameterError: The matrix is not such a one, the shapes do not fit, a number is
            missing or infinite, or the penalty lies outside its domain.

    >>> one = kernel_removals(np.array([[1.0]]), np.array([3.0]), strength=0.5)
    >>> one.fitted, one.residuals, one.shifts
    (array([2.]), array([3.]), array([2.]))

    """
    kernel, y = np.asarray(kernel, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not 0 < strength < math.inf:
        message = f"the penalty must lie in (0, inf), got {strength}."
        raise ParameterError(message)
    shaped = y.ndim == 1 and len(y) > 0 and kernel.shape == (len(y), len(y))
    if (
        not shaped
        or not (np.isfinite(kernel).all() and np.isfinite(y).all())
        or np.any(kernel != kernel.T)
    ):
        message = (
            "a kernel needs a symmetric, finite matrix with a row for each target, got "
            f"arrays of shape {kernel.shape} and {y.shape}."
        )
        raise ParameterError(message)
    values, vectors = np.linalg.eigh(kernel)
    if values[0] < -1e-10 * max(values[-1], -values[0]):
        message = "the matrix of a kernel must have no negative eigenvalue."
        raise ParameterError(message)
    values = np.maximum(values, 0.0)
    # All functions of the matrix share its eigenvectors.
    inverse = (vectors / (values + strength)) @ vectors.T
    smoother = (vectors * (values / (values + strength))) @ vectors.T
    lengths = (vectors * vectors) @ (values / (values + strength) ** 2)
    residuals = (inverse @ y) / np.diag(inverse)
    return KernelRemovals(
        fitted=smoother @ y,
        residuals=residuals,
        changes=smoother * residuals,
        shifts=np.abs(residuals) * np.sqrt(lengths),
    )
