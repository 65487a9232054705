"""How far off the coefficients of a released model are, cause by cause.

CONFIDENTIAL where the model was fitted to a table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.models.glm import GlmFit
from dpcore.models.losses import Huber
from dpcore.models.release_laws import PerturbedObjective, SampledFit

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.release_laws import NoisyFit
    from dpcore.models.ridge import RidgeFit


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The mean squared error of fitted coefficients, before noise for privacy.

    The fit itself stands in for the true coefficients.

    Attributes:
        variance: What the noise of the targets leaves.
        shrinkage: What the penalty takes away.
        cramer_rao: The least variance of any unbiased estimate; NaN where the rows do
            not determine the coefficients, or the model is no likelihood.

    """

    variance: float
    shrinkage: float
    cramer_rao: float

    @property
    def total(self) -> float:
        """Return variance and shrinkage together."""
        return self.variance + self.shrinkage


def accuracy(fit: RidgeFit | GlmFit) -> Accuracy:
    """Return the error of a fit that is due to the targets, and to the penalty.

    ``tr(H^-1 K H^-1)`` and ``|H^-1 Lambda theta|^2``, where ``K`` is the variance of
    the gradient: ``sigma^2 X'X`` for a linear model with ``sigma^2`` estimated from its
    residuals, the Hessian without the penalty for logistic and Poisson regression, and
    the sum of squared gradients for Huber's.
    """
    hessian = fit.factor.hessian
    diagonal = np.diag(fit.penalty.diagonal(len(fit.theta), fit.people))
    curvature = hessian - diagonal
    scale, likelihood = 1.0, True
    if not isinstance(fit, GlmFit):
        free = max(fit.people - len(fit.theta), 1)
        scale = float(np.sum(fit.residuals**2)) / free
        spread = scale * curvature
    elif isinstance(fit.loss, Huber):
        slopes = fit.loss.slope(fit.predictions, fit.target)
        weighted = fit.features * slopes[:, np.newaxis]
        spread, likelihood = weighted.T @ weighted, False
    else:
        spread = curvature
    inverse = np.linalg.inv(hessian)
    shrunk = inverse @ (diagonal @ fit.theta)
    return Accuracy(
        variance=float(np.trace(inverse @ spread @ inverse)),
        shrinkage=float(shrunk @ shrunk),
        cramer_rao=_inverse_trace(curvature) * scale if likelihood else math.nan,
    )


def noise_error(
    law: NoisyFit | SampledFit | PerturbedObjective, fit: RidgeFit | GlmFit
) -> float:
    """Return the mean squared error that the noise for privacy adds.

    The trace of its covariance: ``tr(A^-1)/gamma``, ``A = H`` for a posterior sample,
    over the number of samples where their mean is used. A perturbed objective has
    covariance ``sigma^2 H^-2``, for a nonlinear model about that.
    """
    if isinstance(law, PerturbedObjective):
        inverse = fit.factor.solve(np.eye(len(fit.theta)))
        return law.sigma**2 * float(np.sum(inverse**2))
    if isinstance(law, SampledFit):
        root = fit.factor.inverse_root
        return float(np.sum(root**2)) / (law.gamma * law.samples)
    return float(np.sum(np.linalg.inv(law.metric.root(fit.factor)) ** 2)) / law.gamma


def _inverse_trace(matrix: FloatArray) -> float:
    values = np.linalg.eigvalsh(matrix)
    if values[0] <= 1e-12 * values[-1]:
        return math.nan
    return float(np.sum(1 / values))
