"""Attacks on noise: its last digits, its average, its time, and losses that are told.

Floating point: a generator of uniform doubles has 2^53 outputs, so that ``value + b
log(u)`` reaches some doubles and not others, and which ones depends on the value (Mironov
2012). Real releases are drawn by an exact discrete sampler.

Noise that is computed as ``b log(u)`` in floating point reaches some numbers from one
value and not from another (``studies.teaching.floating_point``). A sampler that rounds
the value to a public grid and adds a whole number of steps reaches the same numbers
from all values, with probabilities that differ by at most ``e^epsilon``. The exact
samplers of real releases do that with the randomness of the operating system; here a
seeded generator draws by the same law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import DataError, ParameterError
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.mechanism import Sensitivity, require_budget

_STEPS = 2.0**53
_SLACK = 16


def naive_releases(
    value: float, noise: float, *, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return ``value ± b log(u)`` as a careless program computes it."""
    u = (rng.integers(0, int(_STEPS), draws) + 1) / _STEPS
    sign = np.where(rng.random(draws) < 0.5, -1.0, 1.0)  # noqa: PLR2004 - a coin
    return value - sign * (noise * np.log(u))


def reachable(releases: FloatArray, value: float, noise: float) -> FloatArray:
    """Return for each release whether ``naive_releases`` can give it from ``value``.

    All uniform doubles near the one that the release would need are tried.

    Raises:
        ParameterError: ``noise`` is so far below the numbers that too many doubles
            would have to be tried, or not positive.

    """
    largest = float(np.max(np.abs(releases), initial=abs(value)))
    spread = math.inf if noise <= 0 else np.spacing(largest) / noise * _STEPS
    if not spread < 1e5:  # noqa: PLR2004 - a few megabytes
        raise ParameterError("noise must be positive, and not tiny beside the releases.")
    reach = int(np.ceil(2 * spread)) + _SLACK
    around = np.arange(-reach, reach + 1, dtype=np.float64)
    needed = np.round(np.exp(-np.abs(releases - value) / noise) * _STEPS)
    steps = np.clip(needed[:, np.newaxis] + around, 1, _STEPS)
    noises = noise * np.log(steps / _STEPS)
    sign = np.where(releases < value, -1.0, 1.0)[:, np.newaxis]
    hits = value - sign * noises == releases[:, np.newaxis]
    return np.asarray(hits.any(axis=1), dtype=np.float64)


def step_of(scale: float) -> float:
    """Return the step of the grid: a power of two, far below the noise.

    >>> step_of(1.0) == 2.0**-30
    True
    """
    if not 0 < scale < math.inf:
        raise ParameterError(f"the scale of the noise must be positive and finite, got {scale}.")
    return 2.0 ** math.floor(math.log2(scale)) * 2.0**-30


