"""A sanitized covariance matrix: variances first, then covariances that fit to them.

Liu 2016, section 4.1: each variance is released on ``[0, Vmax]``; then each covariance
on ``+-sqrt(v_i* v_j*)``, the range that the released variances leave for it. The range
is public by then, but random: truncation has to be recalibrated for it.

A symmetric matrix of ``d`` columns is a vector of its ``d`` variances followed by its
``d (d - 1) / 2`` covariances, in the order of ``itertools.combinations``.

A released range is ``[-m, m]`` with ``m = sqrt(v1* v2*)``. Everything here is
elementwise in ``m``, so that a simulation handles all its ranges at once. The value may
lie outside the range: clamped noise then starts from outside, truncated noise from the
nearest end, which has the same law.

What a pair of values ``x``, ``y`` reveals is bounded over all ranges at once. With
``h = |x - y|``, ``M = max(|x|, |y|)`` and ``L(t, h, R)`` the level of two values ``h``
apart, one of them on an end of a range of width ``R``, at scale ``1/t``
(``truncated.worst_level``), which increases in all three:

- *Fixed scale* (published): for ``m <= M`` one value sits on an end after clipping,
  and the level is ``L`` of a distance and a width that grow with ``m``. For ``m >= M``
  the loss is ``h t + log (1 - q cosh xt) / (1 - q cosh yt)``, ``q = e^-mt``, with
  ``|x| <= |y|``, which falls with ``m``. So the level at ``m = M`` is the largest.
- *Recalibrated scale* ``b(m)``, which grows with ``m``: a pair's level falls as the
  scale grows, because ``E|U - y|``, ``U`` the release of ``y``, changes by at most 1
  when ``y`` changes by 1. So the level at ``M`` bounds those for ``m >= M``. Where
  ``2m <= Delta`` the scale is ``2m / epsilon``, and the level depends on the share of
  the range between the clipped values alone: for values on one side of 0 it is largest
  at ``m = M``. For ``Delta/2 <= m <= M`` it is at most ``L`` at the scale ``Delta /
  epsilon``, the distance ``h`` and the width ``2M``. Together: ``L`` at the scale
  ``min(Delta, 2M) / epsilon``, and at most ``epsilon``. Values on either side of 0
  become the two ends of every narrow range, which reveals ``epsilon`` however near
  they are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.bounded import FLAT_BELOW
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.laplace_law import one_minus_exp
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity, require_budget
from dpcore.mechanisms.search import ROUND_UP
from dpcore.mechanisms.truncated import truncated_quantile

Draw = Callable[["Step", FloatArray], FloatArray]
"""Draws from the mechanism of a step around a value, shape ``(1,)``."""


MECHANISMS: Final = ("truncated-published", "bit", "truncated", "laplace")
"""Keys of the mechanisms that a covariance matrix can be released by."""
_FEWEST: Final = 2
_LEAST, _MOST = 1e-290, 1e290


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The release of one number of the matrix, as a sampler has to know it.

    Attributes:
        mechanism: Law of the draw, for the range that is left.
        sensitivity: What one person can change.
        epsilon: The share of the budget; the published truncation exceeds it.

    """

    mechanism: Mechanism
    sensitivity: Sensitivity
    epsilon: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CovarianceRelease:
    """Public numbers of a release of all variances and covariances of ``d`` columns.

    Numbers stand in this order: the variances, then the
    covariances of pairs. The divisor is ``n - 1``; one person changes the number of
    columns ``i``, ``j`` by at most ``R_i R_j / n``.

    Attributes:
        widths: Widths ``R_j`` of the columns' public bounds, positive.
        people: Number of people ``n``, or the public minimum that stands in for it.
        key: One of ``MECHANISMS``.
        epsilon: The nominal budget of the whole matrix.
        weights: How it is split over the numbers, positive; equally by default.
        rounding: What floats add to a change, as a share of ``R_i R_j``.

    Raises:
        ParameterError: One of these lies outside its domain.

    >>> pair = CovarianceRelease(widths=(8.0, 16.0), people=50, key="bit", epsilon=1.0)
    >>> (pair.scales * 50).round(9).tolist()
    [192.0, 768.0, 384.0]
    >>> bool(pair.effective_epsilon <= 1)
    True

    """

    widths: tuple[float, ...]
    people: int
    key: str
    epsilon: float
    weights: tuple[float, ...] | None = None
    rounding: float = 0.0

    def __post_init__(self) -> None:
        require_budget(self.epsilon)
        if self.key not in MECHANISMS:
            raise ParameterError(f"a covariance matrix is released by one of {MECHANISMS}.")
        if self.people < _FEWEST:
            raise ParameterError(f"a variance needs at least 2 people, got {self.people}.")
        if not self.widths or not all(0 < w < math.inf for w in self.widths):
            raise ParameterError("every column needs bounds a positive, finite width apart.")
        if not 0 <= self.rounding < 1:
            raise ParameterError(f"rounding must be at least 0, below 1, got {self.rounding}.")
        weights = self.weights
        fitting = weights is None or len(weights) == len(places_of(self.columns))
        if not fitting or not all(0 < w < math.inf for w in weights or ()):
            raise ParameterError("the split needs one positive, finite weight for each number.")
        least, most = self.sensitivities.min(), self.sensitivities.max()
        if not (least / self.epsilon > _LEAST and most / self.epsilons.min() < _MOST):
            raise ParameterError("these bounds are too narrow or too wide for the noise; rescale.")

    @property
    def columns(self) -> int:
        """Return the number of columns ``d``."""
        return len(self.widths)

    @property
    def sensitivities(self) -> FloatArray:
        """Return the most that one person changes each number, ``R_i R_j / n``."""
        rows, places = np.array(places_of(self.columns)).T
        widths = np.array(self.widths)
        with np.errstate(over="ignore", under="ignore"):
            products = widths[rows] * widths[places]
            return np.asarray(products * (1 / self.people + self.rounding))

    @property
    def epsilons(self) -> FloatArray:
        """Return the nominal budget of each number; they add up to ``epsilon``."""
        weights = np.array(self.weights or (1.0,) * len(places_of(self.columns)))
        parts = self.epsilon * (weights / math.fsum(weights))
        while math.fsum(parts) > self.epsilon:
            parts = np.nextafter(parts, 0)
        return parts

    @property
    def largest(self) -> FloatArray:
        """Return the largest possible size of each number.

        The largest variance of each column, then the widest range of each covariance,
        ``sqrt(Vmax_i Vmax_j)``.
        """
        tops = np.array([largest_variance(w, self.people) for w in self.widths])
        return np.concatenate([tops, reaches_of(tops)])

    @property
    def scales(self) -> FloatArray:
        """Return the scale of the noise of each number.

        For a covariance under calibrated truncation the largest, on the widest range.
        """
        return np.array([step.mechanism.noise for step in self._widest()])

    @property
    def levels(self) -> FloatArray:
        """Return the epsilon that each number really costs, in the worst case.

        That is the worst over all tables and over all ranges that may be left for a
        covariance; a fixed scale reveals most on the widest.
        """
        if self.key == "truncated":
            return self.epsilons
        return np.array([step.mechanism.epsilon(step.sensitivity) for step in self._widest()])

    @property
    def effective_epsilon(self) -> float:
        """Return the epsilon of the whole matrix: the sum of the levels.

        The steps are chosen in view of earlier answers, but their levels hold whatever
        those were, so that sequential composition applies.
        """
        return math.fsum(self.levels)

    def release(self, value: ArrayLike, draw: Draw) -> FloatArray:
        """Return one release of the numbers ``value``, each step drawn by ``draw``.

        Where a released variance is 0, or so small that a range is no number, the
        covariance is released as 0 without a draw; nothing is ever redrawn.

        Args:
            value: Shape ``(k,)``. CONFIDENTIAL.
            draw: The sampler; for real releases a secure one.

        """
        value = self._checked(value)
        result = np.zeros(value.shape)
        columns = self.columns
        for place in range(columns):
            step = self.step(place, self.largest[place])
            result[place] = draw(step, value[place : place + 1])[0]
        reaches = reaches_of(result[:columns])
        for place, reach in enumerate(reaches, start=columns):
            # Far below any rounding of the numbers around it, 0 is released instead.
            if self.key != "laplace" and not reach > self.largest[place] * FLAT_BELOW:
                continue
            step = self.step(place, reach)
            result[place] = draw(step, value[place : place + 1])[0]
        return result

    def simulate(
        self, value: ArrayLike, *, rng: np.random.Generator, size: tuple[int, ...] = ()
    ) -> FloatArray:
        """Return simulated releases, shape ``(*size, k)``.

        Not for real releases: floating-point noise leaks.
        """
        value = self._checked(value)
        result = np.empty((*size, len(value)))
        for place in range(self.columns):
            mechanism = self.step(place, self.largest[place]).mechanism
            result[..., place] = mechanism.simulate(value[place], rng=rng, size=size)
        reaches = reaches_of(result[..., : self.columns])
        for pair in range(len(pairs_of(self.columns))):
            place = self.columns + pair
            u = law.uniform(rng, size)
            result[..., place] = self.covariance_quantiles(
                place, u, value[place], reaches[..., pair]
            )
        return result

    def covariance_scales(self, place: int, reach: ArrayLike) -> FloatArray:
        """Return the scale of the noise of one covariance on ranges ``+-reach``."""
        reach = np.asarray(reach, dtype=np.float64)
        shift, share = self.sensitivities[place], self.epsilons[place]
        if self.key == "truncated":
            return least_private_scales(shift, share, 2 * reach)
        return np.full(reach.shape, self.scales[place])

    def pairwise_epsilon(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return what the release reveals about a pair of matrices, pure DP.

        Shapes ``(..., k)``, result ``(...)``. For Laplace and BIT the exact level: at
        the released variances ``v* = first`` all steps reach their own level at once,
        because ``first``'s covariances lie within the range that these leave. For
        truncation the sum of the variances' exact levels and of a bound on each
        covariance's level over all ranges (see above).
        """
        return np.asarray(self.levels_between(first, second).sum(axis=-1))

    def levels_between(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return the part of each number in ``pairwise_epsilon``, shape ``(..., k)``."""
        first, second = np.broadcast_arrays(self._checked(first), self._checked(second))
        levels = np.empty(first.shape)
        for place in range(first.shape[-1]):
            at = slice(place, place + 1)
            levels[..., place] = self._pair_level(place, first[..., at], second[..., at])
        return levels

    def _pair_level(self, place: int, first: FloatArray, second: FloatArray) -> FloatArray:
        step = self.step(place, self.largest[place])
        if place < self.columns or self.key == "laplace":
            return step.mechanism.pairwise_epsilon(first, second)
        x, y, noise = first[..., 0], second[..., 0], step.mechanism.noise
        if self.key == "bit":
            return np.abs(x - y) / noise
        if self.key == "truncated-published":
            reach = float(self.largest[place])
            return published_pair_level(x, y, noise, reach)
        shift, share = float(self.sensitivities[place]), float(self.epsilons[place])
        return calibrated_pair_level(x, y, shift, share)

    def step(self, place: int, reach: float) -> Step:
        """Return the release of one number that can be as large as ``reach``."""
        shift, share = float(self.sensitivities[place]), float(self.epsilons[place])
        return self._step(place, reach, shift=shift, epsilon=share)

    def _widest(self) -> list[Step]:
        """Return the release of each number as large as it can be."""
        known = zip(self.largest, self.sensitivities, self.epsilons, strict=True)
        return [
            self._step(place, reach, shift=float(shift), epsilon=float(share))
            for place, (reach, shift, share) in enumerate(known)
        ]

    def _step(self, place: int, reach: float, *, shift: float, epsilon: float) -> Step:
        lower = 0.0 if place < self.columns else -reach
        sensitivity = Sensitivity.scalar(shift)
        bounds = (
            Interval(lower=lower, upper=float(reach))
            if self.key != "laplace"
            else Interval(lower=-math.inf, upper=math.inf)
        )
        mechanism = CATALOG[self.key].calibrate(
            sensitivity=sensitivity, epsilon=epsilon, bounds=bounds
        )
        return Step(mechanism=mechanism, sensitivity=sensitivity, epsilon=epsilon)

    def covariance_quantiles(
        self, place: int, u: FloatArray, value: float, reach: FloatArray
    ) -> FloatArray:
        """Return the ``u``-quantiles of one covariance on each range."""
        if self.key in {"laplace", "bit"}:
            drawn = law.quantile(u, value, float(self.scales[place]))
            return drawn if self.key == "laplace" else np.clip(drawn, -reach, reach)
        noise = self.covariance_scales(place, reach)
        return truncated_quantiles(u, value, noise, reach)

    def _checked(self, value: ArrayLike) -> FloatArray:
        value = np.asarray(value, dtype=np.float64)
        numbers = len(places_of(self.columns))
        if value.ndim == 0 or value.shape[-1] != numbers:
            message = f"{self.columns} columns have {numbers} variances and covariances"
            raise ParameterError(message + ", in the last axis.")
        return value


_STEPS = 12
_CONVERGED = 1e-15
_ONE_DOWN = 1 - 2.0**-52
_SAME_STEP = 1e-9


def worst_levels(shift: ArrayLike, widths: ArrayLike, noise: ArrayLike) -> FloatArray:
    """Return the truncated law's level for values ``shift`` apart, elementwise.

    ``D t + log1p(P_1(D t) P_1((R - D) t) / P_1(R t))`` with ``t = 1/b``, ``R`` the
    width and ``D = min(shift, R)``; 0 where either is 0. Noise must be positive where
    they are not.
    """
    distance = np.minimum(shift, widths).astype(np.float64)
    across = _over(distance, noise)
    rest = _over(np.subtract(widths, distance), noise)
    whole = one_minus_exp(across + rest)
    mass = np.where(whole > 0, whole, 1.0)
    change = one_minus_exp(across) * one_minus_exp(rest) / mass
    return np.asarray(across + np.log1p(change))


def least_private_scales(shift: ArrayLike, epsilon: float, widths: ArrayLike) -> FloatArray:
    """Return the smallest ``epsilon``-DP scale on ranges of each width, elementwise.

    As ``truncated.least_private_scale``. Newton's method on the level,
    which is concave in ``t = 1/b``, starts at ``epsilon / (2 D)`` and stays on the
    private side; where rounding takes it across, it steps back. 0 on ranges of width 0.
    """
    widths = np.asarray(widths, dtype=np.float64)
    distance = np.minimum(shift, widths)
    narrow = widths <= shift
    k = np.where(narrow, 2.0, widths / shift)
    t = np.full(widths.shape, epsilon / 2)
    for _ in range(_STEPS):
        level, slope = _level_and_slope(t, k)
        before = t
        t = np.clip(t + (epsilon - level) / slope, epsilon / 2, epsilon)
        if np.allclose(t, before, rtol=_CONVERGED, atol=0):
            break
    while (across := _level_and_slope(t, k)[0] > epsilon).any():
        t = np.where(across, t * _ONE_DOWN, t)
    return np.asarray(distance / np.where(narrow, epsilon, t) * ROUND_UP)


def truncated_quantiles(
    u: ArrayLike, position: ArrayLike, noise: ArrayLike, reach: ArrayLike
) -> FloatArray:
    """Return quantiles of the truncated law on ``[-reach, reach]``, elementwise.

    As ``TruncatedLaplace.quantile``; 0 where ``reach`` is 0.
    """
    u, position, noise, reach = (
        np.asarray(x, dtype=np.float64) for x in (u, position, noise, reach)
    )
    nearest = np.clip(position, -reach, reach)
    a = _over(nearest + reach, noise)
    d = _over(reach - nearest, noise)
    drawn = truncated_quantile(u, nearest, (a, d), (-reach, reach), noise)
    flat = a + d < FLAT_BELOW
    return np.clip(np.where(flat, (2 * u - 1) * reach, drawn), -reach, reach)


def published_pair_level(
    first: FloatArray, second: FloatArray, noise: float, largest_reach: float
) -> FloatArray:
    """Return the largest level of a pair over all ranges, at one scale of noise.

    Exact; see above. ``largest_reach`` is the widest that a range can be.
    """
    x = np.clip(first, -largest_reach, largest_reach)
    y = np.clip(second, -largest_reach, largest_reach)
    ends = 2 * np.maximum(np.abs(x), np.abs(y))
    return worst_levels(np.abs(x - y), ends, noise)


def calibrated_pair_level(
    first: FloatArray, second: FloatArray, shift: float, epsilon: float
) -> FloatArray:
    """Return a bound on the level of a pair over all ranges, scales recalibrated.

    Proved above. Each step of length ``shift`` costs at most ``epsilon`` (group
    privacy), which caps it; values on either side of 0 cost that much.
    """
    apart = np.abs(first - second)
    steps = np.maximum(np.ceil(apart / shift * (1 - _SAME_STEP)), 1.0)
    cap = np.where(apart == 0, 0.0, steps * epsilon)
    ends = 2 * np.maximum(np.abs(first), np.abs(second))
    level = worst_levels(apart, ends, np.minimum(shift, ends) / epsilon)
    same_side = np.sign(first) * np.sign(second) >= 0
    return np.where(same_side, np.minimum(level, cap), cap)


def _over(length: ArrayLike, noise: ArrayLike) -> FloatArray:
    """Return ``length / noise``, and 0 where both are 0."""
    length, noise = np.asarray(length), np.asarray(noise)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.where(length == 0, 0.0, length / noise))


