"""Releasing a covariance matrix: variances, then covariances, then what follows."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from dpcore.budget import PrivacyCost
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL, Intervals, intervals
from dpcore.inference.psd_repair import repair
from dpcore.mechanisms.bounded import FLAT_BELOW
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
            share = float(self.release.epsilons.min())
            try:
                secure.candidates(share, 1.0)
            except ParameterError:
                message = (
                    f"a share of epsilon {share:.3g} is too small to truncate with; "
                    "choose BIT Laplace, spend more, or give no number so little."
                )
                raise ParameterError(message) from None

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
        """Return what all steps together reveal about a pair of matrices.

        Exact for Laplace and BIT. Truncated noise may reveal more of a shorter move
        the other way, towards a bound, and ``CovarianceMatrix.shift_blocks`` gives the
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
        largest, reaches = self.release.largest, self._reaches(drawn)
        rows = []
        for place, part in enumerate(self.statistic.parts):
            everywhere = np.array([part.range.lower, part.range.upper])
            reach, number = float(reaches[place]), drawn[place]
            if not reach > largest[place] * FLAT_BELOW:  # not drawn: nothing is known
                rows.append((everywhere, everywhere))
                continue
            step = self.release.step(place, reach)
            around = intervals(
                step.mechanism,
                part,
                drawn[place : place + 1],
                bounds=part.range,
                level=level,
            )
            # At an end of what the variances leave, it may lie anywhere beyond.
            beyond = np.array([number <= -reach, number >= reach])
            rows.append(
                (around.noise[0], np.where(beyond, everywhere, around.total[0]))
            )
        noise, total = (np.array(side) for side in zip(*rows, strict=True))
        return Intervals(level=LEVEL, noise=noise, total=total)

    def _reaches(self, drawn: FloatArray) -> FloatArray:
        """Return how large each number could be when it was drawn."""
        largest, columns = self.release.largest, self.release.columns
        if self.release.key == "laplace":  # earlier answers make no difference to it
            return largest
        return np.concatenate([largest[:columns], reaches_of(drawn[:columns])])

    def _derived(self, drawn: FloatArray) -> dict[str, float]:
        """Return what follows from released numbers: post-processing, and free."""
        labels, columns = self.statistic.labels, self.release.columns
        reaches = reaches_of(drawn[:columns])
        derived = {
            # Without bounds a covariance may be larger than its variances allow.
            f"corr{label.removeprefix('cov')}": float(
                np.clip(covariance / reach, -1, 1)
            )
            for label, covariance, reach in zip(
                labels[columns:], drawn[columns:], reaches, strict=True
            )
            if reach > 0
        }
        repaired = repair(matrix_of(drawn))
        if repaired.changed:
            after = vector_of(repaired.after)
            for label, number in zip(labels, after, strict=True):
                derived[f"repaired {label}"] = float(number)
        return derived


def _secure(step: Step, value: FloatArray) -> FloatArray:
    cost = PrivacyCost(epsilon=Decimal(step.epsilon))
    return secure.draw(step.mechanism, value, sensitivity=step.sensitivity, cost=cost)
