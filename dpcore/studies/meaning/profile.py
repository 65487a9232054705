"""What no attacker exceeds where only the worst case of a whole plan is known.

Where several numbers are released at once, their laws have no single threshold. But a
plan knows its epsilon at every delta, over all tables, and no test detects more than
``delta + e^epsilon a`` at the chance ``a`` of a false alarm, for any of them, nor more
than the same with the worlds exchanged allows (Kairouz, Oh and Viswanath 2015).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dpcore.arrays import FloatArray
from dpcore.privacy.halving import halved
from dpcore.studies.meaning.guarantee import Guarantee, require_prior

_DELTAS: Final = np.geomspace(1e-12, 0.9, 60)
_LEVELS: Final = 24
_HALVINGS: Final = 36
_LARGEST: Final = 700.0


@dataclass(frozen=True, kw_only=True, eq=False)
class ProfileBound:
    """Guarantees that hold at once; the least of what they allow. PUBLIC.

    Attributes:
        guarantees: At least one.
        largest_loss: The most that a release moves the log odds of the two worlds.

    """

    guarantees: tuple[tuple[float, float], ...] = field(repr=False)
    largest_loss: float

    @classmethod
    def of(cls, epsilon_at: Callable[[float], float]) -> Self:
        """Return what follows from the epsilon at each delta, which does not rise.

        ``epsilon_at(0)`` may be infinite.
        """
        pure = epsilon_at(0.0)
        _, free = halved(lambda delta: epsilon_at(delta) <= 0, 0.0, 1.0, times=_HALVINGS)
        # Close to what is free, epsilon changes fastest with delta.
        near = free * -np.expm1(-np.linspace(0, 12, _LEVELS)[1:])
        deltas = np.unique([*_DELTAS[free > _DELTAS], *near]).tolist()
        pairs = [(pure, 0.0), *((epsilon_at(d), d) for d in deltas), (0.0, free)]
        known = tuple((e, d) for e, d in pairs if 0 <= e <= _LARGEST)
        return cls(guarantees=known, largest_loss=pure)

    @property
    def advantage(self) -> float:
        """Return the least advantage that a guarantee allows, rounded up."""
        epsilon, delta = self._arrays
        return float(np.min(delta + (1 - delta) * np.tanh(epsilon / 2)))

    def detection(self, alarm: ArrayLike) -> FloatArray:
        """Return the highest chance of detection that all of them allow."""
        alarm = np.asarray(alarm, dtype=np.float64)
        allowed = [_detection(e, d, alarm) for e, d in self.guarantees]
        return np.asarray(np.min(allowed, axis=0))

    def best_guess(self, prior: ArrayLike) -> FloatArray:
        """Return how often the best guess is right, at most."""
        require_prior(prior)
        prior = np.asarray(prior, dtype=np.float64)[..., np.newaxis]
        epsilon, delta = self._arrays
        likelier = np.maximum(prior, 1 - prior)
        right = delta + (1 - delta) * np.maximum(expit(epsilon), likelier)
        return np.asarray(right.min(axis=-1))

    @cached_property
    def _arrays(self) -> tuple[FloatArray, FloatArray]:
        epsilon, delta = np.array(self.guarantees).T
        return epsilon, delta


def _detection(epsilon: float, delta: float, alarm: FloatArray) -> FloatArray:
    if epsilon == 0:
        return np.minimum(alarm + delta, 1.0)
    return Guarantee(epsilon=epsilon, delta=delta).detection(alarm)
