"""What a model pays for missing a person's target.

A loss is a convex function of the linear prediction ``eta = x^T theta`` and the target
``y``. Its gradient in ``theta`` is ``slope x``, its Hessian ``curvature x x^T``, and
``steepest`` is the largest size of a slope, over all predictions and targets. A
``majorant`` is a curvature that serves where too many of the true ones are 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

import numpy as np
from scipy.special import expit

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """``log(1 + e^eta) - y eta`` for targets 0 and 1.

    >>> Logistic().slope(np.array([0.0]), np.array([1.0]))
    array([-0.5])
    """

    steepest: ClassVar[float] = 1.0

    def check(self, y: FloatArray) -> None:
        """Refuse targets other than 0 and 1."""
        if not ((y == 0) | (y == 1)).all():
            raise ParameterError("logistic regression needs a yes/no target, coded 1 and 0.")

    def value(self, eta: FloatArray, y: FloatArray) -> FloatArray:
        """Return the loss."""
        return np.logaddexp(0.0, (1 - 2 * y) * eta)

    def slope(self, eta: FloatArray, y: FloatArray) -> FloatArray:
        """Return the probability of 1, minus ``y``, without cancellation."""
        away = 1 - 2 * y
        return np.asarray(away * expit(away * eta))

    def curvature(self, eta: FloatArray, y: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the probability of 1 times that of 0."""
        return np.asarray(expit(eta) * expit(-eta))

    majorant = curvature


@dataclass(frozen=True, slots=True, kw_only=True)
class Poisson:
    """``e^eta - y eta`` for counts."""

    steepest: ClassVar[float] = math.inf

    def check(self, y: FloatArray) -> None:
        """Refuse negative targets."""
        if (y < 0).any():
            raise ParameterError("Poisson regression needs a target that counts: at least 0.")

    def value(self, eta: FloatArray, y: FloatArray) -> FloatArray:
        """Return the loss; infinite where the exponential overflows."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(eta) - y * eta)

    def slope(self, eta: FloatArray, y: FloatArray) -> FloatArray:
        """Return the expected count, minus ``y``."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(eta) - y)

    def curvature(self, eta: FloatArray, y: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the expected count."""
        with np.errstate(over="ignore"):
            return np.exp(eta)

    majorant = curvature


@dataclass(frozen=True, slots=True, kw_only=True)
class Huber:
    """``u^2/2`` of the residual ``u = y - eta``, from ``k`` on ``k |u| - k^2/2``."""

    k: float
    """Residual from which the loss is linear, in (0, inf)."""

    def __post_init__(self) -> None:
        if not 0 < self.k < math.inf:
            raise ParameterError(f"the threshold k must lie in (0, inf), got {self.k}.")

    @property
    def steepest(self) -> float:
        """Return ``k``."""
        return self.k

    def check(self, y: FloatArray) -> None:
        """Accept every target."""

    def value(self, eta: FloatArray, y: FloatArray) -> FloatArray:
        """Return the loss."""
        size = np.abs(y - eta)
        near = np.minimum(size, self.k)
        return np.asarray(near * (size - near / 2))

    def slope(self, eta: FloatArray, y: FloatArray) -> FloatArray:
        """Return the residual, cut at ``-k`` and ``k``, with the other sign."""
        return np.clip(eta - y, -self.k, self.k)

    def curvature(self, eta: FloatArray, y: FloatArray) -> FloatArray:
        """Return 1 for residuals up to ``k`` and 0 beyond."""
        return (np.abs(y - eta) <= self.k).astype(np.float64)

    def majorant(self, eta: FloatArray, y: FloatArray) -> FloatArray:
        """Return ``min(1, k / |u|)``, that of a parabola touching from above."""
        return np.asarray(self.k / np.maximum(np.abs(y - eta), self.k))


Loss = Logistic | Poisson | Huber


USUAL_THRESHOLD: Final = 0.25
"""Residual from which Huber's loss is linear, on a target from -1 to 1."""


class ModelKind(StrEnum):
    """A regression model."""

    LINEAR = "linear"
    """A number, with squared losses and a ridge penalty."""
    HUBER = "Huber"
    """A number, with losses that large residuals do not dominate."""
    LOGISTIC = "logistic"
    """The log odds of yes."""
    POISSON = "Poisson"
    """The logarithm of an expected count."""

    @property
    def unpenalized(self) -> str:
        """Return what the fit is called that no penalty shrinks."""
        linear = self is ModelKind.LINEAR
        return "an ordinary least-squares fit" if linear else "a fit without a penalty"

    def loss(self, threshold: float | None = None) -> Loss | None:
        """Return the loss; ``None`` for the linear model, which needs no search.

        Raises:
            ParameterError: A threshold is missing, or given where it has no use.

        """
        if (threshold is not None) is not (self is ModelKind.HUBER):
            verb = "needs" if self is ModelKind.HUBER else "has no use for"
            raise ParameterError(f"a {self} regression {verb} a threshold for its residuals.")
        if threshold is not None:
            return Huber(k=threshold)
        if self is ModelKind.LOGISTIC:
            return Logistic()
        return Poisson() if self is ModelKind.POISSON else None
