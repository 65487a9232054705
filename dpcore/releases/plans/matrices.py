"""Releasing a covariance matrix: variances, then covariances, then what follows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.correlations import correlation_intervals
from dpcore.inference.intervals import (
    LEVEL,
    Coordinate,
    Intervals,
    intervals_of_each,
    level_of_each,
)
from dpcore.mechanisms.bounded import FLAT_BELOW
from dpcore.mechanisms.covariances import (
    CovarianceRelease,
    Step,
    correlations_of,
    matrix_of,
    reaches_of,
    vector_of,
)
from dpcore.postprocessing.psd_repair import repair
from dpcore.privacy.conversions import rho_of_pure
from dpcore.privacy.events import PureEvent
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases import secure
from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.plans.plan import Answer
from dpcore.statistics.covariance import CovarianceMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixPlan:
    """Draws step by step, each step fixed by public numbers and earlier answers.

    Raises:
        ParameterError: A share of the budget is too small to truncate with.

    """

    release: CovarianceRelease
    statistic: CovarianceMatrix

    def __post_init__(self) -> None:
        if self.release.key.startswith("truncated"):
            # A covariance may be left a range as narrow as its noise: refuse now what
            # could not be drawn then, when the variances are out.
            share = float(self.release.epsilons.min())
            try:
                secure.candidates(share, 1.0)
            except ParameterError:
                raise ParameterError(
                    f"a share of epsilon {share:.3g} is too small to truncate with; "
                    "choose BIT Laplace, spend more, or give no number so little."
                ) from None

    @property
    def noise(self) -> float:
        """Return the largest scale of the noise."""
        return float(self.release.scales.max())

    def worst_case(self, *, delta: float = 0.0) -> float:  # noqa: ARG002 - pure DP
        """Return the sum of the steps' levels."""
        return self.release.real_epsilon

    @property
    def rho(self) -> float:
        """Return the sum of the steps' zCDP levels, each that of its pure level."""
        return float(np.sum(rho_of_pure(self.release.levels)))

    @property
    def event(self) -> PureEvent:
        """Return a pure event of the whole level."""
        return PureEvent.of(self.release.real_epsilon)

    def pair_epsilon(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        delta: float = 0.0,  # noqa: ARG002 - pure DP
    ) -> FloatArray:
        """Return what all steps together reveal about a pair of matrices.

        Exact for Laplace and BIT. Truncated noise may reveal more of a shorter move
        the other way, towards a bound, and ``CovarianceMatrix.neighbors`` gives the
        longer one only: for it, a bound on moves of each number either way.
        """
        levels = self.release.levels_between(first, second)
        if self.release.key.startswith("truncated"):
            first, second = (np.asarray(end, dtype=float) for end in (first, second))
            other_way = self.release.levels_between(first, 2 * first - second)
            levels = np.maximum(levels, other_way)
        return np.asarray(levels.sum(axis=-1))

    def half_widths(self, level: float) -> FloatArray:
        """Return the half-width of each number's noise; bounds only make it smaller.

        A covariance may be off by more where the released variances leave it a range
        that does not reach it; its released interval takes that into account.
        """
        reach = -np.log1p(-level) * self.release.scales
        return np.asarray(np.minimum(reach, 2 * self.release.largest))

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - each step has a cost of its own
        """Return the numbers as drawn, the correlations, and the repaired matrix."""
        drawn = self.release.release(value, _secure)
        labels, derived = self.statistic.labels, self._derived(drawn)
        around = self._around(drawn)
        correlated = [place for place, name in enumerate(self._correlated) if name in derived]
        # They follow from the intervals of the numbers, and hold whenever those do.
        around = Intervals(
            level=around.level,
            noise=_with_correlations(around.noise, correlated),
            total=_with_correlations(around.total, correlated),
        )
        named = tuple(self._correlated[place] for place in correlated)
        return Answer(
            labels=labels,
            values=tuple(drawn.tolist()),
            intervals=LabelledIntervals.of((*labels, *named), around),
            derived=derived,
        )

    def _around(self, drawn: FloatArray) -> Intervals:
        """Return an interval for each number, all of them holding together."""
        level = level_of_each(len(drawn))
        largest, reaches = self.release.largest, self._reaches(drawn)
        parts = self.statistic.parts
        noise = np.array([[part.range.lower, part.range.upper] for part in parts])
        total = noise.copy()
        # What was not drawn: nothing is known of it.
        known = np.flatnonzero(reaches > largest * FLAT_BELOW)
        found = intervals_of_each(
            [
                Coordinate(
                    mechanism=self.release.step(place, float(reaches[place])).mechanism,
                    statistic=parts[place],
                    value=float(drawn[place]),
                    bounds=parts[place].range,
                )
                for place in known.tolist()
            ],
            tail=1 - level,
        )
        noise[known] = found.noise
        # At an end of what the variances leave, it may lie anywhere beyond.
        beyond = np.stack([drawn <= -reaches, drawn >= reaches], axis=-1)[known]
        total[known] = np.where(beyond, total[known], found.total)
        return Intervals(level=LEVEL, noise=noise, total=total)

    def _reaches(self, drawn: FloatArray) -> FloatArray:
        """Return how large each number could be when it was drawn."""
        largest, columns = self.release.largest, self.release.columns
        if self.release.key == "laplace":  # earlier answers make no difference to it
            return largest
        return np.concatenate([largest[:columns], reaches_of(drawn[:columns])])

    def _derived(self, drawn: FloatArray) -> dict[str, float]:
        """Return what follows from released numbers: post-processing, and free."""
        labels = self.statistic.labels

        def correlations(numbers: FloatArray) -> dict[str, float]:
            # Without bounds a covariance may be larger than its variances allow.
            known = np.clip(correlations_of(numbers), -1, 1)
            named = zip(self._correlated, known.tolist(), strict=True)
            return {name: number for name, number in named if not math.isnan(number)}

        derived = correlations(drawn)
        repaired = repair(matrix_of(drawn))
        if repaired.changed:
            after = vector_of(repaired.after)
            for label, number in zip(labels, after, strict=True):
                derived[f"repaired {label}"] = float(number)
            for name, number in correlations(after).items():
                derived[f"repaired {name}"] = number
        return derived

    @property
    def _correlated(self) -> tuple[str, ...]:
        """Return the name of each correlation, in the order of the covariances."""
        covariances = self.statistic.labels[self.release.columns :]
        return tuple(f"corr{label.removeprefix('cov')}" for label in covariances)


def _with_correlations(ends: FloatArray, kept: list[int]) -> FloatArray:
    """Return intervals of a matrix's numbers, then those of some correlations."""
    return np.concatenate([ends, correlation_intervals(ends)[kept]])


def _secure(step: Step, value: FloatArray) -> FloatArray:
    cost = PrivacyCost(epsilon=Decimal(step.epsilon))
    return secure.draw(step.mechanism, value, sensitivity=step.sensitivity, cost=cost)
