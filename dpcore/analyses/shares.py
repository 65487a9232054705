"""Releasing the shares of all categories so that they add up to 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpcore.analyses import secure
from dpcore.analyses.base import Question, whole_unit
from dpcore.analyses.measurement import Answer, LabelledIntervals, Plan, Width
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL, Intervals, level_of_each
from dpcore.inference.proportion_intervals import (
    UNIT,
    Average,
    ReadingLaw,
    Remainder,
    adding_up,
    half_width,
    population_intervals,
    table_intervals,
)
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity
from dpcore.postprocessing.share_constraints import Constraint, ConstraintKind
from dpcore.privacy.events import PrivacyEvent, PureEvent
from dpcore.privacy_filter import PrivacyCost
from dpcore.statistics.histogram import Proportions

_DOWN = Context(prec=60, rounding=ROUND_FLOOR)
_EVERYWHERE = Interval(lower=-np.inf, upper=np.inf)
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


@dataclass(frozen=True, kw_only=True)
class SharePlan(Plan):
    """Noise on shares, or on sums of them, and a procedure that makes them add up.

    With several syntheses each has an equal part of the budget; the procedure is
    post-processing and costs nothing. Pure DP.

    ``epsilon`` is what all draws together are calibrated to, ``rounding`` what floats
    add to the change of one share.
    """

    query: Question
    key: str
    epsilon: float
    constraint: Constraint
    rounding: float

    def __post_init__(self) -> None:
        if self.constraint.kind not in fitting(self.key):
            raise ParameterError(
                f"“{self.constraint.kind}” does not go with {CATALOG[self.key].label}; "
                "choose BIT Laplace."
            )
        # Reads once, so that the demands of the procedure are met from here on.
        self.constraint.read(np.zeros(self._cells))

    @cached_property
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

    @cached_property
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
        return PureEvent.from_ratio(self.worst_case())

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return what the draws reveal about a pair of shares, summed over them."""
        read = self.constraint.read
        one, other = (read(np.asarray(side, dtype=float)) for side in (first, second))
        one, other = np.broadcast_arrays(one, other)
        sets = self.constraint.syntheses
        level = self.mechanism.pairwise_epsilon(one, other, delta=delta / sets)
        return np.asarray(sets * level)

    def half_widths(self, level: float) -> FloatArray:
        """Return how far the reading of each share may be off, and 1 at most."""
        return np.array([half_width(law, tail=1 - level) for law in self.laws])

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        half = float(self.half_widths(level_of_each(self._cells)).max())
        return Width(half=half, unit=unit)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return shares that add up to 1, with intervals that hold together."""
        read = self.constraint.read(value)
        sets, mechanism = self.constraint.syntheses, self.mechanism
        # Rounded down, so that all draws together stay within the cost.
        share = PrivacyCost(epsilon=_DOWN.divide(cost.epsilon, sets))
        drawn = [
            secure.draw(mechanism, read, sensitivity=self.sensitivity, cost=share)
            for _ in range(sets)
        ]
        noisy, labels = np.array(drawn), self._statistic.labels
        shares = self.constraint.adjust(noisy, self._cells).mean(axis=0)
        return Answer(
            labels=labels,
            values=tuple(shares.tolist()),
            intervals=LabelledIntervals.of(labels, self._around(noisy, shares)),
        )

    @cached_property
    def laws(self) -> tuple[ReadingLaw, ...]:
        """Return the law of each cell's reading, averaged over the syntheses.

        Intervals are about readings (``Constraint.readings``), whose law is known
        whatever the other shares are. What the procedure makes of them is not: it may
        move a rare share by more than its noise.
        """
        sets, constraint = self.constraint.syntheses, self.constraint
        bounds = UNIT if CATALOG[self.key].bounded else _EVERYWHERE
        of_one = Average(mechanism=self.mechanism, draws=sets, bounds=bounds)
        laws: list[ReadingLaw] = [of_one] * self._cells
        if constraint.remainder is not None:
            laws[constraint.remainder] = Remainder(
                noise=self.noise, noises=(self._cells - 1) * sets, draws=sets
            )
        return tuple(laws)

    def _around(self, noisy: FloatArray, shares: FloatArray) -> Intervals:
        """Return intervals that hold for all shares together.

        Args:
            noisy: What was drawn, shape ``(syntheses, readings)``.
            shares: What is released, which no interval leaves out.

        """
        tail, people = (1 - LEVEL) / self._cells, self.query.size.people
        readings = self.constraint.readings(noisy, self._cells).mean(axis=0)
        noise = np.empty((self._cells, 2))
        total = np.empty_like(noise)
        # All cells but one that gets the rest have the same law.
        for law in dict.fromkeys(self.laws):
            cells = [cell for cell, of in enumerate(self.laws) if of == law]
            at = readings[cells]
            noise[cells] = table_intervals(law, at, tail=tail)
            total[cells] = population_intervals(law, at, people=people, tail=tail)
        return Intervals(level=LEVEL, noise=_around(shares, noise), total=_around(shares, total))

    @property
    def _statistic(self) -> Proportions:
        return self.query.statistic  # type: ignore[return-value] # of this kind of query

    @property
    def _cells(self) -> int:
        return len(self._statistic.cells)


def _around(shares: FloatArray, ends: FloatArray) -> FloatArray:
    """Return the intervals cut by one another, but not short of the released shares."""
    lower, upper = np.moveaxis(adding_up(ends), -1, 0)
    around = [np.minimum(lower, shares), np.maximum(upper, shares)]
    return UNIT.clip(np.stack(around, axis=-1))
