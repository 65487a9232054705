"""Which models there are, and with which loss each is fitted."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from dpcore.errors import ParameterError
from dpcore.models.losses import Huber, Logistic, Loss, Poisson

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
