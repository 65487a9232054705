"""Noise on fitted coefficients, and what it reveals about each person.

The release is ``theta + N(0, A^-1 / gamma)`` with a public matrix ``A`` (Wang 2019,
eq. 2). A shift of length ``|v|_A`` is then that of a Gaussian mechanism with ``mu =
sqrt(gamma) |v|_A``, whose exact profile replaces the bound of Wang's Lemma 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ClaimError, ParameterError
from dpcore.models.metrics import ISOTROPIC
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray
    from dpcore.models.metrics import Metric


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutputPerturbation:
    """Gaussian noise of covariance ``A^-1 / gamma`` on coefficients. PUBLIC.

    Attributes:
        gamma: How many times narrower than ``A^-1`` the covariance is, in (0, inf).
        metric: The norm of ``A``, which must be public.

    Raises:
        ClaimError: The matrix comes from the data: then the noise itself tells about
            people, and the loss is not that of a Gaussian mechanism.
        ParameterError: ``gamma`` lies outside its domain.

    >>> noise = OutputPerturbation(gamma=4.0)
    >>> round(float(noise.epsilon(0.5, delta=1e-6)), 10)
    4.8865541175

    """

    gamma: float
    metric: Metric = ISOTROPIC

    def __post_init__(self) -> None:
        if not self.metric.public:
            message = (
                f"{self.metric.shape} noise takes its shape from the data, and reveals "
                "more than Gaussian noise of a public shape; use posterior sampling or "
                "objective perturbation, or a public matrix."
            )
            raise ClaimError(message)
        if not 0 < self.gamma < math.inf:
            message = f"gamma must lie in (0, inf), got {self.gamma}."
            raise ParameterError(message)

    @classmethod
    def calibrate(
        cls,
        *,
        worst_shift: float,
        epsilon: float,
        delta: float,
        metric: Metric = ISOTROPIC,
    ) -> Self:
        """Return the least noise that is (epsilon, delta)-DP for a largest shift.

        Raises:
            ClaimError: The matrix comes from the data.
            ParameterError: The shift is not positive and finite, as without a penalty,
                or epsilon or delta lie outside their domains.

        """
        if not 0 < worst_shift < math.inf:
            message = (
                f"the largest shift must lie in (0, inf), got {worst_shift}; penalize "
                "every coefficient."
            )
            raise ParameterError(message)
        mu = gaussian.mu_for(epsilon, delta)
        return cls(gamma=(mu / worst_shift) ** 2 * (1 - 1e-14), metric=metric)

    @property
    def sigma(self) -> float:
        """Return the standard deviation of the noise where ``A`` is the identity."""
        return 1 / math.sqrt(self.gamma)

    def covariance(self, columns: int) -> FloatArray:
        """Return the covariance of the noise, shape ``(columns, columns)``."""
        matrix = self.metric.matrix
        shape = np.eye(columns) if matrix is None else np.linalg.inv(matrix)
        return np.asarray(shape / self.gamma)

    def mu(self, shifts: ArrayLike) -> FloatArray:
        """Return the parameter of the Gaussian mechanism for shifts in the norm."""
        return np.asarray(math.sqrt(self.gamma) * np.asarray(shifts, dtype=np.float64))

    def epsilon(self, shifts: ArrayLike, *, delta: float) -> FloatArray:
        """Return the exact epsilon at ``delta`` of each shift."""
        return gaussian.epsilon_of(self.mu(shifts), delta)

    def delta(self, shifts: ArrayLike, *, epsilon: float) -> FloatArray:
        """Return the exact delta at ``epsilon`` of each shift."""
        return gaussian.delta_of(self.mu(shifts), epsilon)

    def simulate(
        self, theta: FloatArray, *, rng: np.random.Generator, draws: int
    ) -> FloatArray:
        """Return simulated noisy coefficients, shape ``(draws, d)``."""
        normal = rng.normal(size=(draws, len(theta)))
        matrix = self.metric.matrix
        if matrix is not None:
            # With A = L L^T, the covariance of g L^-1 is A^-1.
            normal = np.linalg.solve(np.linalg.cholesky(matrix).T, normal.T).T
        return np.asarray(theta + normal / math.sqrt(self.gamma))
