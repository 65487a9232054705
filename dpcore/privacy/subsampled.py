"""What noise on a secret sample reveals: exact profiles, and the Renyi curve.

With ``q`` the chance that a person is sampled and ``delta_0`` the profile of the noise,
the answer with the person is the mixture ``(1 - q) Q + q P`` and that without is ``Q``:

    delta(log(1 + q (e^eps - 1))) = q delta_0(eps)        for every eps >= 0.

For Poisson sampling with one person more or less this is the larger direction, exactly;
for samples of a fixed size with one record replaced it is the tight bound for both
(Balle, Barthe and Gaboardi 2018, theorems 8 and 9). ``ratio`` is the shift over the
scale of Laplace, over the standard deviation of Gaussian noise.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy import gaussian, laplace
from dpcore.privacy.amplification import amplify, base_epsilon

Law = Literal["laplace", "gaussian"]
_LARGEST_ORDER = 100_000


def delta_of(law: Law, ratio: ArrayLike, rate: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the smallest delta at ``epsilon``, in [0, inf); broadcasts.

    Raises:
        ParameterError: A rate is not in [0, 1] or an epsilon below 0.

    >>> round(float(delta_of("laplace", 1.0, 0.1, 0.0628547235)), 10)
    0.0221199217

    """
    profile = gaussian.delta_of if law == "gaussian" else laplace.delta_of
    level = base_epsilon(epsilon, rate)
    finite = np.where(np.isinf(level), 0.0, level)
    kept = np.asarray(rate) * profile(ratio, finite)
    return np.asarray(np.where(np.isinf(level), 0.0, kept))


def epsilon_of(law: Law, ratio: ArrayLike, rate: ArrayLike, delta: float) -> FloatArray:
    """Return the smallest epsilon with ``delta_of(...) <= delta``; broadcasts.

    0 where ``delta >= rate``: then even the sampled rows might be published.

    Raises:
        ParameterError: A rate is not in [0, 1], or ``delta`` not either.

    >>> round(float(epsilon_of("gaussian", 1.0, 0.1, 1e-6)), 7)
    2.1816941

    """
    if not 0 <= delta <= 1:
        raise ParameterError(f"delta must lie from 0 to 1, got {delta}.")
    ratio, rates = np.broadcast_arrays(
        np.asarray(ratio, dtype=np.float64), np.asarray(rate, dtype=np.float64)
    )
    result = np.empty(rates.shape)
    # Few distinct rates, mostly one: the profiles take many ratios at one delta.
    for q in np.unique(rates):
        here = rates == q
        result[here] = amplify(_base_epsilon_of(law, ratio[here], delta, q), q)
    return result


def gaussian_divergence(mu: float, rate: float, order: int) -> float:
    """Return the Renyi divergence of order ``a`` of Gaussian noise on a sample.

    ``log(sum_k C(a, k) (1 - q)^(a - k) q^k e^(k (k - 1) mu^2/2)) / (a - 1)`` (Mironov,
    Talwar and Zhang 2019). Divided by the order it grows to ``mu^2/2``, the zCDP level
    *without* sampling: a sample does not make zCDP stronger.

    Raises:
        ParameterError: ``mu`` is not in [0, inf), ``rate`` not in [0, 1], or the order
            not from 2 to 100,000.

    >>> round(gaussian_divergence(1.0, 0.1, 2) / 2, 5)
    0.00852

    """
    if not (0 <= mu < math.inf and 0 <= rate <= 1):
        raise ParameterError(
            f"mu must be at least 0 and finite and the rate from 0 to 1, got {mu} and {rate}."
        )
    if not 2 <= order <= _LARGEST_ORDER:  # noqa: PLR2004 - the first whole order
        raise ParameterError(f"the order must be from 2 to {_LARGEST_ORDER:,}, got {order}.")
    if rate == 0 or mu == 0:
        return 0.0
    if rate == 1:
        return order * mu * mu / 2
    k = np.arange(order + 1, dtype=np.float64)
    terms = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    terms += (order - k) * math.log1p(-rate) + k * math.log(rate)
    terms += k * (k - 1) * mu * mu / 2
    return max(float(logsumexp(terms)) / (order - 1), 0.0)


def _base_epsilon_of(law: Law, ratio: FloatArray, delta: float, q: float) -> FloatArray:
    if delta >= q:
        return np.zeros(ratio.shape)
    if law == "laplace":
        return laplace.epsilon_of(ratio, delta / q)
    return gaussian.epsilon_of(ratio, delta / q)
