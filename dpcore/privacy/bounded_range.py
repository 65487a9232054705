"""What a mechanism of bounded range reveals, such as the exponential mechanism.

A mechanism has range ``eta`` if its privacy loss for two neighboring tables varies by
at most ``eta`` over the outputs. That is stronger than pure ``eta``-DP: the loss cannot
reach ``eta`` in both directions at once. The worst pair of laws has two outputs, with
losses ``t`` and ``t - eta`` (Dong, Durfee and Rogers 2020), and::

    delta(epsilon) = max_t (1 - e^(t - eta)) (1 - e^(epsilon - t)) / (1 - e^-eta)

is largest in the middle, at ``t = (epsilon + eta)/2``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.privacy.conversions import rho_of_pure


def delta_of(eta: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the largest delta at ``epsilon`` that a range ``eta`` allows.

    ``(1 - e^-((eta - epsilon)/2))^2 / (1 - e^-eta)``, 0 from ``epsilon = eta`` on. At
    ``epsilon = 0`` it is ``tanh(eta/4)``, about half of what pure DP allows.

    >>> round(float(delta_of(1.0, 0.0)), 12) == round(float(np.tanh(0.25)), 12)
    True
    """
    eta = np.asarray(eta, dtype=np.float64)
    rest = np.maximum(np.subtract(eta, epsilon, dtype=np.float64), 0.0)
    with np.errstate(invalid="ignore"):
        delta = np.expm1(-rest / 2) ** 2 / -np.expm1(-eta)
    return np.asarray(np.where(eta == 0, 0.0, delta))


def epsilon_of(eta: ArrayLike, delta: float) -> FloatArray:
    """Return the smallest epsilon with ``delta_of(eta, epsilon) <= delta``.

    ``max(0, eta + 2 log(1 - sqrt(delta (1 - e^-eta))))``.
    """
    eta = np.asarray(eta, dtype=np.float64)
    lost = np.sqrt(np.minimum(delta, 1.0) * -np.expm1(-eta))
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = eta + 2 * np.log1p(-lost)
    return np.asarray(np.where(lost < 1, np.maximum(rest, 0.0), 0.0))


def rho_of(eta: ArrayLike) -> FloatArray:
    """Return a zCDP level: ``eta^2/8``, or that of pure ``eta``-DP from about 8 on.

    The first is Hoeffding's lemma for a loss within an interval of length ``eta``
    (Cesar and Rogers 2021), a quarter of the ``eta^2/2`` of small pure levels.

    >>> float(rho_of(1.0))
    0.125
    """
    eta = np.asarray(eta, dtype=np.float64)
    with np.errstate(over="ignore"):
        return np.asarray(np.minimum(eta * eta / 8, rho_of_pure(eta)))
