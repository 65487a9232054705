"""Why little privacy loss means little overfitting: read-outs of one table.

For a loss function between 0 and 1, what is learned from ``n`` people is expected to do
better on them than on the population by at most ``2 E TV``, TV the total variation
distance of the laws of the release with and without a person (Wang 2019, proposition 9,
sharpened: a bounded loss costs a total variation and no exponential). The
expectation is over tables; one table gives an unbiased estimate of it, because any
person and the others are such a pair. It is an ESTIMATE, not a bound, and CONFIDENTIAL:
it depends on everybody's record.

How far the law of a release moves when one person leaves. CONFIDENTIAL.

The total variation distance of the two laws is the delta that goes with epsilon 0: the
chance by which any test for the person beats guessing, and what bounds overfitting
(``generalization``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.individual.per_instance_loss import StatisticLosses
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.question import Fit
from dpcore.privacy.conversions import variation_bound
from dpcore.statistics.statistic import NeighborValues


def gap(variation: ArrayLike) -> float:
    """Return an estimate of the bound on the expected generalization gap, ``2 mean(TV)``.

    ``variation`` is the total variation of each person, shape ``(n,)``, in [0, 1].

    Raises:
        ParameterError: Nobody is given, or a number is outside its domain.

    >>> gap([0.1, 0.3])
    0.4

    """
    variation = _people("total variations", variation)
    if np.any(variation > 1):
        raise ParameterError("total variations must be in [0, 1].")
    return float(2 * variation.mean())


def exponential_gap(epsilon: ArrayLike, *, delta: float) -> float:
    """Return the estimate in the form of proposition 9.

    ``mean(e^(2 epsilon)) - 1 + delta (1 + mean(e^epsilon))``: above ``gap`` and for
    most tables above 1, where it says nothing. ``inf`` where somebody's loss is.

    Args:
        epsilon: Loss of each person at ``delta``, shape ``(n,)``, at least 0.
        delta: In [0, 1].

    Raises:
        ParameterError: A number is outside its domain.

    """
    if not 0 <= delta <= 1:
        raise ParameterError(f"delta must be in [0, 1], got {delta}.")
    epsilon = _people("losses", epsilon)
    with np.errstate(over="ignore"):
        doubled = float(np.mean(np.expm1(2 * epsilon)))
        return doubled + delta * float(1 + np.mean(np.exp(epsilon)))


def _people(name: str, values: ArrayLike) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.size == 0 or not np.all(numbers >= 0):
        raise ParameterError(f"{name} must be at least 0, one for each of at least one person.")
    return numbers


MOST: Final = 2000
"""People whose variation is taken where that is an integral for each of them."""


def total_variations(
    mechanism: Mechanism | Exponential,
    exposure: StatisticLosses,
    *,
    within: Interval,
    rows: int = 1,
) -> FloatArray:
    """Return everybody's total variation, shape ``(n,)``, in [0, 1].

    ``rows`` is how many rows one unit may own: they all shift it alike.
    """
    actual = exposure.shifts.actual

    def largest(block: NeighborValues) -> FloatArray:
        found = np.zeros(len(block.alternatives))
        for column in range(block.alternatives.shape[1]):
            there = block.alternatives[:, column]
            if rows > 1:
                there = within.clip(actual + rows * (there - actual))
            np.maximum(found, mechanism.pairwise_delta(actual, there, epsilon=0.0), out=found)
        return found

    return exposure.shifts.map(largest)


def lengths(exposure: StatisticLosses, *, rows: int = 1) -> FloatArray:
    """Return how far everybody can move the statistic, in Euclidean length, ``(n,)``.

    ``rows`` rows of a unit move it by as many times as much, at most.
    """
    actual = exposure.shifts.actual

    def longest(block: NeighborValues) -> FloatArray:
        moved = block.alternatives - actual
        return np.asarray(np.sqrt((moved * moved).sum(axis=-1)).max(axis=-1))

    return rows * exposure.shifts.map(longest)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variation:
    """Total variations of some people. CONFIDENTIAL.

    Attributes:
        variation: Of each of them, in [0, 1].
        people: How many people there are in all.
        exact: Whether it is exact rather than an upper bound.

    """

    variation: FloatArray = field(repr=False)
    people: int
    exact: bool = True

    @property
    def sampled(self) -> bool:
        """Return whether they were drawn at random from more people."""
        return len(self.variation) < self.people


def sampled_variation(
    law: ModelMechanism, fit: Fit, *, epsilon: FloatArray, delta: float, rng: np.random.Generator
) -> Variation | None:
    """Return total variations of at most 2,000 people; ``None`` where none is known.

    For several posterior samples and perturbed objectives each is an integral, so that
    it is taken for people drawn at random. For a perturbed nonlinear model an upper
    bound follows from everybody's loss. For noise of a public shape there is no need:
    ``model_causes`` has everybody's.
    """
    real = law.for_fit(fit)
    if real.public:
        return None
    if real.upper:
        bound = variation_bound(epsilon, delta)
        return Variation(variation=bound, people=fit.people, exact=False)
    people = np.arange(fit.people)
    if fit.people > MOST:
        people = np.sort(rng.choice(fit.people, size=MOST, replace=False))
    found = real.variation(real.influence(fit, people=people), delta=delta)
    return None if found is None else Variation(variation=found, people=fit.people)
