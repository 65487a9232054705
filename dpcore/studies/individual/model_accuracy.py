"""How far off the coefficients of a released model are, cause by cause.

CONFIDENTIAL where the model was fitted to a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dpcore.models.fits import Fit


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The mean squared error of fitted coefficients, before noise for privacy.

    The fit without a penalty stands in for the true coefficients.

    Attributes:
        variance: What the noise of the targets leaves.
        shrinkage: What the penalty takes away.
        cramer_rao: The least variance of any unbiased estimate, which no penalty
            changes; NaN where the model is no likelihood.

    """

    variance: float
    shrinkage: float
    cramer_rao: float

    @property
    def total(self) -> float:
        """Return variance and shrinkage together."""
        return self.variance + self.shrinkage


def accuracy(fit: Fit, plain: Fit) -> Accuracy:
    """Return the error of a fit that is due to the targets, and to the penalty.

    The variance is ``tr(H^-1 K H^-1)``, where ``K`` is the variance of the gradient:
    ``sigma^2 X'X`` for a linear model with ``sigma^2`` estimated from the residuals of
    ``plain``, the Hessian of ``plain`` for logistic and Poisson regression, and the sum
    of its squared gradients for Huber's. The shrinkage is ``|theta - plain|^2``. For a
    linear, logistic or Poisson model that is the bias exactly if ``plain`` is true: its
    gradient vanishes, so that fitting its expected targets in the place of the targets
    gives the same ``theta``.

    Args:
        fit: The fit with its penalty.
        plain: That to the same rows without one.

    """
    inverse = fit.factor.solve(np.eye(len(fit.theta)))
    shrunk = fit.theta - plain.theta
    return Accuracy(
        variance=float(np.trace(inverse @ plain.gradient_variance @ inverse)),
        shrinkage=float(shrunk @ shrunk),
        cramer_rao=plain.cramer_rao,
    )
