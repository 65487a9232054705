"""Renyi divergences of the two laws of one person, which add up over releases.

Order ``alpha`` is above 1, and for location noise both directions agree (Mironov 2017).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

ORDERS = 1 + np.geomspace(1e-2, 1e4, 400)
"""Orders among which the best one is chosen."""


def laplace_divergence(r: ArrayLike, order: ArrayLike) -> FloatArray:
    """Return the divergence when Laplace noise is shifted by ``r`` scales.

    ``log(a/(2a - 1) e^((a-1) r) + (a-1)/(2a - 1) e^(-a r)) / (a - 1)`` for order ``a``
    (Mironov 2017, proposition 6).

    Raises:
        ParameterError: An order is not above 1.

    >>> round(float(laplace_divergence(0.5, 2)), 12)
    0.200303896174

    """
    r, a = _checked(r, order)
    likely = np.log(a / (2 * a - 1)) + (a - 1) * r
    unlikely = np.log((a - 1) / (2 * a - 1)) - a * r
    return np.asarray(np.logaddexp(likely, unlikely) / (a - 1))


def gaussian_divergence(mu: ArrayLike, order: ArrayLike) -> FloatArray:
    """Return ``order mu^2 / 2``, Gaussian noise shifted by ``mu`` deviations.

    Raises:
        ParameterError: An order is not above 1.

    """
    mu, a = _checked(mu, order)
    return np.asarray(a * mu * mu / 2)


def epsilon_of(divergences: ArrayLike, orders: ArrayLike, delta: float) -> float:
    """Return the epsilon at ``delta`` that divergences at several orders imply.

    The least of ``D + log(1 - 1/a) - (log delta + log a)/(a - 1)``, at least 0
    (Canonne, Kamath and Steinke 2020); every order is valid, so that
    more of them only sharpen it.

    ``divergences`` are the total ones at each of the ``orders``, both of one shape;
    ``delta`` is in [0, 1].

    Raises:
        ParameterError: An order is not above 1.

    """
    total, a = _checked(divergences, orders)
    if delta >= 1 or (total == 0).all():
        return 0.0
    if delta == 0:
        return math.inf
    bounds = total + np.log1p(-1 / a) - (math.log(delta) + np.log(a)) / (a - 1)
    return max(float(bounds.min()), 0.0)


def _checked(number: ArrayLike, order: ArrayLike) -> tuple[FloatArray, FloatArray]:
    order = np.asarray(order, dtype=np.float64)
    if not ((order > 1) & np.isfinite(order)).all():
        raise ParameterError("the order of a Renyi divergence must be above 1 and finite.")
    return np.asarray(number, dtype=np.float64), order
