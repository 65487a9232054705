"""Several posterior samples: their exact profile, and Renyi divergences, which add up.

With ``T`` independent samples the loss depends on the sum of the squared residuals
only: ``log with/without = T K - sum(u^2)/2``. That sum is the square of one normal
number, with mean ``sqrt(T) e``, plus ``m`` times a chi-square number with ``T - 1``
degrees of freedom, so that one integral over the latter suffices.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, log_ndtr, ndtr

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models import mills
from dpcore.models.posterior.leverage_and_residual import absence_delta_of as absence_of_one
from dpcore.models.posterior.leverage_and_residual import ceiling
from dpcore.models.posterior.leverage_and_residual import presence_delta_of as presence_of_one

Profile = Callable[..., FloatArray]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)
_REACH = 12.0


def absence_delta_of(
    leverage: ArrayLike, residual: ArrayLike, epsilon: ArrayLike, *, samples: int
) -> FloatArray:
    """Return ``sup P(S) - e^epsilon Q(S)`` of several samples, P without the person.

    Args:
        leverage: Positive and finite; broadcasts with the next two.
        residual: As in ``leverage_and_residual``.
        epsilon: At least 0 and finite.
        samples: At least 1.

    Raises:
        ParameterError: An argument is outside its domain.

    >>> round(float(absence_delta_of(0.1, 1.0, 1.0, samples=5)), 10)
    0.0467256355

    """
    m, e, epsilon = _checked(leverage, residual, epsilon, samples)
    if samples == 1:
        return absence_of_one(m, e, epsilon)
    return _profile(_absence_given, m, e, epsilon, samples, m)


def presence_delta_of(
    leverage: ArrayLike, residual: ArrayLike, epsilon: ArrayLike, *, samples: int
) -> FloatArray:
    """Return ``sup Q(S) - e^epsilon P(S)`` of several samples, P without the person.

    0 from ``epsilon = samples * ceiling`` on. Arguments and errors as
    ``absence_delta_of``.

    >>> round(float(presence_delta_of(0.1, 1.0, 1.0, samples=5)), 10)
    0.018177747
    """
    m, e, epsilon = _checked(leverage, residual, epsilon, samples)
    if samples == 1:
        return presence_of_one(m, e, epsilon)
    return _profile(_presence_given, m, e, epsilon, samples, m / (1 + m))


def delta_of(
    leverage: ArrayLike, residual: ArrayLike, epsilon: ArrayLike, *, samples: int
) -> FloatArray:
    """Return the larger of both directions."""
    arguments = leverage, residual, epsilon
    return np.maximum(
        absence_delta_of(*arguments, samples=samples),
        presence_delta_of(*arguments, samples=samples),
    )


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


def _profile(
    given: Profile,
    m: FloatArray,
    e: FloatArray,
    epsilon: FloatArray,
    samples: int,
    variance: FloatArray,
) -> FloatArray:
    """Integrate the loss given the chi number over its density, in two pieces.

    At the square ``rest`` the chi part alone decides, where the pieces meet.
    """
    m, e, epsilon, variance = (
        part[..., np.newaxis] for part in np.broadcast_arrays(m, e, epsilon, variance)
    )
    mean = np.sqrt(samples) * e
    sign = 1 if given is _absence_given else -1
    rest = 2 * (samples * ceiling(m, e) + sign * epsilon)
    degrees = samples - 1
    bottom, top = max(np.sqrt(degrees) - _REACH, 0.0), np.sqrt(degrees) + _REACH
    meet = np.clip(np.sqrt(np.maximum(rest, 0.0) / variance), bottom, top)
    ends = np.full_like(meet, bottom), meet, np.full_like(meet, top)
    total = np.zeros(m.shape[:-1])
    for start, stop in itertools.pairwise(ends):
        # The square of the nodes makes both ends smooth.
        share = (1 + _NODES) / 2
        smooth, slope = share**2 * (3 - 2 * share), 6 * share * (1 - share)
        chi = start + (stop - start) * smooth
        log_density = (degrees - 1) * np.log(np.maximum(chi, 1e-300)) - chi**2 / 2
        log_density -= (degrees / 2 - 1) * np.log(2) + gammaln(degrees / 2)
        weight = np.exp(log_density) * slope * _WEIGHTS / 2 * (stop - start)
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
