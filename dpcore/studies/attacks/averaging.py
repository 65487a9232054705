"""Averaging: the same question again and again, until the noise is averaged away.

After ``k`` answers of epsilon each, with Laplace noise of scale ``b`` on a count, the
mean is off by a normal error of standard deviation ``b sqrt(2/k)`` (central limit
theorem), and everybody has lost ``k`` epsilon. Whoever is answered the same for the
same question learns nothing from asking again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.mechanism import require_budget

LEVEL: Final = 0.95
_Z = float(ndtri((1 + LEVEL) / 2))
_HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Averaging:
    """What asking again and again has told. CONFIDENTIAL.

    Attributes:
        truth: The exact count.
        answers: The answers with fresh noise, in their order, shape ``(m,)``.
        epsilon: The price of each. Public.
        scale: Scale of the noise on each. Public.
        budget: What all answers together may cost. Public.

    """

    truth: float = field(repr=False)
    answers: FloatArray = field(repr=False)
    epsilon: float
    scale: float
    budget: float

    @property
    def means(self) -> FloatArray:
        """Return the mean of the first answers, after each, shape ``(m,)``."""
        return np.asarray(np.cumsum(self.answers) / self.asked)

    @property
    def asked(self) -> FloatArray:
        """Return how often was asked, shape ``(m,)``."""
        return np.arange(1.0, len(self.answers) + 1)

    @property
    def affordable(self) -> int:
        """Return how many fresh answers the budget pays for."""
        # A budget of ten times a price that no float holds exactly pays for ten.
        return math.floor(self.budget / self.epsilon * (1 + 1e-12))

    @property
    def settled(self) -> float:
        """Return from how many answers on the rounded mean is the truth; or inf."""
        wrong = np.flatnonzero(np.abs(self.means - self.truth) >= _HALF)
        since = 0 if wrong.size == 0 else int(wrong[-1]) + 1
        return float(since + 1) if since < len(self.answers) else math.inf


def band(asked: ArrayLike, scale: float) -> FloatArray:
    """Return how far off the mean is in 95 of 100 cases, after so many answers."""
    return np.asarray(_Z * scale * np.sqrt(2 / np.asarray(asked, dtype=np.float64)))


def needed(epsilon: float) -> int:
    """Return after how many answers the rounded mean is right 95 times of 100.

    ``k >= 2 (z b / (1/2))^2`` with ``b = 1/epsilon``, by the normal approximation.

    >>> needed(1.0), needed(0.1)
    (31, 3074)
    """
    require_budget(epsilon)
    return math.ceil(2 * (_Z / (_HALF * epsilon)) ** 2)


def ask_again(
    count: float, *, epsilon: float, budget: float, times: int, rng: np.random.Generator
) -> Averaging:
    """Return what somebody learns who asks for a count so many times.

    Raises:
        ParameterError: ``epsilon`` or ``budget`` is not in (0, inf), or ``times`` is
            below 1.

    """
    require_budget(epsilon)
    require_budget(budget)
    if times < 1:
        raise ParameterError(f"the question must be asked at least once, got {times}.")
    scale = least_scale(1.0, epsilon)
    return Averaging(
        truth=count,
        answers=count + rng.laplace(scale=scale, size=times),
        epsilon=epsilon,
        scale=scale,
        budget=budget,
    )
