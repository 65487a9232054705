"""A sanitized covariance matrix: variances first, then covariances that fit to them.

Liu 2016, section 4.1: each variance is released on ``[0, Vmax]``; then each covariance
on ``+-sqrt(v_i* v_j*)``, the range that the released variances leave for it. The range
is public by then, but random: truncation has to be recalibrated for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.base import Mechanism, Sensitivity, require_budget
from dpcore.mechanisms.bounded.base import FLAT_BELOW
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.covariances import random_range
from dpcore.mechanisms.covariances.layout import (
    equal_split,
    largest_variance,
    pairs_of,
    places_of,
    reaches_of,
)

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

    Numbers stand in the order of ``layout``: the variances, then the
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
    >>> bool(pair.real_epsilon <= 1)
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
        weights = np.array(self.weights or equal_split(self.columns))
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
    def real_epsilon(self) -> float:
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
            result[..., place] = self._covariance(place, u, value[place], reaches[..., pair])
        return result

    def covariance_scales(self, place: int, reach: ArrayLike) -> FloatArray:
        """Return the scale of the noise of one covariance on ranges ``+-reach``."""
        reach = np.asarray(reach, dtype=np.float64)
        shift, share = self.sensitivities[place], self.epsilons[place]
        if self.key == "truncated":
            return random_range.least_private_scales(shift, share, 2 * reach)
        return np.full(reach.shape, self.scales[place])

    def pair_epsilon(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return what the release reveals about a pair of matrices, pure DP.

        Shapes ``(..., k)``, result ``(...)``. For Laplace and BIT the exact level: at
        the released variances ``v* = first`` all steps reach their own level at once,
        because ``first``'s covariances lie within the range that these leave. For
        truncation the sum of the variances' exact levels and of a bound on each
        covariance's level over all ranges (``random_range``).
        """
        return np.asarray(self.levels_between(first, second).sum(axis=-1))

    def levels_between(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return the part of each number in ``pair_epsilon``, shape ``(..., k)``."""
        first, second = np.broadcast_arrays(self._checked(first), self._checked(second))
        levels = np.empty(first.shape)
        for place in range(first.shape[-1]):
            at = slice(place, place + 1)
            levels[..., place] = self._pair_level(place, first[..., at], second[..., at])
        return levels

    def _pair_level(self, place: int, first: FloatArray, second: FloatArray) -> FloatArray:
        step = self.step(place, self.largest[place])
        if place < self.columns or self.key == "laplace":
            return step.mechanism.pair_epsilon(first, second)
        x, y, noise = first[..., 0], second[..., 0], step.mechanism.noise
        if self.key == "bit":
            return np.abs(x - y) / noise
        if self.key == "truncated-published":
            reach = float(self.largest[place])
            return random_range.published_pair_level(x, y, noise, reach)
        shift, share = float(self.sensitivities[place]), float(self.epsilons[place])
        return random_range.calibrated_pair_level(x, y, shift, share)

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

    def _covariance(self, place: int, u: FloatArray, value: float, reach: FloatArray) -> FloatArray:
        """Return the ``u``-quantiles of one covariance on each range."""
        if self.key in {"laplace", "bit"}:
            drawn = law.quantile(u, value, float(self.scales[place]))
            return drawn if self.key == "laplace" else np.clip(drawn, -reach, reach)
        noise = self.covariance_scales(place, reach)
        return random_range.truncated_quantiles(u, value, noise, reach)

    def _checked(self, value: ArrayLike) -> FloatArray:
        value = np.asarray(value, dtype=np.float64)
        numbers = len(places_of(self.columns))
        if value.ndim == 0 or value.shape[-1] != numbers:
            message = f"{self.columns} columns have {numbers} variances and covariances"
            raise ParameterError(message + ", in the last axis.")
        return value
