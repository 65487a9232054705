"""What a shift of Gaussian noise reveals.

``mu`` is the Euclidean length of the shift divided by the standard deviation of the
noise. The exact profile (Balle and Wang 2018) is, with ``x = epsilon/mu - mu/2`` and
``y = epsilon/mu + mu/2``::

    delta = Phi(-x) - e^epsilon Phi(-y) = phi(x) [R(x) - R(y)]

where ``R(t) = Phi(-t)/phi(t)`` is the Mills ratio. The right-hand form holds because
``e^epsilon phi(y) = phi(x)``; nothing in it overflows, and a series in ``mu/2``
replaces the difference where it would cancel.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, erfinv, ndtr

from dpcore.arrays import FloatArray, side_by_side
from dpcore.errors import ParameterError

TABLE_FROM = 20_000
"""Number of values from which ``epsilon_of`` interpolates."""

_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)
_SERIES_BELOW = 0.01
_ASYMPTOTIC_FROM = 30.0
_COMPLEMENT_BELOW = -5.0
_KNOT_SPACING = 0.008
_TABLE_START = 1e-3
_STEEP = 1e3
_BLOCK = 1 << 14  # the temporaries of a block stay in the cache


def log_delta_of(mu: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the logarithm of ``delta_of``; ``-inf`` where that is 0."""
    mu, epsilon = np.broadcast_arrays(
        np.asarray(mu, dtype=np.float64), np.asarray(epsilon, dtype=np.float64)
    )
    result = np.where(np.isnan(mu), np.nan, -np.inf)
    result[np.isposinf(mu) & np.isfinite(epsilon)] = 0.0
    proper = (mu > 0) & np.isfinite(mu) & np.isfinite(epsilon)
    m = mu[proper]
    with np.errstate(over="ignore"):
        result[proper] = _log_profile(epsilon[proper] / m, m)
    return result


