"""The loss of one person when the scale of the noise changes with the table.

Noise calibrated to the number of people, such as ``(c1 - c0) / (n epsilon)``, differs
with and without a person, so that the two laws differ in position and in scale. With
``P`` the law of ``(m0, s0)`` and ``Q`` that of ``(m1, s1)`` the profile is
``P(S) - e^epsilon Q(S)`` on the set ``S`` where ``log p - log q > epsilon``; here that
is a union of intervals whose ends are known. Both directions matter, and they differ.

Positions and scales are single numbers or arrays that broadcast. CONFIDENTIAL.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.special import log_ndtr

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray

    Law = tuple[ArrayLike, ArrayLike]
    """Position and scale."""


_BISECTIONS = 60


class Profile(Protocol):
    """The delta of one law over another as a function of epsilon."""

    def __call__(
        self,
        first: Law,
        second: Law,
        *,
        epsilon: ArrayLike,
    ) -> FloatArray:
        """Return the delta at ``epsilon``."""
        ...


def laplace_delta(
    first: Law,
    second: Law,
    *,
    epsilon: ArrayLike,
) -> FloatArray:
    """Return the delta at ``epsilon`` of P over Q, Laplace laws ``(position, scale)``.

    ``log p - log q = log(s1/s0) + |x - m1|/s1 - |x - m0|/s0`` is linear on each of the
    three pieces between minus infinity, the two positions and infinity. On each it
    crosses ``epsilon`` at most once.

    Raises:
        ParameterError: A scale is not positive and finite, or ``epsilon`` below 0.

    >>> both = ((0.0, 1.0), (0.1, 1.05))
    >>> round(float(laplace_delta(*both, epsilon=0.05)), 12)
    0.026665409991

    """
    m0, s0, m1, s1, level = laws(first, second, epsilon)
    low, high = np.minimum(m0, m1), np.maximum(m0, m1)
    ends = [np.full_like(low, -np.inf), low, high, np.full_like(low, np.inf)]
    result = np.zeros_like(low)
    for left, right in pairwise(ends):
        # Signs of x - m0 and x - m1 on this piece.
        sign0 = np.where(left >= m0, 1.0, -1.0)
        sign1 = np.where(left >= m1, 1.0, -1.0)
        slope = sign1 / s1 - sign0 / s0
        offset = np.log(s1 / s0) - sign1 * m1 / s1 + sign0 * m0 / s0 - level
        with np.errstate(divide="ignore", invalid="ignore"):
            root = -offset / slope
        # Where the slope is 0 the whole piece is in or out.
        start = np.where(slope > 0, np.clip(root, left, right), left)
        stop = np.where(slope < 0, np.clip(root, left, right), right)
        outside = (slope == 0) & (offset <= 0)
        gain = _laplace_mass(start, stop, m0, s0)
        gain -= _laplace_mass(start, stop, m1, s1, log_factor=level)
        result += np.where(outside, 0.0, np.maximum(gain, 0.0))
    return _probability(result, m0 - m1)


def gaussian_delta(
    first: Law,
    second: Law,
    *,
    epsilon: ArrayLike,
) -> FloatArray:
    """Return the delta at ``epsilon`` of P over Q, normal laws ``(position, sd)``.

    ``log p - log q`` is quadratic: it exceeds ``epsilon`` between its two roots if P is
    the narrower law, and outside them if it is the wider one.

    Raises:
        ParameterError: A scale is not positive and finite, or ``epsilon`` below 0.

    >>> both = ((0.0, 1.0), (0.1, 1.05))
    >>> round(float(gaussian_delta(*both, epsilon=0.05)), 12)
    0.015437511539

    """
    m0, s0, m1, s1, level = laws(first, second, epsilon)
    # In z = (x - m0)/s0 and with r = s0/s1, d = (m0 - m1)/s1:
    # 2 (log p - log q - epsilon) = (r^2 - 1) z^2 + 2 r d z + d^2 - 2 log r - 2 epsilon.
    r, d = s0 / s1, (m0 - m1) / s1
    square, half = (r - 1) * (r + 1), r * d
    rest = d * d - 2 * np.log(r) - 2 * level
    below, above = _roots(square, half, rest)
    between = _normal_gain(below, above, r, d, level)
    tails = _normal_gain(-np.inf, below, r, d, level)
    tails += _normal_gain(above, np.inf, r, d, level)
    result = np.where(square < 0, between, tails)
    # Without roots the quadratic never exceeds 0, or P would hold more than all mass.
    return _probability(np.where(np.isnan(below), 0.0, result), d)


def pair_epsilon(
    delta_of: Profile,
    first: Law,
    second: Law,
    *,
    delta: float,
) -> FloatArray:
    """Return the least epsilon at ``delta`` of both directions, rounded up.

    Args:
        delta_of: ``laplace_delta`` or ``gaussian_delta``, both falling in epsilon.
        first: Position and scale with the person.
        second: Position and scale without.
        delta: In (0, 1). At 0 nothing holds but for Laplace noise of one scale.

    Raises:
        ParameterError: ``delta`` is outside its domain, or a scale.

    """
    if not 0 < delta < 1:
        message = f"delta must be above 0 and below 1, got {delta}."
        raise ParameterError(message)

    def excess(epsilon: FloatArray) -> FloatArray:
        one_way = delta_of(first, second, epsilon=epsilon)
        return np.maximum(one_way, delta_of(second, first, epsilon=epsilon)) - delta

    unknown = np.isnan(excess(np.zeros(())))
    low, high = np.zeros(unknown.shape), np.ones(unknown.shape)
    while (excess(high) > 0).any():
        high = np.where(excess(high) > 0, 2 * high, high)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        beyond = excess(middle) > 0
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    nothing = excess(np.zeros(())) <= 0
    return np.where(unknown, np.nan, np.where(nothing, 0.0, high))


def laws(
    first: Law, second: Law, epsilon: ArrayLike = 0.0
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return ``m0, s0, m1, s1`` and ``epsilon`` as arrays of one shape.

    Raises:
        ParameterError: A scale is not positive and finite, or ``epsilon`` below 0.

    """
    parts = (np.asarray(part, dtype=np.float64) for part in (*first, *second, epsilon))
    m0, s0, m1, s1, level = np.broadcast_arrays(*parts)
    for scale in (s0, s1):
        if not ((scale > 0) & np.isfinite(scale)).all():
            message = "the scale of the noise must be positive and finite."
            raise ParameterError(message)
    if not (level >= 0).all():
        message = "epsilon must be at least 0."
        raise ParameterError(message)
    return m0, s0, m1, s1, level


