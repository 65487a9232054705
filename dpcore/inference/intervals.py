"""Confidence intervals around a release, from public numbers only.

Two questions, two intervals. *Noise alone*: where does the statistic of this table lie?
*Noise and sampling*: where does the quantity of the population lie from which the table
was drawn as a simple random sample?

The first inverts the law of the release: it keeps every position under which the
release lies in neither tail, and its coverage is exact. The second adds a normal
sampling error with the standard deviation of each population that is considered
(``Statistic.sampling_sd``): good unless the table is tiny or nearly constant. Both come
from public numbers, so neither costs any privacy.

How many people are to be expected where a number of them was found.

How far off a release will be, before it is drawn and from public numbers only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcx, gammaincinv, ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.boundary_inflated_geometric import BoundaryInflatedGeometric
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import MOST_DRAWS, Laplace, LaplaceSum
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.mechanisms.search import first_where, first_where_of_each, halved
from dpcore.statistics.statistic import Statistic

LEVEL = 0.95
_HALVINGS = 60
_POSITIONS = 65
_POPULATIONS = 257
_WIDENINGS = 5
_REACH = 60.0
_ROOT_2 = np.sqrt(2.0)
_EXACT, _PLACES = 1e-3, 200
_WHOLE = 1e-9  # so near below a whole number counts as that number


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Both intervals of a release, one row for each coordinate.

    Attributes:
        level: Confidence of all coordinates together (Bonferroni).
        noise: Shape ``(k, 2)``: for the statistic of this table.
        total: Shape ``(k, 2)``: for the population behind the table.

    """

    level: float
    noise: FloatArray
    total: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinate:
    """A released number, with what it is a number of.

    Attributes:
        mechanism: Its law.
        statistic: What was released, with how much it differs by sampling.
        value: The number.
        bounds: The public interval that holds the statistic.

    """

    mechanism: Mechanism
    statistic: Statistic
    value: float
    bounds: Interval


def level_of_each(count: float, *, level: float = LEVEL) -> float:
    """Return the level of each of ``count`` intervals that hold together (Bonferroni).

    >>> round(level_of_each(10), 12)
    0.995
    """
    return 1 - (1 - level) / count


def intervals(
    mechanism: Mechanism,
    statistic: Statistic,
    released: FloatArray,
    *,
    bounds: Interval,
    level: float = LEVEL,
) -> Intervals:
    """Return the intervals around ``released``, shape ``(k,)``.

    With ``k`` coordinates each has confidence ``1 - (1 - level) / k``, so that all of
    them hold together with confidence ``level``.

    Raises:
        ParameterError: If ``level`` is not strictly between 0 and 1.

    """
    if not 0 < level < 1:
        raise ParameterError(f"the confidence level must lie between 0 and 1, got {level}.")
    tail = (1 - level) / len(released)
    noise = noise_interval(mechanism, released, bounds=bounds, tail=tail)
    each = [
        Coordinate(mechanism=mechanism, statistic=statistic, value=float(value), bounds=bounds)
        for value in released
    ]
    return Intervals(level=level, noise=noise, total=_totals(each, tail))


def intervals_of_each(each: Sequence[Coordinate], *, tail: float) -> Intervals:
    """Return the intervals of numbers that have a law of their own each.

    Each misses with probability ``tail`` at most.
    """
    alike: dict[tuple[Mechanism, Interval], list[int]] = {}
    for place, one in enumerate(each):
        alike.setdefault((one.mechanism, one.bounds), []).append(place)
    noise = np.empty((len(each), 2))
    for (mechanism, bounds), places in alike.items():
        values = np.array([each[place].value for place in places])
        noise[places] = noise_interval(mechanism, values, bounds=bounds, tail=tail)
    return Intervals(level=1 - tail, noise=noise, total=_totals(each, tail))


