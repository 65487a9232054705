"""Releasing a covariance matrix: variances, then covariances, then what follows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.budget import PrivacyCost, computed
from dpcore.inference.intervals import LEVEL, Intervals, intervals
from dpcore.inference.psd_repair import repair
from dpcore.mechanisms.covariance_layout import matrix_of, reaches_of, vector_of
from dpcore.privacy.composition import PrivacyEvent
from dpcore.privacy.conversions import rho_of_pure
from dpcore.releases import secure
from dpcore.releases.plans import Answer, labelled

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray
    from dpcore.mechanisms.covariance_release import CovarianceRelease
    from dpcore.mechanisms.covariance_steps import Step
    from dpcore.statistics.covariance_matrix import CovarianceMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixPlan:
    """Draws step by step, each step fixed by public numbers and earlier answers.

    Attributes:
        release: The steps, their scales and levels.
        statistic: The variances and covariances.

    Raises:
        ParameterError: A share of the budget is too small to truncate with.

    """

    release: CovarianceRelease
    statistic: CovarianceMatrix

    def __post_init__(self) -> None:
        if self.release.key.startswith("truncated"):
            # A covariance may be left a range as narrow as its noise: refuse now what
            # could not be drawn then, when the variances are out.
            for epsilon in self.release.epsilons:
                secure.candidates(float(epsilon), 1.0)

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
    def event(self) -> PrivacyEvent:
        """Return a pure event of the whole level."""
        return PrivacyEvent.of("pure", self.release.real_epsilon)

    def pair_epsilon(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        delta: float = 0.0,  # noqa: ARG002 - pure DP
    ) -> FloatArray:
        """Return what all steps together reveal about a pair of matrices."""
        return self.release.pair_epsilon(first, second)

    def half_widths(self, level: float) -> FloatArray:
        """Return the half-width of each number's noise; bounds only make it smaller."""
        reach = -np.log1p(-level) * self.release.scales
        return np.asarray(np.minimum(reach, 2 * self.release.largest))

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - each step has a cost of its own
        """Return the numbers as drawn, the correlations, and the repaired matrix."""
        drawn = self.release.release(value, _secure)
        labels = self.statistic.labels
        return Answer(
            labels=labels,
            values=tuple(drawn.tolist()),
            intervals=labelled(labels, self._around(drawn)),
            derived=self._derived(drawn),
        )

    def _around(self, drawn: FloatArray) -> Intervals:
        """Return an interval for each number, all of them holding together."""
        level = 1 - (1 - LEVEL) / len(drawn)
        columns = self.release.columns
        reaches = np.concatenate(
            [self.release.largest[:columns], reaches_of(drawn[:columns])]
        )
        rows = []
        for place, part in enumerate(self.statistic.parts):
            low, high = part.range.lower, part.range.upper
            if reaches[place] > 0:
                step = self.release.step(place, float(reaches[place]))
                around = intervals(
                    step.mechanism,
                    part,
                    drawn[place : place + 1],
                    bounds=part.range,
                    level=level,
                )
                rows.append((around.noise[0], around.total[0]))
            else:  # nothing was drawn: nothing is known
                rows.append((np.array([low, high]), np.array([low, high])))
        noise, total = (np.array(side) for side in zip(*rows, strict=True))
        return Intervals(level=LEVEL, noise=noise, total=total)

    def _derived(self, drawn: FloatArray) -> dict[str, float]:
        """Return what follows from released numbers: post-processing, and free."""
        names, columns = self.statistic.names, self.release.columns
        reaches = reaches_of(drawn[:columns])
        derived = {
            f"corr({x}, {y})": float(covariance / reach)
            for (x, y), covariance, reach in zip(
                itertools.combinations(names, 2),
                drawn[columns:],
                reaches,
                strict=True,
            )
            if reach > 0
        }
        if self.release.key == "laplace":
            return derived
        repaired = repair(matrix_of(drawn))
        if repaired.changed:
            after = vector_of(repaired.after)
            for label, number in zip(self.statistic.labels, after, strict=True):
                derived[f"repaired {label}"] = float(number)
        return derived


def _secure(step: Step, value: FloatArray) -> FloatArray:
    level = step.mechanism.epsilon(step.sensitivity)
    cost = PrivacyCost(
        epsilon=computed(level),
        delta=computed(0.0),
        rho=computed(step.mechanism.rho(step.sensitivity)),
    )
    return secure.draw(step.mechanism, value, sensitivity=step.sensitivity, cost=cost)
