"""Releasing the shares of all categories so that they add up to 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from dpcore.budget import PrivacyCost, computed
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL, Intervals
from dpcore.inference.multiple_synthesis import combine
from dpcore.inference.proportion_intervals import noise_aware, sampling_variance
from dpcore.mechanisms.base import Sensitivity
from dpcore.mechanisms.catalog import CATALOG
from dpcore.privacy.composition import PrivacyEvent
from dpcore.releases import secure
from dpcore.releases.constraints import ConstraintKind
from dpcore.releases.plans import Answer, labelled
from dpcore.statistics.question import whole_unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray
    from dpcore.mechanisms.base import Mechanism
    from dpcore.releases.constraints import Constraint
    from dpcore.statistics.proportions import Proportions
    from dpcore.statistics.query import Query

_WITHIN_BOUNDS = ("bit", "truncated", "truncated-published", "folded")
_FITTING = {
    ConstraintKind.RESCALE: _WITHIN_BOUNDS,
    ConstraintKind.TREE: _WITHIN_BOUNDS,
    # Clamping to what is left looks at noisy numbers only; redrawing would not.
    ConstraintKind.ALL_BUT_ONE: ("bit",),
    ConstraintKind.PROJECT: ("laplace", *_WITHIN_BOUNDS),
}


def fitting(key: str) -> tuple[ConstraintKind, ...]:
    """Return the procedures for shares that go with a mechanism."""
    return tuple(kind for kind, keys in _FITTING.items() if key in keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePlan:
    """Noise on shares, or on sums of them, and a procedure that makes them add up.

    With several syntheses each has an equal part of the budget; the procedure is
    post-processing and costs nothing. Pure DP.

    Attributes:
        query: Asks for all shares of a column.
        key: The mechanism.
        epsilon: What all draws together are calibrated to.
        constraint: The procedure.
        rounding: What floats add to the change of one share.

    """

    query: Query
    key: str
    epsilon: float
    constraint: Constraint
    rounding: float

    def __post_init__(self) -> None:
        if self.constraint.kind not in fitting(self.key):
            message = (
                f"“{self.constraint.kind}” does not go with "
                f"{CATALOG[self.key].label}; choose BIT Laplace."
            )
            raise ParameterError(message)

    @property
    def sensitivity(self) -> Sensitivity:
        """Return what one unit can change in the numbers that noise is added to."""
        statistic = self._statistic
        if self.constraint.kind is ConstraintKind.ALL_BUT_ONE:
            statistic = replace(statistic, omit_last=True)
        one = whole_unit(statistic, self.query.relation, self.query.unit)
        layers = self.constraint.layers(self._cells)
        coordinates = one.coordinates * layers
        slack = coordinates * self.rounding
        return Sensitivity(
            coordinates=coordinates,
            l1=one.l1 * layers + slack,
            l2=one.l2 * layers**0.5 + slack,
            largest=one.largest + slack,
        )

    @property
    def mechanism(self) -> Mechanism:
        """Return the mechanism of one synthesis."""
        return CATALOG[self.key].calibrate(
            sensitivity=self.sensitivity,
            epsilon=self.epsilon / self.constraint.syntheses,
            bounds=self.query.bounds,
        )

    @property
    def noise(self) -> float:
        """Return the scale of the noise of one synthesis."""
        return self.mechanism.noise

    def worst_case(self, *, delta: float = 0.0) -> float:  # noqa: ARG002 - pure DP
        """Return the sum of the levels of the syntheses."""
        return self.constraint.syntheses * self.mechanism.epsilon(self.sensitivity)

    @property
    def rho(self) -> float:
        """Return the sum of the zCDP levels of the syntheses."""
        return self.constraint.syntheses * self.mechanism.rho(self.sensitivity)

    @property
    def event(self) -> PrivacyEvent:
        """Return a pure event of the whole level."""
        if self.constraint.syntheses == 1:
            return self.mechanism.event(self.sensitivity)
        return PrivacyEvent.of("pure", self.worst_case())

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return what the draws reveal about a pair of shares, summed over them."""
        read = self.constraint.read
        one, other = (read(np.asarray(side, dtype=float)) for side in (first, second))
        one, other = np.broadcast_arrays(one, other)
        level = self.mechanism.pair_epsilon(one, other, delta=delta)
        return np.asarray(self.constraint.syntheses * level)

    def half_widths(self, level: float) -> FloatArray:
        """Return the noise of each share if all are equal, to first order."""
        even = np.full(self._cells, 1 / self._cells)
        width = -ndtri((1 - level) / 2) * np.sqrt(self._noise_variance(even))
        return np.minimum(width, 1.0)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return shares that add up to 1, with noise-aware intervals."""
        read = self.constraint.read(value)
        sets, mechanism = self.constraint.syntheses, self.mechanism
        share = PrivacyCost(
            epsilon=computed(mechanism.epsilon(self.sensitivity)),
            delta=cost.delta,
            rho=computed(mechanism.rho(self.sensitivity)),
        )
        drawn = [
            secure.draw(mechanism, read, sensitivity=self.sensitivity, cost=share)
            for _ in range(sets)
        ]
        each = self.constraint.adjust(np.array(drawn), self._cells)
        shares = each.mean(axis=0)
        labels = self._statistic.labels
        return Answer(
            labels=labels,
            values=tuple(shares.tolist()),
            intervals=labelled(labels, self._around(each, shares)),
        )

    def interval(self, shares: FloatArray, *, level: float) -> FloatArray:
        """Return noise-aware intervals, shape ``(..., cells, 2)``, one at a time.

        Of one synthesis, or of the mean of several by what is known of the noise.
        """
        ends = noise_aware(
            shares,
            people=self.query.size.people,
            noise_variance=self._noise_variance(shares),
            level=level,
        )
        return np.clip(ends, 0, 1)

    def _around(self, each: FloatArray, shares: FloatArray) -> Intervals:
        """Return intervals that hold for all shares together."""
        tail = (1 - LEVEL) / self._cells
        reach = -ndtri(tail / 2) * np.sqrt(self._noise_variance(shares))
        noise = np.stack([shares - reach, shares + reach], axis=-1)
        total = self.interval(shares, level=1 - tail)
        if self.constraint.syntheses > 1:
            within = sampling_variance(each, self.query.size.people)
            several = combine(each, within, level=1 - tail)
            total = np.stack([several.lower, several.upper], axis=-1)
        return Intervals(
            level=LEVEL, noise=np.clip(noise, 0, 1), total=np.clip(total, 0, 1)
        )

    def _noise_variance(self, shares: FloatArray) -> FloatArray:
        layers, sets = self.constraint.layers(self._cells), self.constraint.syntheses
        # A tree's multipliers are over flat noise, and include its own width.
        flat = 2 * (self.noise / layers) ** 2 / sets
        return flat * self.constraint.multipliers(shares)

    @property
    def _statistic(self) -> Proportions:
        return self.query.statistic  # type: ignore[return-value] # of this kind of query

    @property
    def _cells(self) -> int:
        return len(self._statistic.cells)
