"""A catalog of known mistakes, each with its repair, on synthetic tables.

They are simulated with a generator that can be seeded, so that a class sees what the
speaker saw. Nothing here is ever released.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity
from dpcore.mechanisms.resized_repair import NoisyResample
from dpcore.privacy.bootstrap_cost import epsilon_of_step
from dpcore.privacy.bootstrap_profiles import Bound, attained_delta
from dpcore.privacy.gaussian import delta_of
from dpcore.privacy.halving import halved
from dpcore.studies.auditing.trials import WITH, Trial
from dpcore.studies.meaning.attacker import Guarantee

Draws = Callable[..., FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NaiveRelease:
    """A release on synthetic tables that claims more than holds.

    Attributes:
        key: Its name in links.
        label: Its name on the screen.
        released: What is released, in words.
        wrong: What is wrong with it, in one sentence.
        right: What is done instead, in one sentence.
        claim: What it claims.
        real: The epsilon that it really gives at the delta of the claim; infinite where
            no epsilon holds.
        labels: Name of each number of an answer.
        sides: The two worlds, in words.
        draw: ``draw(world, size, rng, repaired=...)`` returns answers, shape ``(size, k)``,
            of the mistake or of its repair.

    """

    key: str
    label: str
    released: str
    wrong: str
    right: str
    claim: Guarantee
    real: float
    labels: tuple[str, ...]
    sides: tuple[str, str] = ("with the person", "without")
    draw: Draws = field(repr=False)

    def trial(self, *, rng: np.random.Generator, repaired: bool = False) -> Trial:
        """Return the trial of the mistake, or of its repair."""
        return Trial(
            claim=self.claim,
            labels=self.labels,
            sides=self.sides,
            draw=lambda world, size: self.draw(world, size, rng, repaired=repaired),
            exact=None if repaired else self.real,
            batch=5000,
        )


_ONE: Final = Guarantee(epsilon=1.0)
_ROWS, _RATIO = 1000, 10
"""People of the resized bootstrap, and by how much it is smaller than the table."""
_RESAMPLED: Final = 500
"""People of the noisy bootstrap."""
_TABLE: Final = 40
"""People who are counted in both worlds."""
_FINE: Final = 0.7
_AGES: Final = (20.0, 21, 22, 24, 25, 27, 28, 30, 31, 33, 34, 36, 37, 38, 39)
_OLDEST: Final = 95.0
_AGE: Final = Interval(lower=0.0, upper=100.0)
_AGAIN: Final = 10
_PEOPLE, _PENALTY, _STEPS = 100, 100.0, 60
"""People, penalty and number of steps of the fit."""
_STRIDE: Final = 1.99
_GRADIENT: Final = 1.5


def _column(numbers: FloatArray) -> FloatArray:
    return np.asarray(numbers, dtype=np.float64).reshape(-1, 1)


def _laplace(value: float, scale: float, size: int, rng: np.random.Generator) -> FloatArray:
    return _column(value + rng.laplace(0.0, scale, size))


@cache
def _truncating(key: str) -> Mechanism:
    return CATALOG[key].calibrate(
        sensitivity=Sensitivity.scalar(0.1),
        epsilon=_ONE.epsilon,
        bounds=Interval(lower=0.0, upper=1.0),
    )


def _truncated(world: int, size: int, rng: np.random.Generator, *, repaired: bool) -> FloatArray:
    mechanism = _truncating("truncated" if repaired else "truncated-published")
    return _column(mechanism.simulate(0.0 if world == WITH else 0.1, rng=rng, size=(size,)))


@cache
def _resized_scale() -> float:
    return NoisyResample.calibrate(
        people=_ROWS, draws=_ROWS // _RATIO, epsilon=1 / _RATIO, shares=True
    ).scale(1.0)


def _resized(world: int, size: int, rng: np.random.Generator, *, repaired: bool) -> FloatArray:
    """Return shares in resamples of a table of zeros, with a single one in it or not.

    A resample of ``m`` of ``n`` rows holds the one ``Binomial(m, 1/n)`` times.
    """
    noise = rng.laplace(0.0, _resized_scale(), size) if repaired else np.zeros(size)
    drawn = _ROWS // _RATIO
    copies = rng.binomial(drawn, 1 / _ROWS, size) if world == WITH else np.zeros(size)
    return _column(copies / drawn + noise)


def _bootstrap(world: int, size: int, rng: np.random.Generator, *, repaired: bool) -> FloatArray:
    """Return noisy sums of resamples of zeros, with a single one among them or not."""
    copies = rng.binomial(_RESAMPLED, 1 / _RESAMPLED, size) if world == WITH else 0
    return _column(copies + rng.normal(0.0, _bootstrap_scale() if repaired else 1.0, size))


_BOOTSTRAP: Final = Guarantee(epsilon=1.0, delta=float(delta_of(1.0, 1.0)))


def _bootstrap_real() -> float:
    """Return the epsilon that one noisy resample gives at the delta of the claim."""

    def holds(epsilon: float) -> bool:
        return float(attained_delta(1.0, epsilon, people=_RESAMPLED)) <= _BOOTSTRAP.delta

    return halved(holds, 1.0, 20.0)[1]


@cache
def _bootstrap_scale() -> float:
    """Return the noise that gives a resample the claim, by a bound that is proved."""

    def holds(scale: float) -> bool:
        level = epsilon_of_step(
            1 / scale, times=1, people=_RESAMPLED, delta=_BOOTSTRAP.delta, bound=Bound.GENERIC
        )
        return level <= _BOOTSTRAP.epsilon

    return halved(holds, 1.0, 10.0, within=1e-6)[1]


def _counted(world: int) -> float:
    return float(_TABLE + (world == WITH))


def _ranged(world: int, size: int, rng: np.random.Generator, *, repaired: bool) -> FloatArray:
    """Return sums of ages with noise for the range of the ages that are there."""
    ages = (*_AGES, _OLDEST) if world == WITH else _AGES
    scale = _AGE.upper if repaired else max(ages) - min(ages)
    return _laplace(math.fsum(ages), scale, size, rng)


def _named_groups(world: int, size: int, rng: np.random.Generator, *, repaired: bool) -> FloatArray:
    """Return how many groups an answer names, and what it says of the smallest one."""
    if world != WITH and not repaired:
        return np.tile([2.0, 0.0], (size, 1))
    noise = rng.laplace(0.0, 1.0, size)
    return np.column_stack([np.full(size, 3.0), (world == WITH) + noise])


def _two_counts(world: int, size: int, rng: np.random.Generator, *, repaired: bool) -> FloatArray:
    """Return two noisy counts, of which the person is in the first only."""
    noise = rng.laplace(0.0, 2 / _ONE.epsilon, (size, 2 if repaired else 1))
    return np.asarray(noise + np.array([_counted(world), _TABLE / 2]))


def _averaged(world: int, size: int, rng: np.random.Generator, *, repaired: bool) -> FloatArray:
    if repaired:
        return _laplace(_counted(world), 1.0, size, rng)
    noise = rng.laplace(0.0, 1 / _ONE.epsilon, (size, _AGAIN))
    return _column(_counted(world) + noise.mean(axis=1))


def _counts(naive: float, right: float) -> Draws:
    """Return what draws a count with noise of one scale, or of the right one."""
    return lambda world, size, rng, *, repaired: _laplace(
        _counted(world), right if repaired else naive, size, rng
    )


def _fit(world: int, *, converged: bool) -> float:
    """Return the slope of a ridge regression of ones on ones.

    It minimizes ``sum (y - t x)^2 / 2 + penalty t^2 / 2``. Gradient descent with a step
    just short enough for the full table to converge at all swings to and fro, and how
    far it still swings when it is stopped depends on every record.
    """
    people = float(_PEOPLE - (world != WITH))
    if converged:
        return people / (people + _PENALTY)
    step = _STRIDE / (_PEOPLE + _PENALTY)
    slope = 0.0
    for _ in range(_STEPS):
        slope -= step * (people * slope - people + _PENALTY * slope)
    return slope


_FIT_SCALE: Final = _GRADIENT / _PENALTY
"""A gradient is at most 1.5 long where the minimum may lie (it is within 1/2 of 0), so
that a record moves the minimum by at most ``1.5 / penalty``."""


CATALOG_OF_MISTAKES: Final[dict[str, NaiveRelease]] = {
    one.key: one
    for one in (
        NaiveRelease(
            key="truncated",
            label="Truncated noise at the scale of plain noise",
            released="a share between 0 and 1 with sensitivity 0.1",
            wrong="Draws outside the bounds are rejected, and the rejection "
            "probability depends on the "
            "confidential value.",
            right="The noise scale is increased until the truncated distribution satisfies the "
            "guarantee.",
            claim=_ONE,
            real=float(_truncating("truncated-published").pairwise_epsilon([0.0], [0.1])),
            labels=("the answer",),
            sides=("where the value is 0", "where it is 0.1"),
            draw=_truncated,
        ),
        NaiveRelease(
            key="resized",
            label="Resized bootstrap, claimed as ε = 1/Z",
            released="the share of a rare condition, in a resample a tenth as large as the table",
            wrong="A small random sample is not noise: its rows are published exactly.",
            right="Laplace noise is added to the mean of the resample.",
            claim=Guarantee(epsilon=1 / _RATIO),
            real=math.inf,
            labels=("the share",),
            draw=_resized,
        ),
        NaiveRelease(
            key="bootstrap",
            label="Noisy bootstrap, charged as one release",
            released="a sum over a resample of 500 people, with normal noise",
            wrong="A person can be drawn several times, but the noise covers one copy.",
            right="The noise scale is increased until the resample satisfies the guarantee.",
            claim=_BOOTSTRAP,
            real=_bootstrap_real(),
            labels=("the sum",),
            draw=_bootstrap,
        ),
        NaiveRelease(
            key="small-noise",
            label="Noise 20% too small",
            released="a count",
            wrong="The scale of the noise is 0.8 times sensitivity / ε.",
            right="The scale is sensitivity / ε.",
            claim=_ONE,
            real=_ONE.epsilon / 0.8,
            labels=("the count",),
            draw=_counts(0.8, 1.0),
        ),
        NaiveRelease(
            key="range",
            label="Sensitivity from the range of the data",
            released="a sum of ages",
            wrong="The noise is scaled by the range of ages in the table: one old person makes it "
            "visibly larger.",
            right="The noise is scaled by a public bound, 100 years.",
            claim=_ONE,
            real=math.inf,
            labels=("the sum",),
            draw=_ranged,
        ),
        NaiveRelease(
            key="groups",
            label="Histogram of the groups that occur",
            released="a noisy count of every group",
            wrong="The group names are read from the table: a group of one is named only if that "
            "person is in the table.",
            right="All groups of a public list are named, including empty ones.",
            claim=_ONE,
            real=math.inf,
            labels=("how many groups are named", "the count of the smallest group"),
            draw=_named_groups,
        ),
        NaiveRelease(
            key="rounded",
            label="Scale rounded to a whole number",
            released="a count",
            wrong="Sensitivity / ε is 1 / 0.7 = 1.43, and was rounded to 1.",
            right="The scale is not rounded, or rounded up.",
            claim=Guarantee(epsilon=_FINE),
            real=1.0,
            labels=("the count",),
            draw=_counts(1.0, 1 / _FINE),
        ),
        NaiveRelease(
            key="seed",
            label="The same seed for two answers",
            released="two counts with ε = 0.5 each; the person is counted in the first",
            wrong="Both answers have the same noise, so their difference is exact.",
            right="Every answer has independent noise.",
            claim=_ONE,
            real=math.inf,
            labels=("the first count", "the second count"),
            draw=_two_counts,
        ),
        NaiveRelease(
            key="unconverged",
            label="A fit that has not converged",
            released="the slope of a ridge regression of 100 people",
            wrong="The noise is calibrated for the exact minimum. The fit stopped "
            "earlier, at a point "
            "with a larger sensitivity.",
            right="The fit is run to its minimum before noise is added.",
            claim=_ONE,
            real=abs(_fit(0, converged=False) - _fit(1, converged=False)) / _FIT_SCALE,
            labels=("the slope",),
            draw=lambda world, size, rng, *, repaired: _laplace(
                _fit(world, converged=repaired), _FIT_SCALE, size, rng
            ),
        ),
        NaiveRelease(
            key="again",
            label="Ten draws for the cost of one",
            released="a count, asked ten times and averaged",
            wrong="Each repetition draws new noise, but only the first one is charged.",
            right="Repeating a question returns the same answer, or the new draw is charged.",
            claim=_ONE,
            real=_AGAIN * _ONE.epsilon,
            labels=("the average of ten answers",),
            draw=_averaged,
        ),
    )
}
"""By key, in the order in which they are shown."""
