"""The constants of AdaOPS as in its author's program, and what they really guarantee.

From the program that goes with Wang 2018 ("Revisiting differentially private linear
regression"), with features of length at most 1. They are tail bounds in place of exact
profiles, and each of its three steps claims (epsilon/4 or epsilon/2, delta/3). For
comparison only; ``models.laws.adaptive`` is what to use.
"""

from __future__ import annotations

import math

from dpcore.errors import ParameterError
from dpcore.models.posterior import leverage_and_residual
from dpcore.privacy import gaussian


def eigenvalue_noise(epsilon: float, delta: float) -> float:
    """Return the standard deviation ``sqrt(log(6/delta))/(epsilon/4)``."""
    return 4 * math.sqrt(math.log(6 / delta)) / epsilon


def eigenvalue_delta(epsilon: float, delta: float) -> float:
    """Return the exact delta at ``epsilon/4``, where ``delta/3`` is claimed.

    >>> [f"{eigenvalue_delta(epsilon, 1e-6):.1e}" for epsilon in (1, 4, 10)]
    ['6.4e-07', '3.7e-06', '1.9e-05']
    """
    mu = 1 / eigenvalue_noise(epsilon, delta)
    return float(gaussian.delta_of(mu, epsilon / 4))


def gamma(epsilon: float, delta: float, *, floor: float, residual: float) -> float:
    """Return gamma, the squared root ``g`` of a quadratic in the author's program.

    ``L^2/(2(h + 1)) g^2 + L sqrt(log(6/delta)/h) g + (1 + log(6/delta))/(2h) =
    epsilon/2``, with ``h`` the floor of the eigenvalues of ``X'X + lambda I`` and ``L``
    the largest residual; 0 where there is none.
    """
    log_odds = math.log(6 / delta)
    square = residual**2 / (2 * (floor + 1))
    linear = residual * math.sqrt(log_odds / floor)
    left = epsilon / 2 - (1 + log_odds) / (2 * floor)
    if left <= 0:
        return 0.0
    return (2 * left / (linear + math.sqrt(linear**2 + 4 * square * left))) ** 2


def sample_delta(epsilon: float, delta: float, *, floor: float, residual: float) -> float:
    """Return the exact delta of that sample at ``epsilon/2``; ``delta/3`` is claimed.

    Raises:
        ParameterError: The floor is too low for any sample.

    """
    precision = gamma(epsilon, delta, floor=floor, residual=residual)
    if precision == 0:
        raise ParameterError("no sample is drawn at so low a floor: raise lambda.")
    scaled = residual * math.sqrt(precision)
    return float(leverage_and_residual.delta_of(1 / floor, scaled, epsilon / 2))
