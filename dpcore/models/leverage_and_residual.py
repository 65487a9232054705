"""The exact privacy profile of posterior samples, for many people at once.

A sample of coefficients from ``N(theta, (gamma H)^-1)`` tells about a person ``(x, y)``
only through ``u = sqrt(gamma) (y - x' sample)``. With ``m = x' H^-1 x`` (leverage) and
``e = sqrt(gamma) (y - x' theta)`` (residual), both from the fit WITHOUT the person::

    without the person   u ~ N(e, m)
    with the person      u ~ N(e/(1+m), m/(1+m))
    log with/without     K - u^2/2,   K = log(1+m)/2 + e^2/(2 (1+m))

Samples far from the person's record speak for absence, without limit; samples close to
it speak for presence, by at most ``K``. The loss is that of Wang 2019, equation 6; the
closed forms are derived here: both laws have equal weighted densities at the threshold,
so that each tail is ``phi(a) [R(a) - R(a + gap)/k]`` with ``k = sqrt(1+m)`` and ``R``
the Mills ratio, without cancellation.

Of several independent samples Renyi divergences add up, and the profile is one integral
(``_several``): there leverages are positive and finite, and residuals finite.

All functions broadcast, and raise ``ParameterError`` for an epsilon below 0 or a delta
outside [0, 1]. Nobody with leverage 0 leaves a trace; a leverage or residual
of ``inf`` gives a person away; NaN stays NaN.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, log_ndtr, ndtr, ndtri

from dpcore.arrays import FloatArray, side_by_side
from dpcore.errors import ParameterError
from dpcore.mechanisms.search import first_where
from dpcore.models import mills

Guess = Callable[[FloatArray, FloatArray], FloatArray]

_BLOCK = 1 << 15  # the temporaries of a block stay in the cache
_FORGOTTEN = 45.0  # exp(-45) no longer changes a number that it is added to
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_SAME_SIDE = 1e-9
_STEPS, _LAST, _GUESSES = 80, 1e-5, 2
_CLOSE, _CURVED = 1e-3, 1e-5
_MANY = 1 << 17
"""How many people are worth a grid that is solved for them first."""
_GRID = 64, 192
"""Its nodes by leverage and by residual."""
_ORDER: Final = 2
_FINE = 32.0  # small residuals bend the most
_CHI_NODES, _CHI_WEIGHTS = np.polynomial.legendre.leggauss(160)
_CHI_REACH = 12.0


def ceiling(leverage: ArrayLike, residual: ArrayLike) -> FloatArray:
    """Return ``K``, the most that a sample can speak for a person's presence.

    >>> round(float(ceiling(1.55466114654, -1.55621080035)), 8)
    0.94295457
    """
    m = np.asarray(leverage, dtype=np.float64)
    e = np.asarray(residual, dtype=np.float64)
    return np.asarray((np.log1p(m) + e * e / (1 + m)) / 2)


def absence_delta_of(
    leverage: ArrayLike, residual: ArrayLike, epsilon: ArrayLike, *, samples: int = 1
) -> FloatArray:
    """Return ``sup P(S) - e^epsilon Q(S)``, P without and Q with the person.

    >>> float(absence_delta_of(0.1, 1.0, 0.5)).__format__(".12g")
    '0.0177360049778'
    >>> round(float(absence_delta_of(0.1, 1.0, 1.0, samples=5)), 10)
    0.0467256355
    """
    if samples != 1:
        return _several(_absence_given, leverage, residual, epsilon, samples)

    def proper(m: FloatArray, e: FloatArray, epsilon: FloatArray) -> FloatArray:
        a, t = _threshold(m, e, epsilon)
        return np.asarray(np.exp(_log_tails(a, t, m, e, epsilon)[0]))

    return _where_proper(proper, leverage, residual, epsilon)


def presence_delta_of(
    leverage: ArrayLike, residual: ArrayLike, epsilon: ArrayLike, *, samples: int = 1
) -> FloatArray:
    """Return ``sup Q(S) - e^epsilon P(S)``, P without and Q with the person.

    0 from ``epsilon = samples * ceiling(leverage, residual)`` on.

    >>> float(presence_delta_of(0.1, 1.0, 0.5)).__format__(".12g")
    '2.83926835778e-06'
    >>> round(float(presence_delta_of(0.1, 1.0, 1.0, samples=5)), 10)
    0.018177747
    """
    if samples != 1:
        return _several(_presence_given, leverage, residual, epsilon, samples)
    return _where_proper(_presence, leverage, residual, epsilon)


def delta_of(
    leverage: ArrayLike, residual: ArrayLike, epsilon: ArrayLike, *, samples: int = 1
) -> FloatArray:
    """Return the larger of both directions: the smallest delta at ``epsilon``."""
    numbers = leverage, residual, epsilon
    return np.maximum(
        absence_delta_of(*numbers, samples=samples), presence_delta_of(*numbers, samples=samples)
    )


def epsilon_of(leverage: ArrayLike, residual: ArrayLike, delta: float) -> FloatArray:
    """Return the smallest epsilon with ``delta_of(...) <= delta``, rounded up.

    By parabolas through the logarithm of the profile, blocks of people side by side.
    ``inf`` where there is none (``delta = 0``).

    >>> round(float(epsilon_of(0.1, 1.0, 1e-6)), 11)
    2.31147975849
    """
    if not 0 <= delta <= 1:
        raise ParameterError(f"delta must be in [0, 1], got {delta}.")
    m, e = np.broadcast_arrays(
        np.asarray(leverage, dtype=np.float64), np.asarray(residual, dtype=np.float64)
    )
    flat_m, flat_e = m.ravel(), np.abs(e.ravel())
    hopeless = np.isinf(flat_m) | np.isinf(flat_e) | (delta <= 0)
    result = np.where(hopeless & (delta < 1), np.inf, 0.0)
    result[flat_m == 0] = 0.0
    result[np.isnan(flat_m) | np.isnan(flat_e)] = np.nan
    if 0 < delta < 1:
        traced = (flat_m > 0) & ~hopeless & ~np.isnan(result)
        some_m, some_e = flat_m[traced], flat_e[traced]
        guess, found = _guesses(some_m, some_e, delta), np.empty(some_m.shape)

        def solve(block: slice) -> None:
            found[block] = _epsilon(some_m[block], some_e[block], delta, guess)

        side_by_side(solve, found.size, _BLOCK)
        result[traced] = found
    return result.reshape(m.shape)


def _where_proper(
    profile: Callable[[FloatArray, FloatArray, FloatArray], FloatArray],
    leverage: ArrayLike,
    residual: ArrayLike,
    epsilon: ArrayLike,
) -> FloatArray:
    m, e, epsilon = np.broadcast_arrays(
        *(np.asarray(part, dtype=np.float64) for part in (leverage, residual, epsilon))
    )
    if np.any(epsilon < 0):
        raise ParameterError("epsilon must be at least 0.")
    result = np.where(np.isinf(m) | np.isinf(e), 1.0, 0.0)
    result[(m == 0) | np.isposinf(epsilon)] = 0.0
    result[np.isnan(m) | np.isnan(e) | np.isnan(epsilon)] = np.nan
    proper = (m > 0) & np.isfinite(m) & np.isfinite(e) & np.isfinite(epsilon)
    where = np.flatnonzero(proper)
    m, e, epsilon = m.ravel(), np.abs(e.ravel()), epsilon.ravel()
    flat = result.ravel()
    for first in range(0, where.size, _BLOCK):
        part = where[first : first + _BLOCK]
        with np.errstate(over="ignore"):  # by tiny leverages, towards a share of 0
            flat[part] = profile(m[part], e[part], epsilon[part])
    return np.clip(flat, 0.0, 1.0).reshape(result.shape)


def _threshold(m: FloatArray, e: FloatArray, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return from where on samples lose more than epsilon: ``a``, and ``t``."""
    t = np.sqrt(np.log1p(m) + e * e / (1 + m) + 2 * epsilon)
    a = (np.log1p(m) + 2 * epsilon - e * e * m / (1 + m)) / (np.sqrt(m) * (t + e))
    return a, t


