"""The exponential mechanism for a quantile over all numbers between the bounds.

Its law is known exactly, which makes it the reference for choices from a grid; releases
use ``RankScores`` on a public grid, for which there is a secure sampler.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from dpcore.errors import ParameterError
from dpcore.mechanisms.base import require_budget

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray, Interval


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuantileLaw:
    """Law of the private quantile of one table (Smith 2011). CONFIDENTIAL.

    With ``z`` the clamped values in order between the two bounds, it chooses interval
    ``i`` from ``z_i`` to ``z_(i+1)`` with a probability proportional to ``(z_(i+1) -
    z_i) exp(-epsilon |i - q n| / (2 D))``, and then any point of it alike. No change of
    a score exceeds ``D``: 1 holds under both relations, ``max(q, 1 - q)`` under
    add/remove.

    Attributes:
        edges: The ``n + 2`` points ``z``, ascending.
        log_weights: Logarithm of each interval's weight, shape ``(n + 1,)``; ``-inf``
            for one without length.

    >>> from dpcore.data.bounds import Interval
    >>> law = QuantileLaw.of(
    ...     [1, 2, 3, 4, 10], q=0.5, epsilon=1.0, bounds=Interval(lower=0, upper=20)
    ... )
    >>> round(law.mean, 9)
    8.525711971

    """

    edges: FloatArray = field(repr=False)
    log_weights: FloatArray = field(repr=False)

    @classmethod
    def of(
        cls,
        values: ArrayLike,
        *,
        q: float,
        epsilon: float,
        bounds: Interval,
        change: float = 1.0,
    ) -> Self:
        """Return the law for the values of a table, one a person.

        Args:
            values: Shape ``(n,)``; clamped to the bounds. There may be none.
            q: Which quantile, in [0, 1].
            epsilon: The pure level.
            bounds: Public and finite. Where they coincide, so do all releases.
            change: ``D``, the most by which one record changes a score.

        Raises:
            ParameterError: A parameter is outside its domain or a value is missing.

        """
        require_budget(epsilon)
        if not (0 <= q <= 1 and 0 < change < math.inf):
            message = (
                "q must be from 0 to 1 and the change of a score positive and finite, "
                f"got {q} and {change}."
            )
            raise ParameterError(message)
        if not math.isfinite(bounds.width):
            message = f"a quantile needs finite bounds, got {bounds}."
            raise ParameterError(message)
        inside = np.sort(bounds.clip(values))
        if np.isnan(inside).any():
            message = "a value is missing; drop or replace missing values first."
            raise ParameterError(message)
        edges = np.concatenate([[bounds.lower], inside, [bounds.upper]])
        ranks = np.arange(len(edges) - 1)
        with np.errstate(divide="ignore"):
            lengths = np.log(np.diff(edges))
        away = np.abs(ranks - q * len(inside))
        return cls(edges=edges, log_weights=lengths - epsilon * away / (2 * change))

    @property
    def probabilities(self) -> FloatArray:
        """Return the probability of each interval, shape ``(n + 1,)``.

        Where the bounds coincide they are all 0 but the first, which is 1.
        """
        largest = self.log_weights.max()
        if np.isneginf(largest):
            return np.asarray(np.eye(1, len(self.log_weights))[0])
        weights = np.exp(self.log_weights - largest)
        return np.asarray(weights / weights.sum())

    @property
    def mean(self) -> float:
        """Return the mean of a release."""
        middles = self.edges[:-1] + np.diff(self.edges) / 2
        return float(self.probabilities @ middles)

    def pdf(self, x: ArrayLike) -> FloatArray:
        """Return the density at ``x``, that of the upper interval at an edge."""
        with np.errstate(divide="ignore", invalid="ignore"):
            density = self.probabilities / np.diff(self.edges)
        density = np.concatenate([[0.0], density, [0.0]])
        return np.asarray(density[np.searchsorted(self.edges, x, side="right")])

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of releasing at most ``x``."""
        reached = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        place = np.searchsorted(self.edges, x, side="right") - 1
        inside = np.clip(place, 0, len(self.edges) - 2)
        left, right = self.edges[inside], self.edges[inside + 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.clip((np.asarray(x) - left) / (right - left), 0.0, 1.0)
        cdf = reached[inside] + share * self.probabilities[inside]
        return np.where(place < 0, 0.0, np.where(place > inside, 1.0, cdf))

    def simulate(
        self, *, rng: np.random.Generator, size: tuple[int, ...]
    ) -> FloatArray:
        """Draw simulated releases, of shape ``size``. Not for real releases."""
        chosen = rng.choice(len(self.log_weights), size=size, p=self.probabilities)
        left, right = self.edges[chosen], self.edges[chosen + 1]
        return np.asarray(left + (right - left) * rng.random(size))
