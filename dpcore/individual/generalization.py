"""Why little privacy loss means little overfitting: read-outs of one table.

For a loss function between 0 and 1, what is learned from ``n`` people is expected to do
better on them than on the population by at most ``2 E TV``, TV the total variation
distance of the laws of the release with and without a person (Wang 2019, proposition 9,
sharpened: a bounded loss costs a total variation and no exponential). The
expectation is over tables; one table gives an unbiased estimate of it, because any
person and the others are such a pair. It is an ESTIMATE, not a bound, and CONFIDENTIAL:
it depends on everybody's record.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

TERMS = 60
"""Moments after which ``moment_gap`` stops."""


def gap(variation: ArrayLike, *, ratio: ArrayLike | None = None) -> float:
    """Return an estimate of the bound on the expected generalization gap.

    ``2 mean(TV)``; with importance weights ``mean(ratio TV) + mean(TV)`` for a
    population that differs from the one sampled (proposition 11).

    Args:
        variation: Total variation of each person, shape ``(n,)``, in [0, 1].
        ratio: Density of the target population over that of the sampled one, at each
            person; 1 if not given.

    Raises:
        ParameterError: Nobody is given, or a number is outside its domain.

    >>> gap([0.1, 0.3])
    0.4

    """
    variation = _people("total variations", variation)
    if np.any(variation > 1):
        raise ParameterError("total variations must be in [0, 1].")
    weights = np.ones(1) if ratio is None else _people("ratios of densities", ratio)
    return float(np.mean(weights * variation) + variation.mean())


def exponential_gap(epsilon: ArrayLike, *, delta: float) -> float:
    """Return the estimate in the form of proposition 9.

    ``mean(e^(2 epsilon)) - 1 + delta (1 + mean(e^epsilon))``: above ``gap`` and for
    most tables above 1, where it says nothing. ``inf`` where somebody's loss is.

    Args:
        epsilon: Loss of each person at ``delta``, shape ``(n,)``, at least 0.
        delta: In [0, 1].

    Raises:
        ParameterError: A number is outside its domain.

    """
    epsilon = _losses(epsilon, delta)
    with np.errstate(over="ignore"):
        doubled = float(np.mean(np.expm1(2 * epsilon)))
        return doubled + delta * float(1 + np.mean(np.exp(epsilon)))


def moment_gap(epsilon: ArrayLike, *, delta: float, terms: int = TERMS) -> float:
    """Return the estimate through moments of the losses (corollary 12).

    ``sum over k of 2^k mean(epsilon^k)/k!`` and the terms of delta: the series of
    ``exponential_gap``, cut after ``terms`` moments, and so never above it.

    Raises:
        ParameterError: A number is outside its domain.

    """
    epsilon = _losses(epsilon, delta)
    total, power = 0.0, np.ones_like(epsilon)
    with np.errstate(over="ignore"):
        for k in range(1, terms + 1):
            power = power * (2 * epsilon / k)
            total += float(power.mean())
        return total + delta * float(1 + np.mean(np.exp(epsilon)))


def tail(epsilon: ArrayLike, *, above: float, order: float) -> float:
    """Return a bound on the share of people who lose more than ``above``.

    ``mean(epsilon^order)/above^order``, at most 1 (Markov's inequality).

    Raises:
        ParameterError: A number is outside its domain.

    >>> tail([0.1, 0.1, 0.1, 0.4], above=0.4, order=2)
    0.296875

    """
    epsilon = _losses(epsilon, 0.0)
    if not (above > 0 and order > 0):
        raise ParameterError("the threshold and the order must be positive.")
    # No power above 1 matters: the share is at most 1 anyway.
    with np.errstate(over="ignore"):
        return min(float(np.mean((epsilon / above) ** order)), 1.0)


def _losses(epsilon: ArrayLike, delta: float) -> FloatArray:
    if not 0 <= delta <= 1:
        raise ParameterError(f"delta must be in [0, 1], got {delta}.")
    return _people("losses", epsilon)


def _people(name: str, values: ArrayLike) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.size == 0 or not np.all(numbers >= 0):
        raise ParameterError(f"{name} must be at least 0, one for each of at least one person.")
    return numbers
