"""Confidence intervals around a released proportion, blind to the noise or aware of it.

All are for the proportion of the population, from a sample of ``people``. Each returns
its ends on a last axis of length 2; only `clopper_pearson`, for events that were
counted and never released, returns them one by one.

Intervals around one noisy share that hold for rare and for common shares alike.

Two questions, as in ``intervals``. *Noise alone*: which share has the cell in this
table? *Noise and sampling*: which share has it in the population, of which the ``n``
people are independent draws? Both invert the law of what was drawn, which for the
second is that of a binomial count with noise. No sampling error is read off the
release: one near 0 or 1 would look certain of itself. Candidates are kept where
neither tail of their law is below half of what may be missed.

A law here is about a *reading*, a number that grows with the share of the table, and
says how probable readings at least, or at most, as large as the one at hand are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import bdtr, betaincinv, gammaincc, gammaln, ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.mechanisms.search import first_where


def sampling_variance(released: ArrayLike, people: ArrayLike) -> FloatArray:
    """Return ``p (1 - p) / n``, and 0 for a release outside [0, 1]."""
    p = np.clip(np.asarray(released, dtype=np.float64), 0.0, 1.0)
    return np.divide(p * (1 - p), people)


def wald(released: ArrayLike, *, people: ArrayLike, level: float = LEVEL) -> FloatArray:
    """Return ``p +- z sqrt(p (1 - p) / n)``: sampling error only, no noise.

    Raises:
        ParameterError: ``level`` is not between 0 and 1, or ``people`` below 1.

    """
    _check(people, 0.0, level)
    released = np.asarray(released, dtype=np.float64)
    reach = _z(level) * np.sqrt(sampling_variance(released, people))
    return np.stack([released - reach, released + reach], axis=-1)


def score_interval(
    released: ArrayLike, *, people: ArrayLike, noise_variance: ArrayLike, level: float = LEVEL
) -> FloatArray:
    """Return the shares ``p`` with ``(x - p)^2 <= z^2 (p (1 - p) / n + v)``.

    A score interval (Wilson 1927) with noise: the sampling error is that at each share
    that is considered, since at a release near 0 or 1 it would look like none. The law
    of the noise is public, so that no budget has to be split to learn it. With ``a =
    z^2 / n`` the ends are the roots of ``(1 + a) p^2 - (2 x + a) p + x^2 - z^2 v``.
    Where a procedure biases the releases ``x``, as near the bounds, it still covers too
    seldom; there ``population_intervals`` inverts it.

    Args:
        released: Releases, of any shape; one outside [0, 1] counts as the bound.
        people: Size of the sample.
        noise_variance: Variance ``v`` of the noise: ``2 b^2`` of one Laplace release;
            of a vector, times the ``universal_histogram.multiplier`` of its procedure.
        level: Confidence, strictly between 0 and 1.

    Raises:
        ParameterError: ``level`` is not between 0 and 1, ``people`` below 1, or a
            variance negative.

    >>> score_interval(0.0, people=100, noise_variance=0.0).round(4).tolist()
    [0.0, 0.037]

    """
    _check(people, noise_variance, level)
    x = np.clip(np.asarray(released, dtype=np.float64), 0.0, 1.0)
    square = _z(level) ** 2
    a, noise = np.divide(square, people), np.multiply(square, noise_variance)
    spread = np.sqrt(a**2 / 4 + a * x * (1 - x) + (1 + a) * noise)
    ends = np.stack([x + a / 2 - spread, x + a / 2 + spread], axis=-1)
    return np.asarray(ends / (1 + a)[..., np.newaxis])


def clopper_pearson(
    hits: ArrayLike, draws: ArrayLike, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return exact confidence limits of a probability (Clopper and Pearson 1934).

    Args:
        hits: How often the event was seen; may be fractional, as an expected count.
        draws: Out of how many draws.
        confidence: Level of the two-sided interval, in (0, 1).

    >>> low, high = clopper_pearson(0, 10, confidence=0.95)
    >>> float(low), round(float(high), 4)
    (0.0, 0.3085)

    """
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must be in (0, 1), got {confidence}.")
    hits = np.asarray(hits, dtype=np.float64)
    misses = np.asarray(draws, dtype=np.float64) - hits
    if np.any(hits < 0) or np.any(misses < 0):
        raise ParameterError("an event is seen at least never and at most at every draw.")
    tail = (1 - confidence) / 2
    with np.errstate(invalid="ignore"):
        low = betaincinv(hits, misses + 1, tail)
        high = betaincinv(hits + 1, misses, 1 - tail)
    return np.where(hits > 0, low, 0.0), np.where(misses > 0, high, 1.0)


def _z(level: float) -> float:
    return -float(ndtri((1 - level) / 2))


def _check(people: ArrayLike, noise_variance: ArrayLike, level: float) -> None:
    if not 0 < level < 1:
        raise ParameterError(f"the confidence level must lie between 0 and 1, got {level}.")
    if not np.all(np.asarray(people) >= 1):
        raise ParameterError("the number of people must be at least 1.")
    if not np.all(np.asarray(noise_variance) >= 0):
        raise ParameterError("the variance of the noise must be at least 0.")


