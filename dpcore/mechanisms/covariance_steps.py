"""One step of the release of a covariance matrix, and who draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.mechanisms.base import Mechanism, Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The release of one number of the matrix, as a sampler has to know it.

    Attributes:
        mechanism: Law of the draw, for the range that is left.
        sensitivity: What one person can change.
        epsilon: The share of the budget; the published truncation exceeds it.

    """

    mechanism: Mechanism
    sensitivity: Sensitivity
    epsilon: float


class Draw(Protocol):
    """Draw from ``step.mechanism`` around ``value``, shape ``(1,)``."""

    def __call__(self, step: Step, value: FloatArray) -> FloatArray:
        """Return the drawn number, shape ``(1,)``."""
        ...
