"""What a guarantee leaves an attacker, whatever mechanism gives it.

An attacker knows everything but one thing: whether a person's own record was used, or
what stands in its place (nothing, or another record). There are two worlds, and the
release tells them apart as well as the law of its noise allows. The *receiver operating
characteristic* says how often the person is found (*detection*) for how often somebody
who is not there is named (*false alarm*).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import require_budget
from dpcore.privacy.interpretation import best_guess


class Attack(Protocol):
    """What the best attacker can do against a pair of worlds."""

    @property
    def advantage(self) -> float:
        """The most by which detections outnumber false alarms, in [0, 1]."""

    @property
    def largest_loss(self) -> float:
        """The most that a release moves the log odds of the two worlds."""

    def detection(self, alarm: ArrayLike) -> FloatArray:
        """Return the chance of detection at each chance of a false alarm."""

    def best_guess(self, prior: ArrayLike) -> FloatArray:
        """Return how often the best guess is right, with that belief before.

        At even odds it is the share of right guesses over both worlds, which are then
        equally likely: ``(1 + advantage) / 2``. A guarantee limits that share. It does
        not limit detections alone: an attacker who always says yes detects everybody,
        and at epsilon 1 a release may have probability 0.90 in one world and 0.729 in
        the other.
        """


def require_prior(prior: ArrayLike) -> None:
    """Raise ParameterError unless ``prior`` is in [0, 1]."""
    if not np.all((np.asarray(prior) >= 0) & (np.asarray(prior) <= 1)):
        raise ParameterError(f"prior must be in [0, 1], got {np.asarray(prior)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """The worst case over all mechanisms that are (epsilon, delta)-DP.

    It is reached by the release that tells all with probability ``delta``, and else
    which world it is with the odds ``e^epsilon`` (Kairouz, Oh and Viswanath 2015).

    Attributes:
        epsilon: Positive and finite.
        delta: In [0, 1).

    Raises:
        ParameterError: One of them is outside its domain.

    >>> sure = Guarantee(epsilon=1.0)
    >>> round(float(sure.best_guess(0.5)), 10), round(sure.advantage, 10)
    (0.7310585786, 0.4621171573)

    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        require_budget(self.epsilon, self.delta)

    @property
    def advantage(self) -> float:
        """Return ``delta + (1 - delta) tanh(epsilon/2)``."""
        return self.delta + (1 - self.delta) * math.tanh(self.epsilon / 2)

    @property
    def largest_loss(self) -> float:
        """Return epsilon, and infinity where a delta may tell all."""
        return math.inf if self.delta > 0 else self.epsilon

    def detection(self, alarm: ArrayLike) -> FloatArray:
        """Return ``min(delta + e^epsilon a, 1 - e^-epsilon (1 - delta - a), 1)``."""
        alarm = np.asarray(alarm, dtype=np.float64)
        with np.errstate(divide="ignore", over="ignore"):
            steep = self.delta + np.exp(np.log(alarm) + self.epsilon)
        flat = 1 - math.exp(-self.epsilon) * (1 - self.delta - alarm)
        return np.asarray(np.clip(np.minimum(steep, flat), alarm, 1.0))

    def best_guess(self, prior: ArrayLike) -> FloatArray:
        """Return how often the best guess is right: the number of all pages.

        ``(e^epsilon + delta) / (1 + e^epsilon)`` at even odds, which a mechanism with
        this guarantee reaches (Kairouz, Oh and Viswanath 2015).
        """
        require_prior(prior)
        return best_guess(self.epsilon, delta=self.delta, prior=prior)
