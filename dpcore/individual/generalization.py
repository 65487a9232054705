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


def gap(variation: ArrayLike) -> float:
    """Return an estimate of the bound on the expected generalization gap, ``2 mean(TV)``.

    ``variation`` is the total variation of each person, shape ``(n,)``, in [0, 1].

    Raises:
        ParameterError: Nobody is given, or a number is outside its domain.

    >>> gap([0.1, 0.3])
    0.4

    """
    variation = _people("total variations", variation)
    if np.any(variation > 1):
        raise ParameterError("total variations must be in [0, 1].")
    return float(2 * variation.mean())


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
    if not 0 <= delta <= 1:
        raise ParameterError(f"delta must be in [0, 1], got {delta}.")
    epsilon = _people("losses", epsilon)
    with np.errstate(over="ignore"):
        doubled = float(np.mean(np.expm1(2 * epsilon)))
        return doubled + delta * float(1 + np.mean(np.exp(epsilon)))


def _people(name: str, values: ArrayLike) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.size == 0 or not np.all(numbers >= 0):
        raise ParameterError(f"{name} must be at least 0, one for each of at least one person.")
    return numbers