@singledispatch
def noise_interval(
    mechanism: Mechanism, released: FloatArray, *, bounds: Interval, tail: float
) -> FloatArray:
    """Return, shape ``(k, 2)``, the positions with neither tail below ``tail / 2``.

    Position ``t`` is kept if ``P_t(X >= x) >= tail/2`` and ``P_t(X <= x) >= tail/2``.
    Every law here is stochastically increasing in ``t``, so both ends are roots, found
    by halving where there is no closed form.
    """
    reach = max(_central(mechanism, tail, bounds), np.finfo(float).tiny)
    low = bounds.clip(released - 2 * reach)
    high = bounds.clip(released + 2 * reach)
    # Up to the float before it: an atom counts, wherever the mechanism has it.
    before = np.nextafter(released, -np.inf)

    def at_least(position: FloatArray) -> FloatArray:
        return np.asarray(1 - mechanism.cdf(before, position))

    def at_most(position: FloatArray) -> FloatArray:
        return mechanism.cdf(released, position)

    lower = first_where_of_each(lambda t: at_least(t) >= tail / 2, low, high)
    upper = -first_where_of_each(lambda t: at_most(-t) >= tail / 2, -high, -low)
    return np.stack([lower, upper], axis=-1)


@noise_interval.register(Laplace)
def _(mechanism: Laplace, released: FloatArray, *, bounds: Interval, tail: float) -> FloatArray:
    """Return ``x -+ b log(1 / tail)``, where half of ``tail`` is left on that side."""
    reach = -mechanism.noise * math.log(tail)
    return bounds.clip(np.stack([released - reach, released + reach], axis=-1))


@noise_interval.register(BoundaryInflatedLaplace)
def _(
    mechanism: BoundaryInflatedLaplace, released: FloatArray, *, bounds: Interval, tail: float
) -> FloatArray:
    """Return those of Laplace; from a bound, all positions beyond it are kept, too."""
    reach = -mechanism.noise * math.log(tail)
    ends = mechanism.bounds
    lower = np.where(released > ends.lower, released - reach, -np.inf)
    upper = np.where(released < ends.upper, released + reach, np.inf)
    return bounds.clip(np.stack([lower, upper], axis=-1))


@noise_interval.register(BoundaryInflatedGeometric)
def _(
    mechanism: BoundaryInflatedGeometric, released: FloatArray, *, bounds: Interval, tail: float
) -> FloatArray:
    """Return what ``q^j / (1 + q) >= tail / 2`` keeps, in whole numbers ``j``."""
    most = mechanism.noise * math.log(2 / (tail * (1 + math.exp(-1 / mechanism.noise))))
    reach, ends = max(math.floor(most + _WHOLE), 0), mechanism.bounds
    lower = np.where(released > ends.lower, released - reach, -np.inf)
    upper = np.where(released < ends.upper, released + reach, np.inf)
    return bounds.clip(np.stack([lower, upper], axis=-1))


def noise_half_width(mechanism: Mechanism, *, bounds: Interval, level: float) -> float:
    """Return how far from the statistic a release falls with probability ``level``.

    It is the largest over all positions within ``bounds``; clamping only helps.
    """
    return _central(mechanism, 1 - level, bounds)


def positions_across(bounds: Interval, noise: float) -> FloatArray:
    """Return positions across the bounds; an infinite side is cut at 60 noise scales.

    Farther from a bound than that no law here differs from its unbounded form.
    """
    ends = bounds.cut(_REACH * noise)
    return np.linspace(ends.lower, ends.upper, _POSITIONS)


def normal_plus_laplace_quantile(*, scale: ArrayLike, sd: ArrayLike, tail: float) -> FloatArray:
    """Return the ``x`` with ``P(|N(0, sd^2) + Lap(0, scale)| > x) = tail``, rounded up.

    With ``z = x/sd`` and ``r = sd/scale`` the upper tail of the sum is
    ``Q(z) + e^(r²/2) [e^(-rz) Q(r - z) - e^(rz) Q(r + z)] / 2``, where ``Q`` is the
    upper tail of the standard normal. Since ``Q(t) = e^(-t²/2) erfcx(t/√2) / 2``, both
    products are ``e^(-z²/2)`` times a scaled error function, which neither overflows
    nor cancels. The root is found by halving, for all ``sd`` at once, and all scales.

    >>> float(normal_plus_laplace_quantile(scale=0.05, sd=0.1, tail=0.05).round(12))
    0.241575421546
    """
    sd, scale = np.broadcast_arrays(
        np.asarray(sd, dtype=np.float64), np.asarray(scale, dtype=np.float64)
    )
    # Union bound: each part beyond its own quantile at half of the tail.
    high = np.array(-scale * np.log(tail / 2) - sd * ndtri(tail / 4))
    proper = np.isfinite(sd) & (sd > 0) & (scale > 0)
    if proper.any():
        s, b = sd[proper], scale[proper]
        high[proper] = halved(
            lambda x: _sum_tail(x / s, s / b) <= tail / 2,
            np.zeros(s.shape),
            high[proper],
            middle=lambda low, high: (low + high) / 2,
            halvings=_HALVINGS,
            together=6,
        )
    high = np.where(scale == 0, -sd * ndtri(tail / 2), high)
    return np.asarray(np.where(sd == 0, -scale * np.log(tail), high))


