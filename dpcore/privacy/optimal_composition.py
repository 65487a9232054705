"""What k equal pure releases cost together, exactly in the worst case.

Kairouz, Oh and Viswanath 2015: no pure mechanism of level ``e`` loses more than
randomized response, so that its composition is that of all of them. With ``i`` the
number of answers that speak for the other world,

``delta(epsilon) = sum_i C(k, i) (1 + e^e)^-k [e^((k-i) e) - e^(epsilon + i e)]_+``

(theorem 3.3 with its levels filled in between).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from dpcore.errors import ParameterError
from dpcore.privacy.halving import halved

_MOST_PARTS = 1_000_000
_ROUND_UP = 1 + 1e-12


def delta_of(part: float, times: int, epsilon: float) -> float:
    """Return the smallest delta at ``epsilon`` of ``times`` releases of ``part`` each.

    Each summand is kept as the logarithm of its probability times
    ``1 - e^(epsilon + (2i - k) part)``: nothing overflows, and nothing cancels.

    Raises:
        ParameterError: A level is negative, NaN or infinite, or ``times`` is not a
            whole number from 1 to a million.

    """
    _check(part, times, epsilon)
    i = np.arange(times + 1, dtype=np.float64)
    ways = gammaln(times + 1) - gammaln(i + 1) - gammaln(times - i + 1)
    log_probability = ways - i * part - times * math.log1p(math.exp(-part))
    gap = epsilon + (2 * i - times) * part
    lost = np.where(gap < 0, -np.expm1(np.minimum(gap, 0.0)), 0.0)
    return math.fsum(np.exp(log_probability) * lost)


def epsilon_of(part: float, times: int, delta: float) -> float:
    """Return the smallest epsilon at ``delta``, by halving, on the private side.

    >>> round(epsilon_of(0.1, 50, 1e-6), 9)
    3.172902734

    Raises:
        ParameterError: As ``delta_of``, or ``delta`` is not in [0, 1).

    """
    _check_delta(delta)
    if delta_of(part, times, 0.0) <= delta:
        return 0.0
    _, high = halved(lambda epsilon: delta_of(part, times, epsilon) <= delta, 0.0, times * part)
    return high * _ROUND_UP


def part_for(epsilon: float, times: int, delta: float) -> float:
    """Return the largest level of ``times`` equal parts that together cost ``epsilon``.

    At least ``epsilon / times`` (basic composition); rounded down.

    Raises:
        ParameterError: As ``delta_of``, or ``delta`` is not in [0, 1).

    """
    _check_delta(delta)
    _check(0.0, times, epsilon)
    low, _ = halved(
        lambda part: delta_of(part, times, epsilon) > delta,
        epsilon / times,
        epsilon + 2 * math.atanh(delta),
    )
    return max(epsilon / times, low / _ROUND_UP)


def _check(part: float, times: int, epsilon: float) -> None:
    for name, level in (("each part", part), ("the total", epsilon)):
        if not 0 <= level < math.inf:
            raise ParameterError(f"epsilon of {name} must be in [0, inf), got {level}.")
    if times != int(times) or not 1 <= times <= _MOST_PARTS:
        raise ParameterError(
            f"the number of releases must be a whole number from 1 to {_MOST_PARTS:,}, got {times}."
        )


def _check_delta(delta: float) -> None:
    if not 0 <= delta < 1:
        raise ParameterError(f"delta must be at least 0 and below 1, got {delta}.")
