"""A mean with its standard deviation, drawn at once and for the cost of the mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcore.analyses import secure
from dpcore.analyses.measurement import (
    Answer,
    LabelledIntervals,
    OneMechanism,
    SimulatedDraws,
    Width,
)
from dpcore.arrays import FloatArray
from dpcore.inference.intervals import LEVEL, Intervals, noise_half_width
from dpcore.inference.spread_intervals import OF_SPREAD, SpreadEstimate, spread_intervals
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.statistics.joint_moments import JointMoments


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadPlan(OneMechanism):
    """Noise on the mean and on the mean square; the standard deviation follows.

    Attributes:
        statistic: The two numbers that noise is added to.
        names: What mean and standard deviation are called.

    """

    mechanism: Laplace | Gaussian
    statistic: JointMoments
    names: tuple[str, ...]

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, whose intervals hold together."""
        return len(self.names)

    def half_widths(self, level: float) -> FloatArray:
        """Return how far off mean and standard deviation are, at the worst values.

        An error ``e`` of a variance moves its root by ``√e`` at most.
        """
        nowhere = self.estimate(np.zeros(2))
        off = float(nowhere.noise_about(np.array([0.5]), 1 - level)[0])
        mean = noise_half_width(self.mechanism, bounds=self.statistic.range, level=level)
        return np.array([mean, self.statistic.bounds.width * min(math.sqrt(off), 0.5)])

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the mean at 95% together with the standard deviation."""
        mean = self.half_widths(1 - (1 - LEVEL) * (1 - OF_SPREAD))[0]
        return Width(half=float(mean), unit=unit, of="the mean")

    def errors(
        self,
        place: float,
        *,
        group: int,  # noqa: ARG002 - the common signature
        number: int,
        simulation: SimulatedDraws,
    ) -> FloatArray:
        """Return errors of the mean, or of a standard deviation about a mean in the middle.

        The number of people is that of the table, and not ``group``.
        """
        width = self.statistic.bounds.width
        away, square = (0.0, place**2 / 4) if number else (place - 0.5, 0.25)
        value = width * np.array([away, square])
        drawn = self.mechanism.simulate(value, rng=simulation.rng, size=(simulation.draws, 2))
        return (self.statistic.described(drawn) - self.statistic.described(value))[:, number]

    def truth(self, value: FloatArray) -> FloatArray:
        """Return mean and standard deviation of the table. CONFIDENTIAL."""
        return self.statistic.described(value)

    def estimate(self, described: FloatArray) -> SpreadEstimate:
        """Return what is known of a released mean and standard deviation."""
        bounds, people = self.statistic.bounds, self.statistic.size.people
        return SpreadEstimate.of(self.mechanism, described, bounds, people)

    def around(self, described: FloatArray) -> Intervals:
        """Return the intervals of both, in the unit of the column."""
        found = spread_intervals(self.estimate(described))
        scale, middle = self.statistic.bounds.width, self.statistic.middle
        start = np.array([[middle], [0.0]])
        return Intervals(
            level=found.level, noise=start + scale * found.noise, total=start + scale * found.total
        )

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the mean as it is drawn, and the standard deviation that follows."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        described = self.statistic.described(drawn)
        return Answer(
            labels=self.names,
            values=tuple(described.tolist()),
            intervals=LabelledIntervals.of(self.names, self.around(described)),
        )
