"""A noisy Hessian, which makes the reports of ``publishable`` sharper at a cost.

With the curvature of the table known roughly, a person's leverage no longer has to be
bounded by the penalty alone (Redberg and Wang 2021, algorithm 2). The release of the
Hessian is a Gaussian mechanism of its own, to be added to the cost of the fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.individual.publishable import check_failure, gradient_part

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.arrays import FloatArray
    from dpcore.individual.publishable import PerturbedFit

REPORT_FACTOR = 1.5
"""By which the noisy leverage is raised, to be between 1 and 3 times the true one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyHessian:
    """A release of the Hessian, so that reports may use it.

    Noise is symmetric and normal, with standard deviation ``sigma`` off the diagonal
    and ``sqrt(2) sigma`` on it, so that it looks the same from every direction.

    Attributes:
        columns: Number of coefficients.
        sigma: In (0, inf).

    """

    columns: int
    sigma: float

    def __post_init__(self) -> None:
        if self.columns < 1 or not 0 < self.sigma < math.inf:
            message = "a Hessian needs a column, and sigma must be in (0, inf)."
            raise ParameterError(message)

    def cost(self, curvature: ArrayLike, length: ArrayLike) -> FloatArray:
        """Return ``mu`` of the Gaussian mechanism that a person's share amounts to.

        ``f'' |x|^2/(sqrt(2) sigma)``; with the largest of both, that of the
        guarantee. Its square adds to those of other releases.
        """
        ff = np.asarray(curvature, dtype=np.float64)
        square = np.asarray(length, dtype=np.float64) ** 2
        return np.asarray(ff * square / (math.sqrt(2) * self.sigma))

    def noise(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Return simulated noise, shape ``(draws, d, d)``."""
        shape = (draws, self.columns, self.columns)
        half = rng.standard_normal(shape) / math.sqrt(2)
        return np.asarray(self.sigma * (half + np.swapaxes(half, -1, -2)))

    def quantile(
        self, failure: float, rng: np.random.Generator, *, draws: int = 20_000
    ) -> float:
        """Return the norm that the noise exceeds with chance ``failure``, simulated.

        Rounded up by three standard errors of the simulated rank.

        Raises:
            ParameterError: ``failure`` is not in (0, 1), or too small for the draws.

        """
        check_failure(failure)
        spread = 3 * math.sqrt(draws * failure * (1 - failure))
        rank = math.ceil(draws * (1 - failure) + spread)
        if rank >= draws:
            message = f"{draws} draws are too few for a failure of {failure}."
            raise ParameterError(message)
        norms = np.abs(np.linalg.eigvalsh(self.noise(draws, rng))).max(axis=1)
        return float(np.sort(norms)[rank])

    def leverage(
        self, x: ArrayLike, released: ArrayLike, *, penalty: float, quantile: float
    ) -> FloatArray:
        """Return ``1.5 x' H^-1 x`` with the released Hessian.

        Between 1 and 3 times the true leverage, unless the noise exceeds ``quantile``.

        Args:
            x: Shape ``(n, d)``.
            released: The noisy Hessian, shape ``(d, d)``.
            penalty: ``lambda``, which all eigenvalues of the true one exceed.
            quantile: As ``self.quantile``.

        Raises:
            ParameterError: The penalty is below twice the quantile.

        """
        if penalty < 2 * quantile:
            message = (
                "the penalty must be at least twice the quantile of the noise: raise "
                "lambda, or add less noise at a higher cost."
            )
            raise ParameterError(message)
        rows = np.asarray(x, dtype=np.float64)
        solved = np.linalg.solve(np.asarray(released, dtype=np.float64), rows.T).T
        return np.asarray(REPORT_FACTOR * np.einsum("ij,ij->i", solved, rows))


def sharper_report(
    fit: PerturbedFit,
    *,
    slope: ArrayLike,
    curvature: ArrayLike,
    length: ArrayLike,
    leverage: ArrayLike,
    failure: float,
    member: bool,
) -> FloatArray:
    """Return the report with a leverage from ``NoisyHessian.leverage``.

    ``-log(1 - f'' m)`` for a member and ``log(1 + f'' m)`` for a newcomer, each at most
    what ``report`` has in its place. It fails with the sum of the chances of both
    releases, and costs the Hessian's release in addition.
    """
    size = np.asarray(length, dtype=np.float64)
    ff = np.asarray(curvature, dtype=np.float64)
    seen = ff * np.asarray(leverage, dtype=np.float64)
    least = np.log1p(ff * size**2 / fit.penalty)
    if member:
        within = seen < 1
        seen = np.where(within, -np.log1p(-np.where(within, seen, 0.0)), np.inf)
    else:
        seen = np.log1p(seen)
    return np.asarray(
        np.minimum(seen, least) + gradient_part(fit, slope, size, failure)
    )
