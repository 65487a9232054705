"""How a resampled mean is drawn: as published, and repaired."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.inference.intervals import Intervals, intervals
from dpcore.mechanisms.base import Sensitivity
from dpcore.mechanisms.laplace import Laplace, least_scale
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.mechanisms.resized_repair import NoisyResample
from dpcore.privacy.conversions import pure_epsilon_of
from dpcore.privacy.events import ApproximateEvent, PureEvent
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import TableSize
from dpcore.releases import secure
from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.plans.plan import Answer
from dpcore.releases.secret_samples import secure_counts
from dpcore.statistics.sums_and_means import Mean


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPlan:
    """The mean of a resample as it is: no noise, and no epsilon."""

    bootstrap: ResizedBootstrap
    bounds: Interval
    shares: bool
    """Whether all rows are 0 or 1."""
    label: str

    @property
    def noise(self) -> float:
        """Return 0: nothing is added."""
        return 0.0

    @property
    def event(self) -> ApproximateEvent:
        """Return (0, tau)-DP, which is all that there is."""
        delta = self.bootstrap.delta()
        return ApproximateEvent(parameter=0.0, delta=delta)

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta`` over all tables: infinite below tau."""
        return self.bootstrap.epsilon(delta)

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the epsilon at ``delta`` between two means, shape ``(..., 1)``.

        Exact for shares. The mean of numbers may show which rows were drawn, so that
        for them it is what holds for all tables: an upper bound. Of several rows a unit
        the means may be equal, and the rows not.
        """
        p, q = (np.asarray(mean, dtype=np.float64)[..., 0] for mean in (first, second))
        if not self.shares:
            same = (p == q) & (self.bootstrap.rows == 1)
            return np.where(same, 0.0, self.worst_case(delta=delta))
        people = self.bootstrap.people
        counts = np.stack(np.broadcast_arrays(np.rint(p * people), np.rint(q * people)))
        distinct, place = np.unique(
            np.sort(counts.reshape(2, -1), axis=0), axis=1, return_inverse=True
        )
        levels = [
            0.0
            if low == high
            else self.bootstrap.pair(int(low), more=int(high - low)).epsilon(delta)
            for low, high in distinct.T
        ]
        return np.asarray(levels)[place.ravel()].reshape(counts.shape[1:])

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - the common signature
        """Return the mean of a resample of the rows ``value``."""
        drawn = resampled_mean(value, self.bootstrap.draws, self.bounds)
        return Answer(labels=(self.label,), values=(drawn,))


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairedPlan:
    """The mean of a resample, plus Laplace noise.

    It guarantees ``epsilon`` with ``delta``, which is 0 for a pure guarantee.
    """

    resample: NoisyResample
    bounds: Interval
    label: str
    epsilon: float
    delta: float = 0.0

    @property
    def sensitivity(self) -> Sensitivity:
        """Return what one row of the resample changes, as floats compute the mean."""
        largest = max(abs(self.bounds.lower), abs(self.bounds.upper))
        one = Sensitivity.scalar(self.bounds.width / self.resample.draws)
        return secure.widen(one, largest)

    @property
    def noise(self) -> float:
        """Return the scale of the noise."""
        return least_scale(self.sensitivity.l1, self.resample.level)

    @property
    def event(self) -> PureEvent:
        """Return the guarantee: pure, or with a delta."""
        if self.delta == 0:
            return PureEvent(parameter=self.epsilon)
        return ApproximateEvent(parameter=self.epsilon, delta=self.delta)

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return an epsilon at ``delta`` over all tables."""
        known = float(pure_epsilon_of(self.resample.epsilon(), delta))
        return min(known, self.epsilon) if delta >= self.delta else known

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return an epsilon at ``delta`` between two means, shape ``(..., 1)``.

        Two means that one unit's rows set apart. Exact at ``delta = 0`` for shares, an
        upper bound for numbers and at a ``delta``; never above ``worst_case``, which it
        is for numbers of which a unit has several: their mean does not say how far each
        of them moves.
        """
        lower, width = self.bounds.lower, self.bounds.width
        p, q = (
            (np.asarray(mean, dtype=np.float64)[..., 0] - lower) / width for mean in (first, second)
        )
        if self.resample.shares:
            levels = self.resample.pair_epsilon(p, q)
        elif self.resample.rows > 1:
            return np.full(np.broadcast(p, q).shape, self.worst_case(delta=delta))
        else:
            # Rounding of the means must not make a change look smaller than it is.
            moved = self.resample.people * np.abs(p - q)
            slack = self.resample.people * 2.0**-48 * (p != q)
            levels = self.resample.change_epsilon(moved + slack)
        known = pure_epsilon_of(levels, delta) if delta else levels
        return np.minimum(known, self.worst_case(delta=delta))

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - the level of the noise is checked, not that of the table
        """Return a noisy mean of a resample of the rows ``value``, with intervals."""
        mechanism = Laplace(noise=self.noise)
        drawn = secure.draw(
            mechanism,
            np.array([resampled_mean(value, self.resample.draws, self.bounds)]),
            sensitivity=self.sensitivity,
            cost=PrivacyCost(epsilon=Decimal(self.resample.level)),
        )
        return Answer(
            labels=(self.label,),
            values=(float(drawn[0]),),
            intervals=self._intervals(mechanism, drawn),
        )

    def _intervals(self, mechanism: Laplace, drawn: FloatArray) -> LabelledIntervals:
        """Return where the mean of the table, and that of its population, lies.

        The resample is a sample of ``m`` from the table. From the population it is one
        of fewer, ``1 / (1/m + 1/n)``, because the table is a sample itself.
        """
        m, n = self.resample.draws, self.resample.people
        of_table, of_population = (
            intervals(
                mechanism,
                Mean(bounds=self.bounds, size=TableSize(people=people, public=True)),
                drawn,
                bounds=self.bounds,
            )
            for people in (m, max(1, m * n // (m + n)))
        )
        around = Intervals(level=of_table.level, noise=of_table.total, total=of_population.total)
        return LabelledIntervals.of((self.label,), around)


def resampled_mean(rows: FloatArray, draws: int, bounds: Interval) -> float:
    """Return the mean of ``draws`` rows drawn with replacement, securely.

    ``rows`` lie within ``bounds``, and so does the mean.

    Raises:
        ParameterError: There are no rows.

    """
    if len(rows) == 0:
        raise ParameterError("a resample needs at least one row.")
    counts = secure_counts(len(rows), draws)
    return float(bounds.clip((counts * rows).sum() / draws))