def normal_plus_laplace_reaches(
    away: FloatArray, *, scale: float, sd: FloatArray, tail: float
) -> NDArray[np.bool_]:
    """Return whether ``normal_plus_laplace_quantile`` is at least ``away``, for each.

    The tail beyond ``away`` says so itself, without looking for the quantile.

    >>> sd = np.array([0.0, 0.1, np.inf])
    >>> away = np.full(3, 0.2)
    >>> normal_plus_laplace_reaches(away, scale=0.05, sd=sd, tail=0.05).tolist()
    [False, True, True]
    """
    proper = np.isfinite(sd) & (sd > 0) & (scale > 0)
    rest = np.where(proper, 0.0, sd)
    reached = away <= normal_plus_laplace_quantile(scale=scale, sd=rest, tail=tail)
    s = sd[proper]
    reached[proper] = _sum_tail(away[proper] / s, s / scale) > tail / 2
    return reached


def _sum_tail(z: FloatArray, ratio: FloatArray) -> FloatArray:
    gauss = np.exp(-(z**2) / 2)
    far = gauss * erfcx((ratio + z) / _ROOT_2) / 2
    inside = np.maximum(ratio - z, 0.0)
    beyond = np.maximum(z - ratio, 0.0)
    near = np.where(
        ratio >= z,
        gauss * erfcx(inside / _ROOT_2) / 2,
        np.exp(np.minimum(ratio * (ratio / 2 - z), 0.0)) * ndtr(beyond),
    )
    return np.asarray(ndtr(-z) + (near - far) / 2)


def _totals(each: Sequence[Coordinate], tail: float) -> FloatArray:
    """Return, shape ``(k, 2)``, the populations that no release contradicts."""
    combined = [combined_error(one.mechanism, one.value, one.bounds, tail) for one in each]
    stretches = _stretches(combined, [one.statistic for one in each], tail)
    found = zip(each, combined, stretches, strict=True)
    return np.reshape([_total(*one) for one in found], (-1, 2))


def _total(
    one: Coordinate, combined: CombinedError, stretch: tuple[float, float]
) -> tuple[float, float]:
    """Return the populations that the release does not contradict (score interval).

    A population with the quantity ``p`` is kept if ``value`` is no farther from it than
    noise and sampling together reach, where the sampling error is that *at p*. It would
    be too small at the release: an estimate near 0 or 1 looks certain of itself.
    """
    start, bounds = combined.start, one.bounds
    widest = bounds.cut(_REACH * one.mechanism.noise)
    everywhere = np.linspace(widest.lower, widest.upper, _POPULATIONS)
    nearby = np.linspace(*stretch, _POPULATIONS)
    populations = np.unique(np.concatenate([everywhere, bounds.clip(nearby)]))
    away = np.maximum(0.0, np.maximum(start[0] - populations, populations - start[1]))
    sd = one.statistic.sampling_sd(populations)
    kept = np.flatnonzero(combined.reaches(away, sd))
    if len(kept) == 0:  # so far outside the bounds: the nearest that there can be
        low, high = bounds.clip(np.array(start)).tolist()
        return low, high
    # One step outwards, so that the grid errs on the wide side.
    low = populations[max(kept[0] - 1, 0)]
    high = populations[min(kept[-1] + 1, len(populations) - 1)]
    unknown = np.isinf(sd).any()
    return (bounds.lower, bounds.upper) if unknown else (float(low), float(high))