def delta_of(mu: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the smallest delta at ``epsilon``; broadcasts.

    0 for ``mu = 0``, 1 for ``mu = inf``. Relative error below 1e-10 wherever the
    result is a normal number.

    >>> round(float(delta_of(1.0, 1.0)), 13)
    0.1269367375066
    """
    return np.exp(log_delta_of(mu, epsilon))


def epsilon_of(mu: ArrayLike, delta: float) -> FloatArray:
    """Return the smallest epsilon with ``delta_of(mu, epsilon) <= delta``.

    ``inf`` where there is none (``delta = 0``, or ``mu = inf``). Large arrays go
    through an interpolation table (relative error below 1e-9).

    >>> round(float(epsilon_of(1.0, 1e-6)), 11)
    4.88655411746
    """
    mu = np.asarray(mu, dtype=np.float64)
    if delta >= 1:
        return np.zeros_like(mu)
    if delta <= 0:
        return np.where(mu > 0, np.inf, mu)
    free = _free_mu(delta)
    flat = mu.ravel()
    if flat.size < TABLE_FROM:
        return _newton(flat, delta, free).reshape(mu.shape)
    return _interpolated(flat, delta, free).reshape(mu.shape)


@lru_cache(maxsize=4096)
def mu_for(epsilon: float, delta: float) -> float:
    """Return the largest ``mu`` with ``delta_of(mu, epsilon) <= delta``.

    Noise of standard deviation ``shift / mu`` is then (epsilon, delta)-DP. Rounded
    down, to the private side; 0 for ``delta = 0`` and ``inf`` for ``delta = 1``.

    Raises:
        ParameterError: ``epsilon`` is not in [0, inf) or ``delta`` not in [0, 1].

    >>> round(mu_for(1.0, 1e-6), 11)
    0.23670438066

    """
    if not (0 <= epsilon < math.inf and 0 <= delta <= 1):
        raise ParameterError(
            f"epsilon must be in [0, ∞) and delta in [0, 1], got ε = {epsilon}, δ = {delta}."
        )
    if delta == 0:
        return 0.0
    if delta == 1:
        return math.inf
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    target = math.log(delta)
    low, step = math.log(_free_mu(delta)), 1.0
    while log_delta_of(math.exp(low + step), epsilon) <= target:
        low, step = low + step, 2 * step

    def excess(log_mu: float) -> float:
        return max(float(log_delta_of(math.exp(log_mu), epsilon)) - target, -_STEEP)

    root = brentq(excess, low - 1, low + step, xtol=1e-14, rtol=1e-14)
    return math.exp(root) * (1 - 1e-12)


def _free_mu(delta: float) -> float:
    """Return the largest ``mu`` whose total variation is at most ``delta``."""
    return 2 * math.sqrt(2) * float(erfinv(delta))


def _mills(t: FloatArray) -> FloatArray:
    return math.sqrt(math.pi / 2) * np.asarray(erfcx(t / math.sqrt(2)))


def _log_profile(a: FloatArray, mu: FloatArray) -> FloatArray:
    """Return log delta at ``epsilon = a mu``, for positive finite ``mu``."""
    h = mu / 2
    x = a - h
    result = np.empty_like(a)
    far = x <= _COMPLEMENT_BELOW
    near = h < _SERIES_BELOW
    near &= ~far
    rest = ~(far | near)
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        result[rest] = np.log(_mills(x[rest]) - _mills((a + h)[rest]))
        result[near] = np.log(_mills_difference(a[near], h[near]))
        result -= x * x / 2 + _LOG_ROOT_TWO_PI
        xf, yf = x[far], (a + h)[far]
        log_second = -xf * xf / 2 - _LOG_ROOT_TWO_PI + np.log(_mills(yf))
        result[far] = np.log1p(-(ndtr(xf) + np.exp(log_second)))
    return result


def _mills_difference(a: FloatArray, h: FloatArray) -> FloatArray:
    """Return ``R(a - h) - R(a + h)`` for small ``h`` by its Taylor series.

    The derivatives follow from ``R' = a R - 1``; for large ``a`` that cancels, and
    the asymptotic series takes over.
    """
    low = np.minimum(a, _ASYMPTOTIC_FROM)
    r0 = _mills(low)
    r1 = low * r0 - 1
    r2 = r0 + low * r1
    r3 = low * r2 + 2 * r1
    r4 = low * r3 + 3 * r2
    r5 = low * r4 + 4 * r3
    v = 1 / np.maximum(a, _ASYMPTOTIC_FROM) ** 2
    large = a > _ASYMPTOTIC_FROM
    r1 = np.where(large, -v * (1 - 3 * v * (1 - 5 * v * (1 - 7 * v))), r1)
    r3 = np.where(large, -6 * v * v * (1 - 10 * v), r3)
    r5 = np.where(large, -120 * v**3, r5)
    return -2 * h * (r1 + h * h * (r3 / 6 + h * h * r5 / 120))


def _newton(mu: FloatArray, delta: float, free: float) -> FloatArray:
    """Solve ``log delta(a) = log delta`` for ``a = epsilon/mu`` by Newton steps.

    log delta is concave in ``a`` and the start lies right of the root, so that the
    steps fall monotonically towards it and never cross it.
    """
    result = np.where(np.isfinite(mu), 0.0, mu)
    index = np.flatnonzero((mu > free) & np.isfinite(mu))
    m = mu[index]
    target = math.log(delta)
    a = m / 2 + math.sqrt(-2 * target)
    for _ in range(60):
        value = _log_profile(a, m)
        x = a - m / 2
        log_slope = np.log(m) - x * x / 2 - _LOG_ROOT_TWO_PI - value
        slope = np.exp(log_slope) * _mills(a + m / 2)
        step = (target - value) / slope
        result[index] = a * m
        active = step > 4e-15 * a
        if not active.any():
            break
        a = np.maximum(a - step, 0.0)
        result[index] = a * m
        index, a, m = index[active], a[active], m[active]
    return result


def _interpolated(mu: FloatArray, delta: float, free: float) -> FloatArray:
    """Interpolate ``log(epsilon / (mu s))`` in ``s = log(mu/free)``.

    That function is smooth: near ``s = 0`` epsilon grows like ``s``, far out like
    ``mu^2``. Its slope is known exactly because ``d epsilon/d mu = 1/R(y)``, so cubic
    Hermite pieces on an even grid suffice, and finding a piece costs no search.
    """
    least = free * math.exp(_TABLE_START)
    largest = float(np.fmax.reduce(mu))
    if math.isinf(largest):
        largest = float(np.max(mu, where=np.isfinite(mu), initial=0.0))
    if not largest > least:
        return _newton(mu, delta, free)
    start = math.log(max(float(np.fmin.reduce(mu)), least) / free)
    stop = math.log(largest / free)
    count = max(2, math.ceil((stop - start) / _KNOT_SPACING) + 1)
    step = max((stop - start) / (count - 1), 1e-12)
    knots = start + step * np.arange(count, dtype=np.float64)
    pieces = _hermite_pieces(knots, step, delta, free)
    result = np.zeros_like(mu)

    def evaluate(part: slice) -> None:
        here = mu[part]
        tabled = np.flatnonzero((here > least) & (here <= largest))
        result[part][tabled] = _evaluate(here[tabled], free, start, step, pieces)

    side_by_side(evaluate, mu.size, _BLOCK)
    rest = np.flatnonzero(((mu > free) & (mu <= least)) | ~np.isfinite(mu))
    result[rest] = _newton(mu[rest], delta, free)
    return result


def _hermite_pieces(
    knots: FloatArray, step: float, delta: float, free: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    mu = free * np.exp(knots)
    epsilon = _newton(mu, delta, free)
    value = np.log(epsilon / (mu * knots))
    slope = mu / (epsilon * _mills(epsilon / mu + mu / 2)) - 1 - 1 / knots
    slope *= step
    rise = np.diff(value)
    second = 3 * rise - 2 * slope[:-1] - slope[1:]
    third = slope[:-1] + slope[1:] - 2 * rise
    return value[:-1], slope[:-1], second, third


def _evaluate(
    mu: FloatArray,
    free: float,
    start: float,
    step: float,
    pieces: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
) -> FloatArray:
    s = np.log(mu)
    s -= math.log(free)
    t = (s - start) / step
    piece = t.astype(np.intp)
    # Of the ends rounding may leave something on the wrong side.
    np.clip(piece, 0, pieces[0].size - 1, out=piece)
    t -= piece
    power = pieces[3][piece]
    for coefficients in pieces[2::-1]:
        power *= t
        power += coefficients[piece]
    np.exp(power, out=power)
    power *= s
    power *= mu
    return power