def _log_tails(
    a: FloatArray, t: FloatArray, m: FloatArray, e: FloatArray, epsilon: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log delta, by how much it falls for each unit of epsilon, and its bend.

    The threshold is ``|u| = t``, and ``a = (t - e)/sqrt(m)`` its distance from the mean
    without the person. With ``T = e^epsilon Q(|u| > t)``, delta falls by ``T``, and
    ``T`` by ``(p(t) + p(-t))/t - T``, since the weighted densities are equal there.
    """
    root, k = np.sqrt(m), np.sqrt(1 + m)
    lost = m / (k * (1 + k))  # 1 - 1/k
    heavy = a <= mills.COMPLEMENT_BELOW
    inner = np.where(heavy, 0.0, a)
    gap = root * (t + e / k) / (1 + k)
    fallen, end = mills.fall(inner, gap)
    fallen += lost * end
    exponent = 2 * t * (e / m)
    near = exponent < _FORGOTTEN
    other = other_end = np.zeros(0)
    with np.errstate(divide="ignore", over="ignore"):
        dense = 1 / (root * t)
    if near.any():
        share = np.exp(-exponent[near])
        # t - e/k, without the difference.
        apart = (np.log1p(m) + 2 * epsilon) / (t + e / k)
        far = (a + 2 * e / root)[near]
        other, other_end = mills.fall(far, (root * apart / (1 + k))[near])
        other, other_end = share * (other + lost[near] * other_end), share * other_end
        fallen[near] += other
        end[near] += other_end
        dense[near] *= 1 + share
    # Far out in the tail both may vanish.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        log_delta = np.log(fallen) - inner * inner / 2 - mills.LOG_ROOT_TWO_PI
        slope = end / (k * fallen)
        dense /= fallen
        # Where little is lost for much of epsilon, the difference is mere rounding.
        bend = np.where(slope > _CURVED, dense - slope, 0.0) - slope * slope
    if heavy.any():
        left, at = a[heavy], mills.density(a[heavy])
        end_here = mills.ratio(left + gap[heavy])
        both, ends = np.zeros(a.shape), np.zeros(a.shape)
        both[near], ends[near] = other, other_end
        rest = ndtr(left) + at * (end_here / k[heavy] - both[heavy])
        log_delta[heavy] = np.log1p(-rest)
        falls = at * (end_here + ends[heavy]) / k[heavy] / (1 - rest)
        slope[heavy] = falls
        thick = dense[heavy] * fallen[heavy] * at / (1 - rest)
        bend[heavy] = np.where(falls > _CURVED, thick - falls, 0.0) - falls * falls
    return log_delta, slope, bend


def _presence(m: FloatArray, e: FloatArray, epsilon: FloatArray) -> FloatArray:
    left = np.log1p(m) + e * e / (1 + m) - 2 * epsilon
    result = np.zeros(m.shape)
    where = np.flatnonzero(left > 0)
    m, e, epsilon, s = m[where], e[where], epsilon[where], np.sqrt(left[where])
    root, k = np.sqrt(m), np.sqrt(1 + m)
    narrow = s * k < root
    result[where[narrow]] = _narrow_presence(m[narrow], e[narrow], s[narrow])
    wide = ~narrow
    m, e, epsilon, s, root, k = (part[wide] for part in (m, e, epsilon, s, root, k))
    lost = m / (1 + k)  # k - 1
    center = e / (1 + m)
    apart = 2 * epsilon - np.log1p(m) - m * center * center
    a = k * apart / (root * (center + s))  # (center - s) over the deviation with
    gap = root * (s + e / k) / (1 + k)
    heavy = a <= mills.COMPLEMENT_BELOW
    inner = np.where(heavy, 0.0, a)
    fallen, end = mills.fall(inner, gap)
    # The other threshold, -s, where either law may have the larger ratio.
    other, exponent = np.zeros(a.shape), 2 * s * (e / m)
    near = exponent < _FORGOTTEN
    if near.any():
        start, turn = a + 2 * s * k / root, root * (e / k - s) / (1 + k)
        start, turn = start[near], turn[near]
        other_fall, low_end = mills.fall(np.minimum(start, start + turn), np.abs(turn))
        at_end = np.where(turn >= 0, low_end, low_end + other_fall)
        other[near] = np.exp(-exponent[near]) * (np.sign(turn) * other_fall - lost[near] * at_end)
    delta = mills.density(inner) * (fallen - lost * end - other)
    if heavy.any():
        at = mills.density(a[heavy])
        end = mills.ratio((a + gap)[heavy])
        delta[heavy] = ndtr(-a[heavy]) - at * (k[heavy] * end + other[heavy])
    result[where[wide]] = delta
    return result


def _narrow_presence(m: FloatArray, e: FloatArray, s: FloatArray) -> FloatArray:
    """Integrate ``q(u) (1 - e^(-(s^2 - u^2)/2))`` over ``|u| < s``: all positive."""
    m, e, s = m[:, np.newaxis], e[:, np.newaxis], s[:, np.newaxis]
    deviation = np.sqrt(m / (1 + m))
    u = s * _NODES
    density = mills.density((u - e / (1 + m)) / deviation) / deviation
    loss = -np.expm1(-(s * s - u * u) / 2)
    return np.asarray((density * loss * (s * _WEIGHTS)).sum(axis=-1))


def _epsilon(m: FloatArray, e: FloatArray, delta: float, guess: Guess) -> FloatArray:
    """Solve for the loss of people with positive leverage.

    ``log delta`` is nearly a parabola in ``a``: each step goes to where the parabola
    with the same value, slope and bend meets the goal. The error of a step is about its
    third power, so that a small one is the last.
    """
    # A step from where numbers end is not taken.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        result = _absence(m, e, delta, guess(m, e))
        return _covering_presence(m, e, result, delta)


def _absence(m: FloatArray, e: FloatArray, delta: float, guess: FloatArray) -> FloatArray:
    """Return where the profile of absence is ``delta``, from guesses of ``a``."""
    target = math.log(delta)
    root, level = np.sqrt(m), np.log1p(m)
    far = e * e / (1 + m)
    drift = (far * m - level) / 2
    # Where epsilon is 0, and where both tails beyond the quantile together weigh delta,
    # and the profile less.
    least = -2 * drift / (root * (np.sqrt(np.maximum(level + far, 0.0)) + e))
    low, high = least, np.maximum(-float(ndtri(delta / 2)), least)
    a = np.clip(guess, low, high)
    result = np.empty(m.shape)
    people: NDArray[np.intp] = np.arange(m.size)
    x, y = m, e
    for _ in range(_STEPS):
        here, there = np.maximum(_loss(a, root, y, drift), 0.0), y + root * a
        value, slope, bend = _log_tails(a, there, x, y, here)
        over = value - target
        at_least = (a <= least) & ~(over > 0)
        low, high = np.where(over > 0, a, low), np.where(over > 0, high, a)
        pace = root * there
        steep, curve = slope * pace, bend * pace * pace - slope * x
        square = steep * steep - 2 * curve * over
        # A parabola that never meets it has a tangent that does, and not too far out.
        reach = np.where(square > 0, np.sqrt(np.abs(square)), steep)
        following = np.fmax(a + 2 * over / np.maximum(steep + reach, 1e-300), least)
        moved = (following != a) | (np.abs(over) < _CLOSE)
        inside = (following >= low) & (following <= high) & moved
        following = np.where(inside, following, (low + high) / 2)
        found = _loss(following, root, y, drift)
        result[people] = np.where(at_least, 0.0, found)
        # By how much the threshold has to move for the laws to look different there.
        scale = np.minimum(np.maximum(np.abs(a), 1.0), there / root) / np.sqrt(1 + x)
        small = np.where(slope > _CURVED, _LAST, _LAST * _LAST) * scale
        last = np.abs(following - a) <= small
        active = np.flatnonzero(~(last | at_least))
        if not active.size:
            break
        people, a = people[active], following[active]
        least, low, high, root, drift, x, y = (
            part[active] for part in (least, low, high, root, drift, x, y)
        )
    return np.maximum(result, 0.0) * (1 + 1e-12)


def _loss(a: FloatArray, root: FloatArray, e: FloatArray, drift: FloatArray) -> FloatArray:
    """Return the loss of a sample that lies ``a`` deviations from its mean."""
    shift = root * a
    return np.asarray(shift * (e + shift / 2) + drift)


def _guesses(m: FloatArray, e: FloatArray, delta: float) -> Guess:
    """Return how to guess the threshold of each of these people.

    Of few by a formula. Of many by a spline through a grid over all of them, which is
    so close that one step is nearly always the last.
    """
    target = math.log(delta)

    from scipy.ndimage import map_coordinates, spline_filter  # noqa: PLC0415 - slow to import

    def alone(m: FloatArray, e: FloatArray) -> FloatArray:
        return _guess(m, e, target)

    if m.size < _MANY:
        return alone
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        turned = e / np.sqrt(m)
        logs = np.linspace(np.log(m.min()), np.log(m.max()), _GRID[0])
        turns = np.linspace(_turn(turned.min()), _turn(turned.max()), _GRID[1])
        x = np.repeat(np.exp(logs), turns.size)
        y = np.tile(np.sinh(turns) / _FINE, logs.size) * np.sqrt(x)
        solved = _absence(x, y, delta, alone(x, y))
        starts = _threshold(x, y, solved)[0].reshape(_GRID)
        known: FloatArray = spline_filter(starts, _ORDER)
    if not np.isfinite(known).all():
        return alone

    def between(m: FloatArray, e: FloatArray) -> FloatArray:
        at = (np.log(m), logs), (_turn(e / np.sqrt(m)), turns)
        places = [(part - nodes[0]) / ((nodes[1] - nodes[0]) or 1.0) for part, nodes in at]
        return np.asarray(
            map_coordinates(known, places, order=_ORDER, prefilter=False, mode="nearest")
        )

    return between


def _turn(residual: FloatArray) -> FloatArray:
    """Spread residuals, in deviations of a sample, as finely as the solution bends."""
    return np.asarray(np.arcsinh(_FINE * residual))


def _guess(m: FloatArray, e: FloatArray, target: float) -> FloatArray:
    """Return about where log delta is the target, from a bound of the Mills ratio.

    With ``4 / (3a + sqrt(a^2 + 8))``, which is a little more, in its place, and the
    other tail as far below this one as its density.
    """
    root, k = np.sqrt(m), np.sqrt(1 + m)
    goal = target + mills.LOG_ROOT_TWO_PI
    apart = 2 * e / root
    a = np.sqrt(2 * np.maximum(np.log(np.minimum(root * e + m, 1.0)) - goal - 2, 1.0))
    for _ in range(_GUESSES):
        end = a + root * (e + root * a + e / k) / (1 + k)
        inner = 4 / (3 * a + np.sqrt(a * a + 8))
        outer = 4 / (3 * end + np.sqrt(end * end + 8))
        both = 1 + np.exp(-apart * (a + apart / 2))
        tails = np.log(np.maximum((inner - outer / k) * both, 1e-300))
        over = tails - a * a / 2 - goal
        a = np.maximum(a + over / (a + 2 * a / (a * a + 2)), 0.1)
    return np.asarray(a)


def _covering_presence(
    m: FloatArray, e: FloatArray, epsilon: FloatArray, delta: float
) -> FloatArray:
    """Raise losses until the other direction is covered too.

    It always was in millions of trials, but no proof of that is known.
    """
    open_ = np.flatnonzero(~(presence_bound(m, e, epsilon) <= delta))
    over = _presence(m[open_], e[open_], epsilon[open_]) > delta * (1 + _SAME_SIDE)
    short = open_[over]
    if short.size:
        m, e = m[short], e[short]
        epsilon[short] = first_where(
            lambda level: _presence(m, e, level) <= delta, epsilon[short], ceiling(m, e)
        )
    return epsilon


def presence_bound(m: FloatArray, e: FloatArray, epsilon: FloatArray) -> FloatArray:
    """Return a bound of ``presence_delta_of`` that is cheap and mostly enough.

    Presence shows where ``|u| < s`` with ``s^2 = 2 (K - epsilon)``, by
    ``1 - e^(-(s^2 - u^2)/2) <= s (s - u)``. Of a normal ``u`` with mean ``c`` and
    deviation ``d`` that is ``s d phi(a) (1 - a R(a))`` at ``a = (c - s)/d`` on average,
    and ``R(a) >= 2 / (a + sqrt(a^2 + 4))`` for positive ``a`` (Birnbaum); of others
    nothing is said: ``inf``.
    """
    level, k = np.log1p(m), 1 + m
    center, deviation = e / k, np.sqrt(m / k)
    s = np.sqrt(np.maximum(level + e * center - 2 * epsilon, 0.0))
    # The difference of center and s, without taking it.
    apart = 2 * epsilon - level - m * center * center
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        a = apart / (deviation * (center + s))
        end = np.sqrt(a * a + 4)
        bound = s * deviation * mills.density(a) * (end - a) / (end + a)
    return np.where(s > 0, np.where(a >= 0, bound, np.inf), 0.0)


def absence_divergence(leverage: ArrayLike, residual: ArrayLike, order: ArrayLike) -> FloatArray:
    """Return the Renyi divergence of P from Q for one sample, P without the person.

    ``-K + [-log(1 - b m)/2 + b e^2/(2 (1 - b m))]/b`` with ``b = order - 1``, infinite
    from ``b m = 1`` on; of ``T`` samples ``T`` times as much.

    >>> round(float(absence_divergence(0.1, 1.0, 5.0)), 10)
    0.3949859919
    """
    m, e, order = _ordered(leverage, residual, order)
    b = order - 1
    finite = b * m < 1
    left = np.where(finite, 1 - b * m, 1.0)
    square = order * m * e * e / (left * (1 + m))  # e^2/left - e^2/(1 + m)
    value = (-np.log1p(np.where(finite, -b * m, 0.0)) / b - np.log1p(m) + square) / 2
    return np.where(finite, np.maximum(value, 0.0), np.inf)


def presence_divergence(leverage: ArrayLike, residual: ArrayLike, order: ArrayLike) -> FloatArray:
    """Return the Renyi divergence of Q from P for one sample, P without the person.

    ``[a K - log(1 + a m)/2 - a e^2/(2 (1 + a m))]/(a - 1)`` for order ``a``.

    >>> round(float(presence_divergence(0.1, 1.0, 5.0)), 10)
    0.1604008754
    """
    m, e, a = _ordered(leverage, residual, order)
    square = a * m * e * e * (a - 1) / ((1 + m) * (1 + a * m))
    value = (a * np.log1p(m) - np.log1p(a * m) + square) / (2 * (a - 1))
    return np.asarray(np.maximum(value, 0.0))


def _several(
    given: Callable[..., FloatArray],
    leverage: ArrayLike,
    residual: ArrayLike,
    epsilon: ArrayLike,
    samples: int,
) -> FloatArray:
    """Integrate the loss of several samples over the chi number, in two pieces.

    The loss depends on the sum of the squared residuals only: ``log with/without = T K -
    sum(u^2)/2``. That sum is the square of one normal number, with mean ``sqrt(T) e``, plus
    ``m`` times a chi-square number with ``T - 1`` degrees of freedom. At the square ``rest``
    the chi part alone decides, where the pieces meet.
    """
    m, e, epsilon = _checked(leverage, residual, epsilon, samples)
    variance = m if given is _absence_given else m / (1 + m)
    m, e, epsilon, variance = (
        part[..., np.newaxis] for part in np.broadcast_arrays(m, e, epsilon, variance)
    )
    mean = np.sqrt(samples) * e
    sign = 1 if given is _absence_given else -1
    rest = 2 * (samples * ceiling(m, e) + sign * epsilon)
    degrees = samples - 1
    bottom, top = max(np.sqrt(degrees) - _CHI_REACH, 0.0), np.sqrt(degrees) + _CHI_REACH
    meet = np.clip(np.sqrt(np.maximum(rest, 0.0) / variance), bottom, top)
    ends = np.full_like(meet, bottom), meet, np.full_like(meet, top)
    total = np.zeros(m.shape[:-1])
    for start, stop in itertools.pairwise(ends):
        # The square of the nodes makes both ends smooth.
        share = (1 + _CHI_NODES) / 2
        smooth, slope = share**2 * (3 - 2 * share), 6 * share * (1 - share)
        chi = start + (stop - start) * smooth
        log_density = (degrees - 1) * np.log(np.maximum(chi, 1e-300)) - chi**2 / 2
        log_density -= (degrees / 2 - 1) * np.log(2) + gammaln(degrees / 2)
        weight = np.exp(log_density) * slope * _CHI_WEIGHTS / 2 * (stop - start)
        left = rest - variance * chi**2
        total += (weight * given(m, mean, left)).sum(axis=-1)
    return np.clip(total, 0.0, 1.0)


def _absence_given(m: FloatArray, mean: FloatArray, left: FloatArray) -> FloatArray:
    """Return ``E_P (1 - e^(epsilon - loss))_+`` if the chi part leaves ``left``.

    The loss exceeds epsilon where ``v^2 > left``, everywhere if that is negative.
    """
    root, k = np.sqrt(m), np.sqrt(1 + m)
    t = np.sqrt(np.maximum(left, 0.0))
    total = np.zeros(np.broadcast_shapes(m.shape, mean.shape, left.shape))
    for side in (1, -1):
        a = (t - side * mean) / root
        end = (t - side * mean / (1 + m)) * k / root
        total += _tail(a, end, -np.log(k))
    all_of_it = -np.expm1((left - mean**2 / (1 + m)) / 2 - np.log(k))
    return np.where(left > 0, total, all_of_it)


def _presence_given(m: FloatArray, mean: FloatArray, left: FloatArray) -> FloatArray:
    """Return ``E_Q (1 - e^(epsilon - loss))_+``: the loss is large for small ``v``."""
    root, k = np.sqrt(m), np.sqrt(1 + m)
    s = np.sqrt(np.maximum(left, 0.0))
    start = (mean / (1 + m) - s) * k / root
    end = (mean - s) / root
    low_start = (mean / (1 + m) + s) * k / root
    low_end = (mean + s) / root
    inside = _tail(start, end, np.log(k)) - _tail(low_start, low_end, np.log(k))
    return np.where(left > 0, inside, 0.0)


def _tail(a: FloatArray, end: FloatArray, log_share: FloatArray) -> FloatArray:
    """Return ``Phi(-a) - e^log_share phi(a) R(end)``."""
    heavy = a <= mills.COMPLEMENT_BELOW
    inner, inner_end = np.where(heavy, 0.0, a), np.where(heavy, 0.0, end)
    weight = np.exp(log_share) * mills.ratio(inner_end)
    light = mills.density(inner) * (mills.ratio(inner) - weight)
    # log phi(a) - log phi(end), of which either may underflow.
    rise = np.where(heavy, (end - a) * (end + a) / 2, 0.0)
    full = ndtr(-a) - np.exp(log_share + rise + log_ndtr(-np.where(heavy, end, 0.0)))
    return np.where(heavy, full, light)


def _checked(
    leverage: ArrayLike, residual: ArrayLike, epsilon: ArrayLike, samples: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    m, e, epsilon = (np.asarray(part, dtype=np.float64) for part in (leverage, residual, epsilon))
    if samples < 1:
        raise ParameterError(f"the number of samples must be at least 1, got {samples}.")
    known = np.all((m > 0) & (m < np.inf) & np.isfinite(e))
    if not (known and np.all((epsilon >= 0) & (epsilon < np.inf))):
        raise ParameterError(
            "leverages must be positive and finite, residuals finite, and epsilon at "
            "least 0 and finite."
        )
    return m, np.abs(e), epsilon


def _ordered(
    leverage: ArrayLike, residual: ArrayLike, order: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    order = np.asarray(order, dtype=np.float64)
    if not np.all((order > 1) & np.isfinite(order)):
        raise ParameterError("the order of a Renyi divergence must be above 1 and finite.")
    return (np.asarray(leverage, dtype=np.float64), np.asarray(residual, dtype=np.float64), order)