def _probability(delta: FloatArray, distance: FloatArray) -> FloatArray:
    """Return ``delta`` within [0, 1], NaN where a position is not finite."""
    return np.where(np.isfinite(distance), np.clip(delta, 0.0, 1.0), np.nan)


def _laplace_mass(
    start: FloatArray,
    stop: FloatArray,
    position: FloatArray,
    scale: FloatArray,
    *,
    log_factor: ArrayLike = 0.0,
) -> FloatArray:
    """Return ``e^log_factor`` times the probability from ``start`` to ``stop``.

    Both lie on the same side of the position: ``(e^-near - e^-far) / 2``.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        ends = np.abs(np.stack([start, stop]) - position) / scale
        near, far = ends.min(axis=0), ends.max(axis=0)
        mass = np.exp(log_factor - near) * -np.expm1(near - far) / 2
    return np.where(stop > start, mass, 0.0)


def _roots(
    square: FloatArray, half: FloatArray, rest: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper root of ``square z^2 + 2 half z + rest``.

    NaN where there are none; where it is linear, one root is infinite, on the side that
    leaves the set where it is positive.
    """
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        root = np.sqrt(half * half - square * rest)
        stable = -(half + np.where(half < 0, -root, root))
        one, other = stable / square, rest / stable
        one = np.where(square == 0, np.where(half > 0, -np.inf, np.inf), one)
        nothing = (square == 0) & (half == 0)
        one, other = (np.where(nothing, np.nan, end) for end in (one, other))
    return np.minimum(one, other), np.maximum(one, other)


def _normal_gain(
    start: ArrayLike, stop: ArrayLike, r: FloatArray, d: FloatArray, epsilon: ArrayLike
) -> FloatArray:
    """Return ``P - e^epsilon Q`` between two points in units of the first law."""
    start, stop = (np.asarray(end, dtype=np.float64) for end in (start, stop))
    own = _normal_mass(start, stop, log_factor=0.0)
    other = _normal_mass(r * start + d, r * stop + d, log_factor=epsilon)
    return np.asarray(np.maximum(own - other, 0.0))


def _normal_mass(
    start: FloatArray, stop: FloatArray, *, log_factor: ArrayLike
) -> FloatArray:
    """Return ``e^log_factor`` times the normal probability, from the nearer tail."""
    # Both ends above 0 are mirrored, so that no difference is of numbers near 1.
    mirrored = start > 0
    low, high = np.where(mirrored, -stop, start), np.where(mirrored, -start, stop)
    with np.errstate(over="ignore", invalid="ignore"):
        masses = np.exp(log_ndtr(np.stack([low, high])) + log_factor)
        return np.asarray(masses[1] - masses[0])