def _stretches(
    combined: Sequence[CombinedError], statistics: Sequence[Statistic], tail: float
) -> list[tuple[float, float]]:
    """Return stretches that are sure to contain the intervals, if those are finite.

    All of them are widened together: one search serves a whole matrix.
    """
    far = [one.start for one in combined]
    still = list(range(len(far)))
    for _ in range(_WIDENINGS):
        sd = np.array(
            [
                statistics[place].sampling_sd(np.linspace(*far[place], _POSITIONS)).max()
                for place in still
            ]
        )
        reached = _reached([combined[place] for place in still], sd, tail)
        open_ones = []
        for place, away in zip(still, reached.tolist(), strict=True):
            start, known = combined[place].start, far[place]
            if not np.isfinite(away):
                far[place] = start
                continue
            wider = start[0] - 1.05 * away, start[1] + 1.05 * away
            if wider[0] < known[0] or wider[1] > known[1]:
                far[place] = min(wider[0], known[0]), max(wider[1], known[1])
                open_ones.append(place)
        still = open_ones
    return far


def _reached(combined: Sequence[CombinedError], sd: FloatArray, tail: float) -> FloatArray:
    """Return how far sampling reaches beyond each, by its standard deviation."""
    scales = [one.scale for one in combined if one.scale is not None]
    if len(scales) == len(combined):
        return normal_plus_laplace_quantile(scale=scales, sd=sd, tail=tail)
    pairs = zip(combined, sd, strict=True)
    return np.array([float(one.reach(at)) for one, at in pairs])


class CombinedError(NamedTuple):
    """Noise and sampling error of a release together."""

    start: tuple[float, float]
    """Where the noise puts the statistic."""
    reach: Callable[[FloatArray], FloatArray]
    """How far sampling reaches beyond, by its standard deviation."""
    reaches: Callable[[FloatArray, FloatArray], NDArray[np.bool_]]
    """Whether it reaches so far, by distance and standard deviation."""
    scale: float | None = None
    """That of Laplace noise: then ``reach`` is a search, best done for many at once."""


@singledispatch
def combined_error(
    mechanism: Mechanism, value: float, bounds: Interval, tail: float
) -> CombinedError:
    """Return where the noise puts the statistic, and how far sampling reaches beyond.

    No closed form is known for this law: noise and sampling get half of the tail each,
    and by the union bound the coverage is at least what is stated.
    """
    around = noise_interval(mechanism, np.array([value]), bounds=bounds, tail=tail / 2)
    z = -float(ndtri(tail / 4))
    return CombinedError(
        start=(float(around[0, 0]), float(around[0, 1])),
        reach=lambda sd: z * sd,
        reaches=lambda away, sd: away <= z * sd,
    )


@combined_error.register(Laplace)
@combined_error.register(BoundaryInflatedLaplace)
def _(
    mechanism: Laplace | BoundaryInflatedLaplace, value: float, bounds: Interval, tail: float
) -> CombinedError:
    # Clamping moves a release towards every position within the bounds: it can only
    # raise the coverage of an interval of fixed length.
    del bounds
    scale = mechanism.noise
    return CombinedError(
        start=(value, value),
        reach=lambda sd: normal_plus_laplace_quantile(scale=scale, sd=sd, tail=tail),
        reaches=lambda away, sd: normal_plus_laplace_reaches(away, scale=scale, sd=sd, tail=tail),
        scale=scale,
    )


@combined_error.register(Gaussian)
def _(mechanism: Gaussian, value: float, bounds: Interval, tail: float) -> CombinedError:
    del bounds
    z = -float(ndtri(tail / 2))
    return CombinedError(
        start=(value, value),
        reach=lambda sd: z * np.hypot(mechanism.noise, sd),
        reaches=lambda away, sd: away <= z * np.hypot(mechanism.noise, sd),
    )


def _central(mechanism: Mechanism, tail: float, bounds: Interval) -> float:
    positions = positions_across(bounds, mechanism.noise)
    low = mechanism.quantile(tail / 2, positions)
    high = mechanism.quantile(1 - tail / 2, positions)
    return float(np.max(np.maximum(high - positions, positions - low)))


_LEAST = 1e-12


def expected_counts(people: FloatArray, missed: float) -> FloatArray:
    """Return how many may be expected where so many people were found (Garwood 1936).

    Exact for a Poisson count, and on the wide side for a part of a sample.

    Args:
        people: The fewest and the most that may have been found, shape ``(k, 2)``.
        missed: With which probability the expected number lies outside.

    """
    lower = gammaincinv(np.maximum(people[:, 0], _LEAST), missed / 2)
    upper = gammaincinv(people[:, 1] + 1, 1 - missed / 2)
    return np.stack([np.where(people[:, 0] > 0, lower, 0.0), upper], axis=-1)