Reading = float | FloatArray
Tail = Callable[[FloatArray], FloatArray]

UNIT: Final = Interval(lower=0.0, upper=1.0)
_REACH = 80.0
_NODES = 97
_BINS = 257
_FARTHEST = 16.0
_FAR = 64.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Average:
    """The mean of several independent releases of one share by one mechanism.

    Of one release the law is that of the mechanism. That of a sum is convolved on a
    grid of one release's range, of which a step is an eighth of the noise at most;
    half a step of the sum errs on the wide side.

    Attributes:
        mechanism: Draws each release.
        draws: How many there are.
        bounds: What one release cannot leave.

    """

    mechanism: Mechanism
    draws: int
    bounds: Interval

    @property
    def noise(self) -> float:
        """Return the scale of one release."""
        return self.mechanism.noise

    def at_least(self, reading: Reading, share: FloatArray) -> FloatArray:
        """Return the probability of a mean from ``reading`` up."""
        if self.draws == 1:
            before = np.nextafter(reading, -np.inf)
            return np.asarray(1 - self.mechanism.cdf(before, share))
        cumulative, place = self._sums(reading, share)
        # Without what is piled up at the place itself.
        return np.where(place <= 0, 1.0, 1 - _between(cumulative, place - 1))

    def at_most(self, reading: Reading, share: FloatArray) -> FloatArray:
        """Return the probability of a mean up to ``reading``."""
        if self.draws == 1:
            return self.mechanism.cdf(reading, share)
        cumulative, place = self._sums(reading, share)
        return np.where(place < 0, 0.0, _between(cumulative, place))

    def _sums(self, reading: Reading, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the cdf of the sum on its grid, and where the reading lies on it."""
        away = _FARTHEST * self.noise
        low, high = self.bounds.clip(share - away), self.bounds.clip(share + away)
        step = (high - low) / (_BINS - 1)
        middles = low[..., np.newaxis] + np.multiply.outer(step, np.arange(_BINS - 1) + 0.5)
        upto = self.mechanism.cdf(middles, share[..., np.newaxis])
        mass = np.diff(upto, axis=-1, prepend=0.0, append=1.0)
        length = self.draws * (_BINS - 1) + 1
        padded = next_fast_len(length, real=True)
        law = irfft(rfft(mass, padded) ** self.draws, padded)[..., :length]
        return np.cumsum(law, axis=-1), self.draws * (reading - low) / step


@dataclass(frozen=True, slots=True, kw_only=True)
class Remainder:
    """What several noisy shares leave to the last one, ``1 -`` their (mean) sum.

    Each of the ``noises`` draws is clamped at 0 and 1, by which it errs upwards at a
    rare share. How far depends on shares that are not public. Whatever they are, a
    draw errs no farther up than the positive part of its noise, and no farther down
    than the negative one; the sum of ``M`` such parts is a Gamma variable whose order
    is binomial, of ``M`` halves.

    Attributes:
        noise: Scale of each Laplace draw.
        noises: How many draws are in the sum, ``M``.
        draws: The sum is divided by so many, as a mean over independent answers.

    """

    noise: float
    noises: int
    draws: int

    def at_least(self, reading: Reading, share: FloatArray) -> FloatArray:
        """Return a bound on the probability that as much is left, or more."""
        return self._beyond(reading - share)

    def at_most(self, reading: Reading, share: FloatArray) -> FloatArray:
        """Return a bound on the probability that as little is left, or less."""
        return self._beyond(share - reading)

    def _beyond(self, distance: FloatArray) -> FloatArray:
        """Return how probable it is that one-sided noise adds up to a distance."""
        orders = np.arange(1, self.noises + 1)
        log_choose = (
            gammaln(self.noises + 1) - gammaln(orders + 1) - gammaln(self.noises - orders + 1)
        )
        weights = np.exp(log_choose - self.noises * math.log(2))
        scaled = np.maximum(distance, 0.0) * self.draws / self.noise
        tails = gammaincc(orders, scaled[..., np.newaxis])
        return np.where(distance <= 0, 1.0, tails @ weights)


ReadingLaw = Average | Remainder
"""The law of a reading, given the share of the table."""


def table_intervals(law: ReadingLaw, readings: FloatArray, *, tail: float) -> FloatArray:
    """Return, shape ``(j, 2)``, the shares of the table that each reading allows."""
    zero, one = np.zeros(len(readings)), np.ones(len(readings))
    lower = first_where(lambda s: law.at_least(readings, s) >= tail / 2, zero, one)
    upper = 1 - first_where(lambda away: law.at_most(readings, 1 - away) >= tail / 2, zero, one)
    return np.stack([lower, upper], axis=-1)


def population_intervals(
    law: ReadingLaw, readings: FloatArray, *, people: int, tail: float
) -> FloatArray:
    """Return, shape ``(j, 2)``, the population's shares that each reading allows.

    ``tail`` is how probable a miss of one may be. A public minimum of ``people`` errs
    on the wide side.
    """
    zero, one = np.zeros(len(readings)), np.ones(len(readings))
    upper_tail, lower_tail = (
        each(law, readings, people=people) for each in (tail_above, tail_below)
    )
    lower = first_where(lambda p: upper_tail(p) >= tail / 2, zero, one)
    upper = 1 - first_where(lambda away: lower_tail(1 - away) >= tail / 2, zero, one)
    return np.stack([lower, upper], axis=-1)


def allowing(law: ReadingLaw, share: float, *, people: int, tail: float) -> FloatArray:
    """Return, shape ``(2,)``, from where to where readings allow a population's share.

    The interval around a reading holds the share just if the reading lies in between.
    """

    def within(each: Callable[..., Tail], reading: FloatArray) -> NDArray[np.bool_]:
        return each(law, reading, people=people)(population) >= tail / 2

    population = np.array([share])
    # Halved first at 0 and 1 themselves, where releases pile up.
    ends = np.full(1, -_FAR), np.full(1, _FAR)
    lower = first_where(lambda x: within(tail_below, x), *ends)
    upper = 1 - first_where(lambda away: within(tail_above, 1 - away), *ends)
    return np.concatenate([lower, upper])


def tail_above(law: ReadingLaw, readings: FloatArray, *, people: int) -> Tail:
    """Return how probable each reading or a larger one is, given the population.

    The shares that a table can have are cut at nodes, dense where the noise decides
    and ever wider apart from there. Each count in between counts as the node that
    makes the reading more probable, so that the tail errs upwards.

    Returned is a function of the population's share, of shape ``(j,)`` or ``(1,)``.
    """
    nodes = _nodes(law, readings)
    each = law.at_least(readings[:, np.newaxis], nodes)
    counts = np.floor(nodes * people)

    def tail(share: FloatArray) -> FloatArray:
        upto = _upto(counts, people, share)
        mass = np.diff(upto, axis=-1, prepend=0.0)
        return np.asarray((mass * each).sum(axis=-1) + 1 - upto[..., -1])

    return tail


def tail_below(law: ReadingLaw, readings: FloatArray, *, people: int) -> Tail:
    """Return how probable each reading or a smaller one is, as ``tail_above`` does."""
    nodes = _nodes(law, readings)
    each = law.at_most(readings[:, np.newaxis], nodes)
    counts = np.ceil(nodes * people) - 1

    def tail(share: FloatArray) -> FloatArray:
        upto = _upto(counts, people, share)
        mass = np.diff(upto, axis=-1, append=1.0)
        return np.asarray((mass * each).sum(axis=-1) + upto[..., 0])

    return tail


def half_width(law: ReadingLaw, *, tail: float) -> float:
    """Return how far above the table's share a reading falls but for ``tail / 2``.

    It is the largest over shares near a bound and far from it; by symmetry none falls
    farther below, and no two shares are farther apart than 1.
    """
    shares = np.minimum(law.noise * np.array([0.0, 0.5, 1.0, 2.0, 4.0, 8.0]), 0.5)
    zero = np.zeros(len(shares))
    reach = first_where(
        lambda above: law.at_least(shares + above, shares) <= tail / 2, zero, zero + 1
    )
    return float(reach.max())


def adding_up(ends: FloatArray) -> FloatArray:
    """Return intervals of shares, shape ``(..., k, 2)``, cut by what others leave.

    Where all of them hold, each share is what the others leave of 1. An interval that
    is cut to less than nothing is left as its two ends crossed: not all of them held.
    """
    lowers, uppers = ends[..., 0], ends[..., 1]
    least = 1 - (uppers.sum(axis=-1, keepdims=True) - uppers)
    most = 1 - (lowers.sum(axis=-1, keepdims=True) - lowers)
    return np.stack([np.maximum(lowers, least), np.minimum(uppers, most)], axis=-1)


def _nodes(law: ReadingLaw, readings: FloatArray) -> FloatArray:
    reach = math.asinh(_REACH)
    steps = np.sinh(np.linspace(-reach, reach, _NODES))
    return UNIT.clip(readings[:, np.newaxis] + law.noise * steps)


def _upto(counts: FloatArray, people: int, share: FloatArray) -> FloatArray:
    """Return the binomial cdf at ``counts``, shape ``(j, nodes)``."""
    upto = bdtr(np.maximum(counts, 0.0), people, share[:, np.newaxis])
    return np.where(counts < 0, 0.0, upto)


def _between(cumulative: FloatArray, places: FloatArray) -> FloatArray:
    """Return a cdf at fractional places of its last axis, 0 before the first."""
    inside = np.clip(places, -1.0, cumulative.shape[-1] - 1)
    lower = np.floor(inside).astype(int)
    ends = [
        np.where(
            place < 0,
            0.0,
            np.take_along_axis(cumulative, np.maximum(place, 0)[..., np.newaxis], axis=-1)[..., 0],
        )
        for place in (lower, np.minimum(lower + 1, cumulative.shape[-1] - 1))
    ]
    return np.asarray(ends[0] + (inside - lower) * (ends[1] - ends[0]))