def _level_and_slope(t: FloatArray, k: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return level and its derivative in ``t``, for a shift of 1 and a width ``k``."""
    ratio = one_minus_exp(t) * one_minus_exp((k - 1) * t) / one_minus_exp(k * t)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        growth = 1 / np.expm1(t) + (k - 1) / np.expm1((k - 1) * t) - k / np.expm1(k * t)
    growth = np.where(np.isfinite(growth), growth, 0.0)
    return t + np.log1p(ratio), 1 + ratio / (1 + ratio) * growth


def pairs_of(columns: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of columns, in the order of their covariances.

    >>> pairs_of(3)
    ((0, 1), (0, 2), (1, 2))
    """
    return tuple(itertools.combinations(range(columns), 2))


def places_of(columns: int) -> tuple[tuple[int, int], ...]:
    """Return row and column of every number of the vector.

    >>> places_of(2)
    ((0, 0), (1, 1), (0, 1))
    """
    return tuple((j, j) for j in range(columns)) + pairs_of(columns)


def columns_in(length: int) -> int:
    """Return the number of columns behind a vector of that length.

    >>> columns_in(6)
    3

    Raises:
        ParameterError: No matrix has that many numbers.

    """
    columns = 0
    while columns * (columns + 1) // 2 < length:
        columns += 1
    if length < 1 or columns * (columns + 1) // 2 != length:
        raise ParameterError(
            f"a covariance matrix of d columns has d (d + 1) / 2 numbers, got {length}."
        )
    return columns


def matrix_of(values: ArrayLike) -> FloatArray:
    """Return vectors of shape ``(..., k)`` as symmetric matrices ``(..., d, d)``.

    >>> matrix_of([1.0, 4.0, -1.0]).tolist()
    [[1.0, -1.0], [-1.0, 4.0]]
    """
    values = np.asarray(values, dtype=np.float64)
    columns = columns_in(values.shape[-1])
    rows, places = np.array(places_of(columns)).T
    result = np.empty((*values.shape[:-1], columns, columns))
    result[..., rows, places] = values
    result[..., places, rows] = values
    return result


def vector_of(matrix: ArrayLike) -> FloatArray:
    """Return symmetric matrices ``(..., d, d)`` as vectors, inverse of ``matrix_of``.

    >>> vector_of([[1.0, -1.0], [-1.0, 4.0]]).tolist()
    [1.0, 4.0, -1.0]
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    rows, places = np.array(places_of(matrix.shape[-1])).T
    return np.asarray(matrix[..., rows, places])


def reaches_of(variances: ArrayLike) -> FloatArray:
    """Return the largest possible covariance ``sqrt(v_i v_j)`` of each pair.

    Shape ``(..., d)`` to ``(..., d (d - 1) / 2)``. NaN where a variance is negative,
    as unbounded noise may leave it.
    """
    variances = np.asarray(variances, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        roots = np.sqrt(variances)
    pairs = np.array(pairs_of(variances.shape[-1]), dtype=int).reshape(-1, 2)
    return np.asarray(roots[..., pairs[:, 0]] * roots[..., pairs[:, 1]])


def correlations_of(values: ArrayLike) -> FloatArray:
    """Return the correlations of vectors ``(..., k)``, one for each pair of columns.

    NaN where a variance is 0 or negative: the correlation is not defined there, and no
    number is made up for it.

    >>> correlations_of([1.0, 4.0, -1.0]).tolist()
    [-0.5]
    >>> correlations_of([0.0, 4.0, 0.0]).tolist()
    [nan]
    """
    values = np.asarray(values, dtype=np.float64)
    columns = columns_in(values.shape[-1])
    reach = reaches_of(values[..., :columns])
    with np.errstate(invalid="ignore"):
        defined = reach > 0
    divisor = np.where(defined, reach, 1.0)
    return np.where(defined, values[..., columns:] / divisor, np.nan)


def largest_variance(width: float, people: int) -> float:
    """Return the largest variance (divisor n - 1) within bounds ``width`` apart.

    ``R^2 floor(n^2/4) / (n (n - 1))``: half of the people on either bound. For even
    ``n`` that is Shiffler and Harsha's ``n R^2 / (4 (n - 1))``, for odd ``n`` less.

    >>> largest_variance(8.0, 50) == 50 * 16 / 49
    True
    >>> largest_variance(1.0, 3)
    0.3333333333333333
    """
    half = people // 2
    share = half / (2 * half - 1) if people % 2 == 0 else (half + 1) / people
    return width * width * share / 2


def sensitivity_split(widths: Sequence[float]) -> tuple[float, ...]:
    """Return weights that give every number the same scale of noise.

    Shares in proportion to the sensitivities ``R_i R_j / n`` are what one joint release
    of the vector amounts to (Liu 2016, remark 2).

    >>> sensitivity_split([8.0, 16.0])
    (64.0, 256.0, 128.0)
    """
    return tuple(widths[i] * widths[j] for i, j in places_of(len(widths)))
