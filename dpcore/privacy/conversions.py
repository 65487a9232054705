"""From one notion of privacy to another: pure, approximate, zero-concentrated.

Sources: Bun and Steinke 2016 (zCDP); Canonne, Kamath and Steinke 2020 (the best
conversion of zCDP); Kairouz, Oh and Viswanath 2015 (randomized response is the worst
mechanism of its pure level).

Renyi divergences of the two laws of one person, which add up over releases.

Order ``alpha`` is above 1, and for location noise both directions agree (Mironov 2017).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy.halving import halved

_MOST_KNOTS = 1_000


def pure_delta_of(level: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the largest delta at ``epsilon`` that pure ``level``-DP allows.

    ``(e^level - e^epsilon) / (1 + e^level)``, attained by randomized response.
    """
    level = np.asarray(level, dtype=np.float64)
    gap = np.maximum(np.subtract(level, epsilon, dtype=np.float64), 0.0)
    return np.asarray(-np.expm1(-gap) / (1 + np.exp(-level)))


def pure_epsilon_of(level: ArrayLike, delta: float | FloatArray) -> FloatArray:
    """Return the epsilon at ``delta`` that pure ``level``-DP guarantees.

    The inverse of ``pure_delta_of``: ``level + log(1 - delta (1 + e^-level))``, at
    least 0.

    >>> round(float(pure_epsilon_of(1.0, 1e-5)), 9)
    0.999986321
    """
    level = np.asarray(level, dtype=np.float64)
    lost = np.minimum(delta * (1 + np.exp(-level)), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = level + np.log1p(-lost)
    return np.where(lost < 1, np.maximum(rest, 0.0), 0.0)


def rho_of_pure(level: ArrayLike) -> FloatArray:
    """Return the zCDP level ``level * tanh(level/2)`` of pure ``level``-DP.

    It is the mean privacy loss of randomized response, and at most ``level^2/2``.
    """
    level = np.asarray(level, dtype=np.float64)
    return np.asarray(level * np.tanh(level / 2))


def advanced_epsilon(mean: ArrayLike, squares: ArrayLike, slack: float) -> FloatArray:
    """Return what releases of several epsilons cost together, at an extra ``slack``.

    ``m + sqrt(2 s min(log(1/slack), log(e + sqrt(s)/slack)))`` with ``s`` the sum of
    the squared epsilons and ``m`` the sum of ``rho_of_pure`` of each: the closed form
    of Kairouz, Oh and Viswanath 2015 (theorem 3.5).

    Args:
        mean: ``m``; any shape.
        squares: ``s``; any shape.
        slack: In (0, 1).

    """
    tail = np.log(math.e + np.sqrt(squares) / slack)
    spread = np.multiply(squares, 2 * np.minimum(tail, -math.log(slack)))
    return np.asarray(mean + np.sqrt(spread))


def epsilon_of_rho(rho: float, delta: float) -> float:
    """Return the best epsilon that ``rho``-zCDP alone implies at ``delta``.

    With ``b = alpha - 1`` every order gives the valid bound
    ``epsilon(b) = (1 + b) rho + log(b/(1 + b)) + (log(1/delta) - log(1 + b))/b``.
    Its derivative vanishes where ``rho b^2 + log(1 + b) = log(1/delta)``, whose left
    side increases, so that bisection finds the best order.

    >>> round(epsilon_of_rho(0.02625, 1e-6), 10)
    1.0409266011
    """
    if rho == 0 or delta >= 1:
        return 0.0
    if delta == 0 or math.isinf(rho):
        return math.inf
    log_odds = -math.log(delta)
    # Either summand alone must stay below log(1/delta).
    high = min(math.sqrt(log_odds / rho), math.expm1(min(log_odds, 700.0)))
    _, b = halved(lambda b: rho * b * b + math.log1p(b) >= log_odds, 0.0, high)
    bound = (1 + b) * rho - math.log1p(1 / b) + (log_odds - math.log1p(b)) / b
    return max(bound, 0.0)


def epsilons_of_rho(rho: ArrayLike, delta: float) -> FloatArray:
    """Return ``epsilon_of_rho`` of every element, at most a relative 1e-6 above it.

    The best order changes smoothly with rho: of many it is interpolated. Each gives a
    valid bound, so that what interpolation is off by only makes the answer larger.

    >>> round(float(epsilons_of_rho([0.02625], 1e-6)[0]), 6)
    1.040927
    """
    rho = np.asarray(rho, dtype=np.float64)
    if delta >= 1:
        return np.zeros_like(rho)
    proper = (rho > 0) & np.isfinite(rho)
    if delta <= 0 or not proper.any():
        return np.where(rho > 0, np.inf, rho)
    known = rho[proper]
    if known.size <= _MOST_KNOTS:
        b = _best_orders(known, -math.log(delta))
    else:
        ends = np.log(float(known.min())), np.log(float(known.max()))
        knots = np.linspace(*ends, _MOST_KNOTS)
        orders = np.log(_best_orders(np.exp(knots), -math.log(delta)))
        b = np.exp(np.interp(np.log(known), knots, orders))
    bound = (1 + b) * known - np.log1p(1 / b) - (math.log(delta) + np.log1p(b)) / b
    result = np.where(rho > 0, np.inf, 0.0)
    result[proper] = np.maximum(bound, 0.0)
    return result


def _best_orders(rho: FloatArray, log_odds: float) -> FloatArray:
    """Return the roots of ``rho b^2 + log(1 + b) = log_odds`` by bisection."""
    high = np.minimum(np.sqrt(log_odds / rho), math.expm1(min(log_odds, 700.0)))
    low = np.zeros_like(high)
    for _ in range(100):
        b = (low + high) / 2
        below = rho * b * b + np.log1p(b) < log_odds
        low, high = np.where(below, b, low), np.where(below, high, b)
    return high


def variation_bound(epsilon: FloatArray, delta: float) -> FloatArray:
    """Return the largest total variation that an (epsilon, delta) pair can have.

    ``1 - 2 (1 - delta)/(1 + e^epsilon)``.

    >>> variation_bound(np.array([0.0, np.inf]), 0.0).tolist()
    [0.0, 1.0]
    """
    with np.errstate(over="ignore"):
        return np.asarray(1 - 2 * (1 - delta) / (1 + np.exp(epsilon)))


ORDERS = 1 + np.geomspace(1e-2, 1e4, 400)
"""Orders among which the best one is chosen."""


def epsilon_of_divergences(divergences: ArrayLike, orders: ArrayLike, delta: float) -> float:
    """Return the epsilon at ``delta`` that divergences at several orders imply.

    The least of ``D + log(1 - 1/a) - (log delta + log a)/(a - 1)``, at least 0
    (Canonne, Kamath and Steinke 2020); every order is valid, so that
    more of them only sharpen it.

    ``divergences`` are the total ones at each of the ``orders``, both of one shape;
    ``delta`` is in [0, 1].

    Raises:
        ParameterError: An order is not above 1.

    """
    total, a = np.asarray(divergences), np.asarray(orders, dtype=np.float64)
    if not ((a > 1) & np.isfinite(a)).all():
        raise ParameterError("the order of a Renyi divergence must be above 1 and finite.")
    if delta >= 1 or (total == 0).all():
        return 0.0
    if delta == 0:
        return math.inf
    bounds = total + np.log1p(-1 / a) - (math.log(delta) + np.log(a)) / (a - 1)
    return max(float(bounds.min()), 0.0)


def epsilon_of_range(eta: ArrayLike, delta: float) -> FloatArray:
    """Return the smallest epsilon at ``delta`` of a mechanism of bounded range ``eta``.

    A mechanism has range ``eta`` if its privacy loss for two neighboring tables varies by
    at most ``eta`` over the outputs. That is stronger than pure ``eta``-DP: the loss cannot
    reach ``eta`` in both directions at once. The worst pair of laws has two outputs, with
    losses ``t`` and ``t - eta`` (Dong, Durfee and Rogers 2020), and::

        delta(epsilon) = max_t (1 - e^(t - eta)) (1 - e^(epsilon - t)) / (1 - e^-eta)

    is largest in the middle, at ``t = (epsilon + eta)/2``, where it is
    ``(1 - e^-((eta - epsilon)/2))^2 / (1 - e^-eta)``. So epsilon is
    ``max(0, eta + 2 log(1 - sqrt(delta (1 - e^-eta))))``.
    """
    eta = np.asarray(eta, dtype=np.float64)
    lost = np.sqrt(np.minimum(delta, 1.0) * -np.expm1(-eta))
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = eta + 2 * np.log1p(-lost)
    return np.asarray(np.where(lost < 1, np.maximum(rest, 0.0), 0.0))


def rho_of_range(eta: ArrayLike) -> FloatArray:
    """Return a zCDP level of a range: ``eta^2/8``, or that of pure ``eta``-DP from about 8 on.

    The first is Hoeffding's lemma for a loss within an interval of length ``eta``
    (Cesar and Rogers 2021), a quarter of the ``eta^2/2`` of small pure levels.

    >>> float(rho_of_range(1.0))
    0.125
    """
    eta = np.asarray(eta, dtype=np.float64)
    with np.errstate(over="ignore"):
        return np.asarray(np.minimum(eta * eta / 8, rho_of_pure(eta)))
