"""In which norm a shift of coefficients is measured: the shape of the noise.

Noise with covariance ``A^-1 / gamma`` hides a shift ``v`` as well as its length
``|v|_A = sqrt(v^T A v)`` says (Wang 2019, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models.factor import Factor

_LARGEST: Final = 1e12


class Shape(StrEnum):
    """Which matrix ``A`` is."""

    ISOTROPIC = "isotropic"
    """``A = I``: the same noise in every direction."""
    FISHER = "Fisher"
    """``A = H``, as when one draws from the posterior: the length is ``|e| sqrt(h)``.
    """
    DEMOCRATIC = "democratic"
    """``A = H^2``, as in objective perturbation: the length is ``|e| |x|``."""
    FIXED = "fixed"
    """A public matrix, for instance from earlier data."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Metric:
    """A norm of shifts of coefficients."""

    shape: Shape
    """Which matrix ``A`` is."""
    matrix: FloatArray | None = field(default=None, repr=False)
    """``A`` where it is a public one, shape ``(d, d)``, else ``None``."""

    @classmethod
    def fixed(cls, matrix: ArrayLike) -> Self:
        """Return the norm of a public matrix.

        Raises:
            ParameterError: It is not symmetric and positive definite.

        """
        matrix = np.array(matrix, dtype=np.float64)
        square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0  # noqa: PLR2004
        if (
            not square
            or not np.isfinite(matrix).all()
            or np.any(matrix != matrix.T)
            or np.linalg.eigvalsh(matrix)[0] <= 0
        ):
            raise ParameterError("the matrix of a norm must be symmetric and positive definite.")
        return cls(shape=Shape.FIXED, matrix=matrix)

    @property
    def name(self) -> tuple[Shape, bytes]:
        """Return what tells this norm from others."""
        return self.shape, b"" if self.matrix is None else self.matrix.tobytes()

    @property
    def public(self) -> bool:
        """Return whether the matrix is the same for every table."""
        return self.shape in {Shape.ISOTROPIC, Shape.FIXED}

    @property
    def largest(self) -> float:
        """Return the largest eigenvalue of a public matrix, infinity for others."""
        if self.matrix is not None:
            return float(np.linalg.eigvalsh(self.matrix)[-1])
        return 1.0 if self.public else np.inf

    @property
    def moderate(self) -> bool:
        """Return whether a public matrix is within the reach of floating point."""
        if self.matrix is None:
            return True
        ends = np.linalg.eigvalsh(self.matrix)
        return bool(ends[0] >= 1 / _LARGEST and ends[-1] <= _LARGEST)

    def root(self, factor: Factor) -> FloatArray:
        """Return ``F`` with ``A = F^T F``, so that ``|v|_A = |F v|``.

        Raises:
            ParameterError: A public matrix has another size than the model.

        """
        d = len(factor.root)
        if self.matrix is not None:
            if len(self.matrix) != d:
                raise ParameterError(
                    f"the model has {d} coefficients, the matrix of the norm is for "
                    f"{len(self.matrix)}."
                )
            return np.asarray(np.linalg.cholesky(self.matrix).T)
        if self.shape is Shape.FISHER:
            return factor.root
        return factor.hessian if self.shape is Shape.DEMOCRATIC else np.eye(d)

    def directions(self, factor: Factor, rest: Factor | None = None) -> FloatArray:
        """Return ``M = H^-1 F^T``, so that ``|H^-1 x|_A = |x M|`` for a row ``x``.

        ``rest`` has the Hessian to invert where it is not that of the norm. Products
        with an inverse are left out where they cancel.
        """
        if rest is None or rest is factor:
            if self.shape is Shape.FISHER:
                return factor.inverse_root
            if self.shape is Shape.DEMOCRATIC:
                return np.eye(len(factor.root))
            rest = factor
        return rest.solve(self.root(factor).T)

    def lengths(self, moves: FloatArray, factor: Factor) -> FloatArray:
        """Return ``|v|_A`` of each row of ``moves``, shape ``(m, d)``."""
        return np.asarray(np.linalg.norm(moves @ self.root(factor).T, axis=-1))


ISOTROPIC: Final = Metric(shape=Shape.ISOTROPIC)
FISHER: Final = Metric(shape=Shape.FISHER)
DEMOCRATIC: Final = Metric(shape=Shape.DEMOCRATIC)
