"""Comparing the resized bootstrap fairly: with Laplace noise that does equally well.

To set both to "epsilon = 1/Z" compares a promise that holds with one that does not.
Three fair ways: the same advantage of an attacker who looks once (total variation), the
same (epsilon, delta), or the same error. All of it is about a share, which one person
moves by 1/n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.privacy.interpretation import laplace_detection


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Noise on the share of all rows that does as well as a resample in one respect."""

    key: str
    """One of "claim", "advantage", "pair", "error" or "uniform"."""
    name: str
    """What it has in common, in plain words."""
    epsilon: float
    """Its pure epsilon; ``inf`` for uniform noise, which has none."""
    variance: float
    """Its variance, whatever the share."""
    delta: float = 0.0
    """Where it is no Laplace noise: its delta at every epsilon, the chance of an answer
    that is proof; else 0.
    """

    def deltas(self, epsilon: ArrayLike) -> FloatArray:
        """Return the exact profile: ``1 - e^((epsilon - epsilon_0)/2)`` for Laplace."""
        at = np.asarray(epsilon, dtype=np.float64)
        if self.delta:
            return np.full(at.shape, self.delta)
        return np.asarray(-np.expm1(np.minimum(at - self.epsilon, 0.0) / 2))

    def detection(self, alarm: ArrayLike) -> FloatArray:
        """Return the best chance of detection at a chance of a false alarm."""
        at = np.asarray(alarm, dtype=np.float64)
        if self.delta:
            return np.minimum(1.0, self.delta + at)
        return laplace_detection(at, r=self.epsilon)

    def failing(self, chance: float) -> float:
        """Return the epsilon at which ``delta`` is ``chance``: ``eps_0 + 2 log(1-c)``.

        0 where it is less often at every epsilon, or for noise that always fails.

        >>> rival = Rival(key="pair", name="", epsilon=0.3, variance=1.0)
        >>> round(rival.failing(0.1), 6)
        0.089279
        """
        if self.delta or chance >= 1:
            return 0.0
        return max(0.0, self.epsilon + 2 * math.log1p(-chance))


def laplace_variance(people: int, epsilon: float) -> float:
    """Return ``2 / (epsilon n)^2``: Laplace noise on a share of ``n`` people."""
    return 2 / (epsilon * people) ** 2


def same_advantage(bootstrap: ResizedBootstrap) -> float:
    """Return the epsilon of Laplace noise with total variation tau: ``-2 log(1-tau)``.

    >>> from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
    >>> round(same_advantage(ResizedBootstrap.of_ratio(1000, 10)), 12)
    0.200100066717
    """
    return 2 * bootstrap.reverse_epsilon


def same_pair(bootstrap: ResizedBootstrap) -> float:
    """Return the epsilon of Laplace noise whose delta at 1/Z is tau.

    ``1/Z - 2 log(1 - tau)``.
    """
    return bootstrap.claimed_epsilon + same_advantage(bootstrap)


def uniform_variance(bootstrap: ResizedBootstrap) -> float:
    """Return the variance of uniform noise that is (0, tau)-DP, too.

    Its width is ``1/(n tau)``: then the two laws of neighbors overlap but for tau.
    """
    return 1 / (bootstrap.people * bootstrap.delta()) ** 2 / 12


def rivals(bootstrap: ResizedBootstrap, ones: int) -> tuple[Rival, ...]:
    """Return what a resample of ``ones`` ones in ``n`` is compared with.

    Where all rows are equal a resample has no error, and no noise matches it.

    Raises:
        ParameterError: ``ones`` is not in [0, n].

    """
    n = bootstrap.people
    if not 0 <= ones <= n:
        raise ParameterError(f"the number of ones must be in [0, {n}], got {ones}.")
    spread = float(bootstrap.variance(ones / n))
    claim = f"{bootstrap.claimed_epsilon:.3g}"
    levels = {
        "claim": (f"Laplace noise, ε {claim} as claimed", bootstrap.claimed_epsilon),
        "pair": (f"Laplace noise that fails as rarely at ε {claim}", same_pair(bootstrap)),
        "advantage": ("Laplace noise that helps one look as much", same_advantage(bootstrap)),
    }
    if spread > 0:
        level = math.sqrt(2 / spread) / n
        levels["error"] = ("Laplace noise with the same typical error", level)
    found = [
        Rival(key=key, name=name, epsilon=level, variance=laplace_variance(n, level))
        for key, (name, level) in levels.items()
        if math.isfinite(level)
    ]
    uniform = Rival(
        key="uniform",
        name="uniform noise that fails as rarely at every ε",
        epsilon=math.inf,
        variance=uniform_variance(bootstrap),
        delta=bootstrap.delta(),
    )
    return (*found, uniform)


def break_even(bootstrap: ResizedBootstrap, rival: Rival) -> float:
    """Return the ``n p (1 - p)`` above which a rival has the smaller variance.

    A resample has ``p (1 - p) / m``.
    """
    return rival.variance * bootstrap.draws * bootstrap.people


def detection(bootstrap: ResizedBootstrap, alarm: ArrayLike) -> FloatArray:
    """Return the best detection of a trait that one person has, from one score.

    A straight line from ``(0, tau)`` to ``(1, 1)``: either there is proof, or nothing
    is known beyond a guess.
    """
    at = np.asarray(alarm, dtype=np.float64)
    tau = bootstrap.delta()
    return np.asarray(tau + (1 - tau) * at)


def detection_around(
    bootstrap: ResizedBootstrap, ones: int, *, scores: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Return false alarms and detections of the best tests of one more one.

    One corner for each number of ones to ask for; in between tests are mixed.

    Raises:
        ParameterError: There is no neighbor with one more one.

    """
    pair = bootstrap.pair(ones, scores=scores)
    more, fewer = pair.laws
    low = min(more.counts[0], fewer.counts[0])
    high = max(more.counts[-1], fewer.counts[-1])
    size = int(high - low) + 1
    corners = []
    for law in (fewer, more):
        mass = np.zeros(size)
        start = int(law.counts[0] - low)
        mass[start : start + len(law.mass)] = law.mass
        corners.append(np.concatenate([[0.0], np.cumsum(mass[::-1])]))
    return np.minimum(corners[0], 1.0), np.minimum(corners[1], 1.0)
