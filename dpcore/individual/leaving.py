"""What happens to a release of a model when each person leaves. CONFIDENTIAL."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.glm import GlmFit
    from dpcore.models.metrics import Metric
    from dpcore.models.release_laws import NoisyFit
    from dpcore.models.ridge import RidgeFit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaving:
    """What happens when each person leaves. CONFIDENTIAL.

    Attributes:
        epsilon: Loss of each person, shape ``(n,)``.
        leverage: Share of a prediction that the person's own record makes, in [0, 1].
        residual: What the fit without the person misses the person's target by: of
            the prediction for linear and Huber models, of the mean for others, there
            after one Newton step.
        lengths: How far the coefficients move in the norm of the noise.
        error: Largest relative error of approximate moves that an audit found; 0 where
            they are exact.
        exact: Whether the losses are exact, but for that error.
        note: What they are otherwise, or what to know of them.
        upper: Whether they are upper bounds.

    """

    epsilon: FloatArray = field(repr=False)
    leverage: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    lengths: FloatArray = field(repr=False)
    error: float = field(default=0.0, repr=False)
    exact: bool = True
    note: str = ""
    upper: bool = False


def gaussian_epsilon(law: NoisyFit, lengths: FloatArray, *, delta: float) -> FloatArray:
    """Return the exact epsilon of moves of some lengths."""
    return gaussian.epsilon_of(math.sqrt(law.gamma) * lengths, delta)


def copies_reach(
    fit: RidgeFit | GlmFit, slopes: FloatArray, rows: int, metric: Metric
) -> FloatArray:
    """Return how far ``rows`` rows like each person's own can move the coefficients.

    The gradient that they leave behind over the convexity of the penalty, ``k |x|
    |slope| / lambda``: no rows of a table that are like these move them further.
    Infinite without a penalty.
    """
    strength = np.float64(fit.penalty.convexity(fit.people))
    sizes = np.sqrt(np.einsum("ij,ij->i", fit.features, fit.features)) * slopes
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = rows * sizes / strength * math.sqrt(metric.largest)
    return np.where(np.isnan(reach), np.inf, reach)


def copies_note(rows: int) -> str:
    """Return what a loss is where a unit owns several rows, nobody knows which."""
    if rows == 1:
        return ""
    return (
        f"those of {rows} rows like the person's own; where the table does not hold so "
        "many, they are estimates within the guarantee"
    )