def grid_releases(
    value: float, scale: float, *, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return the value on the grid plus discrete Laplace noise, shape ``(draws,)``.

    The difference of two geometric numbers of steps has the law ``P(k) ~ e^(-|k|
    step/b)``.
    """
    step = step_of(scale)
    chance = -math.expm1(-step / scale)
    steps = rng.geometric(chance, draws) - rng.geometric(chance, draws)
    return np.asarray(step * (np.round(value / step) + steps))


@dataclass(frozen=True, slots=True, kw_only=True)
class LowBits:
    """What releases of one value say against another value.

    Attributes:
        releases: Drawn from the first value, shape ``(m,)``.
        possible: Whether the second value can give each of them, 1 or 0.

    """

    releases: FloatArray = field(repr=False)
    possible: FloatArray = field(repr=False)

    @property
    def given_away(self) -> float:
        """Return the share of releases that the second value can never give."""
        return 1 - float(self.possible.mean())


def careless(
    first: float, second: float, scale: float, *, draws: int, rng: np.random.Generator
) -> LowBits:
    """Return what the careless sampler reveals of ``first`` against ``second``."""
    releases = naive_releases(first, scale, draws=draws, rng=rng)
    return LowBits(releases=releases, possible=reachable(releases, second, scale))


def on_grid(
    first: float, second: float, scale: float, *, draws: int, rng: np.random.Generator
) -> LowBits:
    """Return what the sampler on a grid gives away: each step is open to both."""
    releases = grid_releases(first, scale, draws=draws, rng=rng)
    step = step_of(scale)
    away = (releases - step * np.round(second / step)) / step
    return LowBits(releases=releases, possible=np.asarray(away == np.round(away), np.float64))


# Averaging: the same question again and again, until the noise is averaged away.
#
# After ``k`` answers of epsilon each, with Laplace noise of scale ``b`` on a count, the
# mean is off by a normal error of standard deviation ``b sqrt(2/k)`` (central limit
# theorem), and everybody has lost ``k`` epsilon. Whoever is answered the same for the
# same question learns nothing from asking again.

LEVEL: Final = 0.95
_Z = float(ndtri((1 + LEVEL) / 2))
_HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Averaging:
    """What asking again and again has told. CONFIDENTIAL.

    Attributes:
        truth: The exact count.
        answers: The answers with fresh noise, in their order, shape ``(m,)``.
        epsilon: The price of each. Public.
        scale: Scale of the noise on each. Public.
        budget: What all answers together may cost. Public.

    """

    truth: float = field(repr=False)
    answers: FloatArray = field(repr=False)
    epsilon: float
    scale: float
    budget: float

    @property
    def means(self) -> FloatArray:
        """Return the mean of the first answers, after each, shape ``(m,)``."""
        return np.asarray(np.cumsum(self.answers) / self.asked)

    @property
    def asked(self) -> FloatArray:
        """Return how often was asked, shape ``(m,)``."""
        return np.arange(1.0, len(self.answers) + 1)

    @property
    def affordable(self) -> int:
        """Return how many fresh answers the budget pays for."""
        # A budget of ten times a price that no float holds exactly pays for ten.
        return math.floor(self.budget / self.epsilon * (1 + 1e-12))

    @property
    def settled(self) -> float:
        """Return from how many answers on the rounded mean is the truth; or inf."""
        wrong = np.flatnonzero(np.abs(self.means - self.truth) >= _HALF)
        since = 0 if wrong.size == 0 else int(wrong[-1]) + 1
        return float(since + 1) if since < len(self.answers) else math.inf


def band(asked: ArrayLike, scale: float) -> FloatArray:
    """Return how far off the mean is in 95 of 100 cases, after so many answers."""
    return np.asarray(_Z * scale * np.sqrt(2 / np.asarray(asked, dtype=np.float64)))


def needed(epsilon: float) -> int:
    """Return after how many answers the rounded mean is right 95%.

    ``k >= 2 (z b / (1/2))^2`` with ``b = 1/epsilon``, by the normal approximation.

    >>> needed(1.0), needed(0.1)
    (31, 3074)
    """
    require_budget(epsilon)
    return math.ceil(2 * (_Z / (_HALF * epsilon)) ** 2)


def ask_again(
    count: float, *, epsilon: float, budget: float, times: int, rng: np.random.Generator
) -> Averaging:
    """Return what somebody learns who asks for a count so many times.

    Raises:
        ParameterError: ``epsilon`` or ``budget`` is not in (0, inf), or ``times`` is
            below 1.

    """
    require_budget(epsilon)
    require_budget(budget)
    if times < 1:
        raise ParameterError(f"the question must be asked at least once, got {times}.")
    scale = least_scale(1.0, epsilon)
    return Averaging(
        truth=count,
        answers=count + rng.laplace(scale=scale, size=times),
        epsilon=epsilon,
        scale=scale,
        budget=budget,
    )


# Timing: how often noise was drawn again says where the value lies.
#
# Truncated noise that is drawn until it lands between the bounds takes ``k`` draws with
# probability ``(1 - Z)^(k - 1) Z`` (geometric law), where ``Z`` is the chance of landing
# inside, which depends on the secret value. Over ``r`` releases the draws add up by the
# negative binomial law: at most ``k`` with probability ``I_Z(r, k - r + 1)``, the
# regularized incomplete beta function. As few draws speak for the value with the larger
# ``Z``, the best test has one threshold: where both are equally likely, ``k = r + r
# log(Z_1/Z_0) / log((1 - Z_0)/(1 - Z_1))``. It is right with probability ``1/2 +
# |F_0(k) - F_1(k)|/2``. A release that always takes the same number of draws tells
# nothing by its time.

PER_DRAW: Final = 40.0
"""Time of one draw on the simulated stopwatch, in microseconds."""
JITTER: Final = 6.0
"""How unsteady the stopwatch is: a standard deviation, in microseconds."""
_FAR = 1e-12


def at_most(draws: ArrayLike, kept: float, *, releases: int) -> FloatArray:
    """Return how likely so many releases take at most so many draws together."""
    k = np.asarray(draws, dtype=np.float64)
    below = betainc(float(releases), np.maximum(k - releases + 1, 1.0), _checked(kept))
    return np.where(k >= releases, below, 0.0)


def right(first: float, second: float, *, releases: int) -> float:
    """Return how often the best test of the time alone tells two values apart.

    Args:
        first: The chance that a draw is kept in the first world, in (0, 1].
        second: The same in the second world.
        releases: How many releases are timed.

    Raises:
        ParameterError: A chance is outside its domain, or nothing is timed.

    >>> round(right(0.5, 0.6, releases=1), 4), right(0.5, 0.5, releases=9)
    (0.55, 0.5)

    """
    if releases < 1:
        raise ParameterError(f"at least one release must be timed, got {releases}.")
    low, high = sorted((_checked(first), _checked(second)))
    if low == high:
        return 0.5
    with np.errstate(divide="ignore"):
        steeper = np.log1p(-low) - np.log1p(-high)
    most = releases + np.floor(releases * np.log(high / low) / steeper)
    below = [float(at_most(most, kept, releases=releases)) for kept in (low, high)]
    return float(0.5 + (below[1] - below[0]) / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopwatch:
    """Times of releases in two worlds, in microseconds.

    Attributes:
        first: In the first world, shape ``(m,)``.
        second: In the second world, shape ``(m,)``.

    """

    first: FloatArray = field(repr=False)
    second: FloatArray = field(repr=False)


def redrawing(first: float, second: float, *, releases: int, rng: np.random.Generator) -> Stopwatch:
    """Return how long releases take that draw until a draw is kept."""
    tries = [rng.geometric(_checked(kept), releases) for kept in (first, second)]
    return _timed(tries[0], tries[1], rng)


def steady(draws: int, *, releases: int, rng: np.random.Generator) -> Stopwatch:
    """Return how long releases take that always make so many draws."""
    same = np.full(releases, draws)
    return _timed(same, same, rng)


def _timed(first: ArrayLike, second: ArrayLike, rng: np.random.Generator) -> Stopwatch:
    watch = [
        PER_DRAW * np.asarray(tries, dtype=np.float64)
        + JITTER * rng.standard_normal(np.shape(tries))
        for tries in (first, second)
    ]
    return Stopwatch(first=watch[0], second=watch[1])


def _checked(kept: float) -> float:
    if not _FAR < kept <= 1:
        raise ParameterError(f"the chance that a draw is kept must be in (0, 1], got {kept}.")
    return kept


# Why nobody may be told their own loss: two attacks that solve for the exact answer.
#
# A person's loss is a function of everybody's records. Who knows the own record, the
# public numbers of the release, and the own loss, has one equation for one unknown:
#
# * A mean of ``n`` people with Laplace noise of scale ``b``. Without the person it moves
#   by ``|x - m|/(n - 1)``, so that a loss ``e`` tells ``|x - m| = e b (n - 1)``: two
#   candidates for the mean ``m``, of which the release or the bounds tell the right one.
# * A count ``Q`` with Gaussian noise, of which the loss *at the released number* ``o`` is
#   published. For somebody who is counted it is ``|2 (o - Q) + 1|/(2 sigma^2)``, for
#   somebody who would be ``|2 (o - Q) - 1|/(2 sigma^2)``: two candidates for ``Q``, of
#   which only one is a whole number (Redberg and Wang 2021, example 4).
#
# CONFIDENTIAL, all but the candidates from numbers that are public already.

_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What an attacker makes of a loss that was told. CONFIDENTIAL."""

    told: float
    """The loss, as it was told."""
    release: float
    reach: float
    """How far the release is off with probability ``LEVEL``, at most. Public."""
    candidates: tuple[float, ...]
    """What the answer can be, given the loss, ascending."""
    slack: float
    """How far a candidate may be off because the loss was rounded."""
    recovered: float
    """The candidate that the attacker chooses."""
    truth: float

    @property
    def error(self) -> float:
        """Return how far the attacker is off."""
        return abs(self.recovered - self.truth)


def rounded_up(loss: float, digits: int | None) -> tuple[float, float]:
    """Return a loss with so many significant digits, and the size of the last one.

    ``None`` keeps all digits.

    >>> rounded_up(0.40551, 3)
    (0.406, 0.001)
    """
    if digits is None or loss == 0 or not math.isfinite(loss):
        return loss, 0.0
    place = digits - 1 - math.floor(math.log10(loss))
    unit = 10.0**-place
    return round(math.ceil(loss / unit - 1e-9) * unit, max(place, 0)), unit


def means_from_loss(
    loss: float, *, value: float, scale: float, people: int, bounds: Interval
) -> tuple[float, ...]:
    """Return the means that a person's loss leaves possible, ascending.

    Args:
        loss: The loss of the person, compared with the table without them.
        value: The person's own value, within the bounds.
        scale: Scale ``b`` of the Laplace noise on the mean.
        people: Number of people, the person included.
        bounds: The public bounds of the values, and of their mean.

    >>> bounds = Interval(lower=-3.0, upper=3.0)
    >>> found = means_from_loss(
    ...     0.24333333333 / 0.6, value=2.5, scale=0.6, people=10, bounds=bounds
    ... )
    >>> [round(mean, 9) for mean in found]
    [0.31]

    """
    distance = loss * scale * (people - 1)
    room = 1e-9 * bounds.width
    pair = dict.fromkeys((value - distance, value + distance))
    return tuple(mean for mean in pair if bounds.lower - room <= mean <= bounds.upper + room)


def counts_from_loss(
    loss: float, *, release: float, sigma: float, member: bool
) -> tuple[float, float]:
    """Return the two counts that a realized loss leaves possible, ascending.

    >>> low, high = counts_from_loss(
    ...     0.131172, release=134.2207, sigma=5.0, member=False
    ... )
    >>> round(low, 3), round(high, 3)
    (130.441, 137.0)

    """
    middle = release + (0.5 if member else -0.5)
    reach = loss * sigma * sigma
    return middle - reach, middle + reach


def realized_loss(release: float, *, count: int, sigma: float, member: bool) -> float:
    """Return the size of the log odds of the released number, with and without one.

    Of somebody who is counted (``member``), or of somebody who would be.
    """
    sign = 1.0 if member else -1.0
    return abs(2 * (release - count) + sign) / (2 * sigma * sigma)


def attack_mean(
    values: FloatArray,
    person: int,
    *,
    bounds: Interval,
    epsilon: float,
    rng: np.random.Generator,
    digits: int | None = None,
) -> Recovery:
    """Return what a person finds out who is told their loss from a mean.

    The release is simulated. Of two candidates the one nearer to it is the likelier.

    Args:
        values: Everybody's value, clamped here, shape ``(n,)``.
        person: Who is told, from 0.
        bounds: Public bounds of the values.
        epsilon: What the mean is calibrated to, with the number of people public.
        rng: Draws the release.
        digits: Significant digits of the loss, rounded up; ``None`` for all.

    Raises:
        DataError: There are fewer than two people.
        ParameterError: ``epsilon`` is not in (0, inf), or there is no such person.

    """
    require_budget(epsilon)
    people = len(values)
    if people < _FEWEST:
        raise DataError("the attack needs at least two people with a value.")
    if not 0 <= person < people:
        raise ParameterError(f"the person must be from 0 to {people - 1}, got {person}.")
    clamped = bounds.clip(values)
    mean = float(bounds.clip(np.array(clamped.mean())))
    scale = bounds.width / (people * epsilon)
    value = float(clamped[person])
    told, unit = rounded_up((abs(value - mean) / (people - 1) / scale), digits)
    release = mean + float(rng.laplace(scale=scale))
    # Rounding up may put the candidate just beyond a bound.
    found = means_from_loss(told, value=value, scale=scale, people=people, bounds=bounds) or (
        float(bounds.clip(np.array(release))),
    )
    return Recovery(
        told=told,
        release=release,
        reach=scale * math.log(1 / (1 - LEVEL)),
        candidates=found,
        slack=unit * scale * (people - 1),
        recovered=min(found, key=lambda candidate: abs(candidate - release)),
        truth=mean,
    )


def attack_count(
    counted: int,
    *,
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
    digits: int | None = None,
) -> Recovery:
    """Return what anybody finds out who reads the realized loss of a counted person.

    Everybody who is counted has the same loss. If nobody is, it is that of somebody who
    would be. Neither the record of the person nor anything else need be known.
    Arguments as for ``attack_mean``.

    Raises:
        ParameterError: A parameter is outside its domain.

    """
    if counted < 0:
        raise ParameterError(f"a count must be at least 0, got {counted}.")
    mechanism = Gaussian.calibrate(
        sensitivity=Sensitivity.scalar(1.0),
        epsilon=epsilon,
        delta=delta,
        bounds=Interval(lower=0.0, upper=math.inf),
    )
    sigma, member = mechanism.noise, counted > 0
    release = counted + sigma * float(rng.standard_normal())
    loss = realized_loss(release, count=counted, sigma=sigma, member=member)
    told, unit = rounded_up(loss, digits)
    found = counts_from_loss(told, release=release, sigma=sigma, member=member)
    # Not by nearness to the release: the two are equally far from it, but for 1/2.
    nearest: float = min(found, key=lambda number: abs(number - max(round(number), 0)))
    return Recovery(
        told=told,
        release=release,
        reach=1.959963984540054 * sigma,
        candidates=found,
        slack=unit * sigma * sigma,
        recovered=float(round(nearest)),
        truth=float(counted),
    )