def expected_sums(found: FloatArray, missed: float) -> FloatArray:
    """Return which sums may be expected where so large sums of numbers in [0, 1] were found.

    With ``L = log(2 / missed)``, a sum of independent numbers in [0, 1] that has mean ``m``
    is at most ``m - x`` with probability ``exp(-x^2 / (2 m))`` at most, and at least ``m +
    x`` with ``exp(-x^2 / (2 m + 2 x / 3))`` (McDiarmid 1998, theorem 2.3), for any number of
    them. Both ends are where these are ``exp(-L)``.

    Args:
        found: The smallest and the largest sum that may have been found, shape ``(k, 2)``.
        missed: With which probability the expected sum lies outside.

    >>> expected_sums(np.array([[0.0, 0.0], [100.0, 100.0]]), 0.05).round(1).tolist()
    [[0.0, 7.4], [75.2, 131.1]]

    """
    log = math.log(2 / missed)
    low, high = found.T
    third = 2 * log / 3
    lower = low + third - np.sqrt(third**2 + 2 * log * low)
    upper = high + log + np.sqrt(log**2 + 2 * log * high)
    return np.stack([np.maximum(lower, 0.0), upper], axis=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What to expect of a release, at the least favorable position.

    Attributes:
        typical: Largest root mean squared error over all positions in the bounds.
        noise: Half-width that holds a release with the probability asked for.
        sampling: Half-width of the sampling error of the table itself, at most, with
            the same probability; the error that no mechanism can remove.

    """

    typical: float
    noise: float
    sampling: float


def expect(
    mechanism: Mechanism, statistic: Statistic, bounds: Interval, *, level: float = LEVEL
) -> Expectation:
    """Return what to expect of one coordinate of a release, with probability ``level``.

    Of several numbers that shall hold together, ask for the ``level_of_each``.
    """
    positions = positions_across(bounds, mechanism.noise)
    return Expectation(
        typical=float(np.sqrt(np.max(mechanism.mse(positions)))),
        noise=noise_half_width(mechanism, bounds=bounds, level=level),
        sampling=_sampling(statistic, bounds, positions, level),
    )


def _sampling(statistic: Statistic, bounds: Interval, positions: FloatArray, level: float) -> float:
    """Return the half-width; infinite where it grows with an answer without limit."""
    if not np.isfinite(bounds.width):
        return np.inf
    sd = [statistic.sampling_sd(np.array([position])) for position in positions]
    return float(-ndtri((1 - level) / 2) * np.max(sd))


# Intervals of the cells of a table of counts, and of the sums of its rows and columns.
#
# All of them hold together, by the union bound over all cells and sums. Around a cell the
# law of its release is inverted. The error of a sum of ``c`` cells is a sum of ``c``
# noises, whose law is known for Laplace and Gaussian noise. Noise that stays within
# bounds errs by what depends on the cell; there a sum lies between the sums of the ends
# of its cells.
#
# For the population behind the table a count is that of a sample: how many were to be
# expected where so many are found (``expected_counts``), for every number from 0 up.


def count_intervals(mechanism: Mechanism, drawn: FloatArray, *, bounds: Interval) -> Intervals:
    """Return the intervals of all cells, and of the totals along each axis.

    Args:
        mechanism: Drew each cell.
        drawn: The released counts, with an axis for each column.
        bounds: What a count and a sum of counts cannot leave.

    """
    missed = (1 - LEVEL) / (drawn.size + sum(drawn.shape))
    noise = _in_table(mechanism, drawn, bounds, missed)
    wider = _in_table(mechanism, drawn, bounds, missed / 2)
    total = bounds.clip(expected_counts(wider, missed / 2))
    return Intervals(level=LEVEL, noise=noise, total=total)


def sum_reach(mechanism: Laplace | Gaussian, count: int, missed: float) -> float:
    """Return how far a sum of ``count`` noises reaches, but with that probability.

    >>> round(sum_reach(Laplace(noise=2.0), 1, 0.05), 9)
    5.991464547
    """
    if isinstance(mechanism, Gaussian):
        return math.sqrt(count) * float(mechanism.quantile(1 - missed / 2, 0.0))
    return mechanism.noise * _standard_reach(count, missed)


def weighted_reach(mechanism: Laplace | Gaussian, weights: FloatArray, missed: float) -> float:
    """Return how far ``sum(w_i noise_i)`` reaches, but with that probability.

    >>> round(weighted_reach(Laplace(noise=2.0), np.array([1.0, 0.0]), 0.05), 9)
    5.991464547
    """
    if isinstance(mechanism, Gaussian):
        return float(np.linalg.norm(weights) * mechanism.quantile(1 - missed / 2, 0.0))
    # The same up to rounding is the same weight: few are left of many.
    sizes, numbers = np.unique(np.abs(weights).round(12), return_counts=True)
    known = [pair for pair in zip(sizes.tolist(), numbers.tolist(), strict=True) if pair[0]]
    if len(known) == 1 and known[0][1] <= MOST_DRAWS:
        return float(known[0][0]) * sum_reach(mechanism, known[0][1], missed)
    return mechanism.noise * _laplace_reach(tuple(known), missed)


@lru_cache(maxsize=256)
def _laplace_reach(weights: tuple[tuple[float, int], ...], missed: float) -> float:
    """Return how far a weighted sum of standard Laplace variables reaches.

    With the characteristic function ``f(t) = prod(1 / (1 + w^2 t^2))`` and a step ``h``::

        P(S > x) = 1/2 - sum_{k >= 0} f(t_k) sin(t_k x) / (pi (k + 1/2)),  t_k = (k + 1/2) h

    but for ``P(|S| > 2 pi/h - x)`` at most (Davies 1980, algorithm AS 155), and for the
    terms that are left out: ``f(t)`` at most beyond ``t``. Both are kept below a
    thousandth of the tail, and added to it.
    """
    sizes, numbers = np.array(weights).T
    off = missed / 2 * _EXACT
    # Chernoff's bound, the least one over a grid, on twice the tail that may be missed.
    places = np.linspace(0.0, 1.0, _PLACES + 2)[1:-1, np.newaxis] / sizes.max()
    growth = -np.log1p(-((places * sizes) ** 2)) @ numbers
    most = float(np.min((growth - math.log(off / 2)) / places[:, 0]))
    step = math.pi / most
    end = 1 / sizes.max()
    while np.log1p((sizes * end) ** 2) @ numbers < -math.log(off):
        end *= 2
    k = np.arange(math.ceil(end / step)) + 0.5
    factors = np.exp(-np.log1p(np.multiply.outer(k * step, sizes) ** 2) @ numbers) / (math.pi * k)

    def holds(x: FloatArray) -> NDArray[np.bool_]:
        beyond = 0.5 - np.array([factors @ np.sin(step * k * each) for each in x])
        return beyond + 2 * off <= missed / 2

    return float(first_where(holds, np.zeros(1), np.array([most]))[0])


@lru_cache(maxsize=256)
def _standard_reach(count: int, missed: float) -> float:
    """Return how far a sum of standard Laplace variables reaches."""
    # Union bound: no noise reaches farther than its own quantile.
    most = -count * math.log(missed / count)
    if count > MOST_DRAWS:
        return most
    law, low, high = LaplaceSum(draws=count), np.zeros(1), np.array([most])
    return float(first_where(lambda x: law.survival(x) <= missed / 2, low, high)[0])


def _in_table(
    mechanism: Mechanism, drawn: FloatArray, bounds: Interval, missed: float
) -> FloatArray:
    """Return where the cells and sums of this table lie, shape ``(k, 2)``."""
    cells = noise_interval(mechanism, drawn.ravel(), bounds=bounds, tail=missed)
    ends = [sides(end.reshape(drawn.shape)) for end in cells.T]
    found = [
        bounds.clip(_around_sums(mechanism, side, np.stack(around, axis=-1), missed))
        for side, *around in zip(sides(drawn), *ends, strict=True)
    ]
    return np.concatenate([cells, *found])


def sides(table: FloatArray) -> list[FloatArray]:
    """Return the cells of every place on each axis, all others in one line."""
    return [np.moveaxis(table, axis, 0).reshape(size, -1) for axis, size in enumerate(table.shape)]


def _around_sums(
    mechanism: Mechanism, drawn: FloatArray, cells: FloatArray, missed: float
) -> FloatArray:
    if not isinstance(mechanism, Laplace | Gaussian):
        return np.asarray(cells.sum(axis=1))
    sums, off = drawn.sum(axis=1), sum_reach(mechanism, drawn.shape[1], missed)
    return np.stack([sums - off, sums + off], axis=-1)
