"""Releasing the shares of all categories so that they add up to 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context
from typing import TYPE_CHECKING

import numpy as np

from dpcore.budget import PrivacyCost
from dpcore.errors import ParameterError
from dpcore.inference.intervals import (
    LEVEL,
    Intervals,
    normal_plus_laplace_quantile,
)
from dpcore.inference.multiple_synthesis import combine
from dpcore.inference.proportion_intervals import sampling_variance
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

_DOWN = Context(prec=60, rounding=ROUND_FLOOR)
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
        # Reads once, so that the demands of the procedure are met from here on.
        self.constraint.read(np.zeros(self._cells))

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

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the sum of the levels of the syntheses, each at its part of delta."""
        sets = self.constraint.syntheses
        return sets * self.mechanism.epsilon(self.sensitivity, delta=delta / sets)

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
        sets = self.constraint.syntheses
        level = self.mechanism.pair_epsilon(one, other, delta=delta / sets)
        return np.asarray(sets * level)

    def half_widths(self, level: float) -> FloatArray:
        """Return the noise of each share if all are equal, to first order."""
        even = np.full(self._cells, 1 / self._cells)
        return np.minimum(self._reach(even, sd=0.0, tail=1 - level), 1.0)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return shares that add up to 1, with noise-aware intervals."""
        read = self.constraint.read(value)
        sets, mechanism = self.constraint.syntheses, self.mechanism
        # Rounded down, so that all draws together stay within the cost.
        share = PrivacyCost(epsilon=_DOWN.divide(cost.epsilon, sets))
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
        sd = np.sqrt(sampling_variance(shares, self.query.size.people))
        return _within(shares, self._reach(shares, sd=sd, tail=1 - level))

    def _around(self, each: FloatArray, shares: FloatArray) -> Intervals:
        """Return intervals that hold for all shares together."""
        tail = (1 - LEVEL) / self._cells
        noise = _within(shares, self._reach(shares, sd=0.0, tail=tail))
        total = self.interval(shares, level=1 - tail)
        if self.constraint.syntheses > 1:
            within = sampling_variance(each, self.query.size.people)
            several = combine(each, within, level=1 - tail)
            total = np.stack([several.lower, several.upper], axis=-1)
        return Intervals(level=LEVEL, noise=noise, total=np.clip(total, 0, 1))

    def _reach(
        self, shares: FloatArray, *, sd: FloatArray | float, tail: float
    ) -> FloatArray:
        """Return how far noise and sampling reach together, but for ``tail``.

        The noise of a share counts as one Laplace draw of its variance. A sum of
        several has thinner tails, so that this errs on the wide side.
        """
        layers, sets = self.constraint.layers(self._cells), self.constraint.syntheses
        # A tree's multipliers are over flat noise, and include its own width.
        multipliers = self.constraint.multipliers(shares)
        scale = self.noise / layers * np.sqrt(multipliers / sets)
        unit = normal_plus_laplace_quantile(scale=1.0, sd=sd / scale, tail=tail)
        return np.asarray(scale * unit)

    @property
    def _statistic(self) -> Proportions:
        return self.query.statistic  # type: ignore[return-value] # of this kind of query

    @property
    def _cells(self) -> int:
        return len(self._statistic.cells)


def _within(shares: FloatArray, reach: FloatArray) -> FloatArray:
    """Return the intervals of that reach around shares, cut at 0 and 1."""
    return np.clip(np.stack([shares - reach, shares + reach], axis=-1), 0, 1)
