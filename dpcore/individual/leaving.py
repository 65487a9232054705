"""What happens to a release of a model when each person leaves. CONFIDENTIAL."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.release_laws import NoisyFit


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
