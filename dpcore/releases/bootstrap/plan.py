"""How noisy bootstraps are drawn: secure resamples, and secure Gaussian noise on each.

The published procedure splits a resample into the rows drawn once, twice, ..., adds
noise to the sum of each part, and adds up the parts (Brawner and Honaker 2018,
equations 19 to 26). Their noises add up to one Gaussian with the variance of a release
of the table itself, so that the total is drawn here as the statistic of one resample
plus one Gaussian. The parts may never be released: each of them has too little noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.inference.bootstrap_intervals import FEWEST_PEOPLE, LEVEL, Method
from dpcore.mechanisms.base import Sensitivity
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.privacy.bootstrap_cost import LEAST_DELTA, epsilon_of_step, revealed_epsilon
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.privacy.events import BootstrapEvent
from dpcore.privacy_filter import PrivacyCost, computed
from dpcore.releases import secure
from dpcore.releases.plans.plan import Answer
from dpcore.releases.secret_samples import secure_counts


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapPlan:
    """The statistic of several resamples, each with Gaussian noise.

    Attributes:
        bounds: The public interval that holds everybody's term.
        people: Number of people, public; so many rows are drawn for each resample.
        average: Whether the statistic is the mean of the terms, and not their sum.
        sensitivity: What one copy of a row changes, rounding errors included.
        times: How many resamples there are.
        multiple: Standard deviation of the noise of each over ``sensitivity``.
        bound: Which bound counts in the worst case: one that is proved.

    """

    bounds: Interval
    people: int
    average: bool
    sensitivity: float
    times: int
    multiple: float
    bound: Bound = Bound.GENERIC

    @property
    def noise(self) -> float:
        """Return the standard deviation of the noise of each bootstrap."""
        return self.multiple * self.sensitivity

    @property
    def event(self) -> BootstrapEvent:
        """Return the bootstraps as the accountant sees them."""
        return BootstrapEvent(parameter=self.multiple, people=self.people, times=self.times)

    @property
    def rho(self) -> float:
        """Return the exact zCDP level, ``n^2`` times that of one Gaussian release."""
        return self.event.rho

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta`` over all tables, an upper bound.

        Infinite below the least delta that is accounted for.
        """
        if delta < LEAST_DELTA:
            return math.inf
        return epsilon_of_step(
            self.event.ratio, times=self.times, people=self.people, delta=delta, bound=self.bound
        )

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return an upper bound on the epsilon between two statistics, ``(..., 1)``.

        As if it were told how often the person was drawn: that holds for one person's
        own change whatever the rest of the table is. Never more than the worst case.
        """
        moved = np.abs(np.subtract(first, second, dtype=np.float64))[..., 0]
        if delta < LEAST_DELTA:
            return np.where(moved > 0, np.inf, moved)
        own = revealed_epsilon(
            moved / self.noise,
            times=self.times,
            people=self.people,
            delta=delta,
            most=self.event.ratio,
        )
        return np.minimum(own, self.worst_case(delta=delta))

    @property
    def has_interval(self) -> bool:
        """Tell whether a standard error and an interval follow from the bootstraps."""
        return self.times > 1 and self.people >= FEWEST_PEOPLE

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - the noise has a cost of its own
        """Return the bootstraps, with their mean, standard error and interval.

        ``value`` holds everybody's term, shape ``(n,)``. What follows from the
        bootstraps costs nothing more. Of fewer than ``FEWEST_PEOPLE`` there is no error
        and no interval: they rest on averages that are normal.
        """
        resampled = np.array([self._resampled(value) for _ in range(self.times)])
        drawn = self._noisy(resampled)
        labels = tuple(f"bootstrap {number}" for number in range(1, self.times + 1))
        derived = {"mean of the bootstraps": float(drawn.mean())}
        if self.has_interval:
            found = Method().around(drawn, noise=self.noise**2, people=self.people)
            percent = f"{100 * LEVEL:g} %"
            derived |= {
                "standard error": found.standard_error,
                f"lower end of the {percent} interval": found.lower,
                f"upper end of the {percent} interval": found.upper,
            }
        return Answer(labels=labels, values=tuple(drawn.tolist()), derived=derived)

    def _resampled(self, value: FloatArray) -> float:
        """Return the statistic of one secure resample.

        Terms that are not drawn count as exact zeros in a sum whose order does not
        depend on them, so that a person who is not drawn changes no bit of it.
        """
        counts = secure_counts(self.people, self.people)
        center = self.bounds.lower + self.bounds.width / 2
        total = float(np.sum(counts * (value - center)))
        if self.average:
            return self.bounds.clip(np.array(center + total / self.people)).item()
        return self.people * center + total

    def _noisy(self, resampled: FloatArray) -> FloatArray:
        """Return the bootstraps with noise; OpenDP confirms its level for one copy."""
        step = self.sensitivity
        together = Sensitivity(
            coordinates=self.times,
            l1=self.times * step,
            l2=math.sqrt(self.times) * step,
            largest=step,
        )
        level = self.times / (2 * self.multiple**2)
        return secure.draw(
            Gaussian(noise=self.noise),
            resampled,
            sensitivity=together,
            cost=PrivacyCost(rho=computed(level)),
        )
