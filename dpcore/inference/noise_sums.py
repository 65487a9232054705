"""Weighted sums of independent noise: how far they reach, exactly.

A test about several released numbers looks at one weighted sum of them, and its noise
is the same weighted sum of the noises.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Final

import numpy as np
from scipy.special import ndtr

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Mechanism
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.search import first_where

_APART: Final = 1e-4


@singledispatch
def tail(
    mechanism: Mechanism,
    weights: FloatArray,  # noqa: ARG001 - the common signature
    distance: FloatArray,  # noqa: ARG001 - the common signature
) -> FloatArray:
    """Return ``P(|sum_i w_i Z_i| >= distance)``, ``Z_i`` the noise of a release each.

    Args:
        mechanism: Adds the noise, Laplace or Gaussian.
        weights: Shape ``(..., k)``.
        distance: At least 0, shape ``(...)``.

    Raises:
        ParameterError: No closed form is known for this noise.

    """
    raise ParameterError(f"sums of {type(mechanism).__name__} noise have no closed form here.")


@tail.register(Gaussian)
def _(mechanism: Gaussian, weights: FloatArray, distance: FloatArray) -> FloatArray:
    sd = mechanism.noise * np.sqrt(np.square(weights).sum(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        tails = 2 * ndtr(-np.asarray(distance) / sd)
    return np.where(sd > 0, tails, np.asarray(distance) <= 0)


@tail.register(Laplace)
def _(mechanism: Laplace, weights: FloatArray, distance: FloatArray) -> FloatArray:
    """Return the tail as a mixture: ``sum_i c_i exp(-x/b_i)``.

    With scales ``b_i`` that all differ the density of the sum is a signed mixture of
    Laplace densities, with ``c_i = prod_(j != i) b_i^2 / (b_i^2 - b_j^2)`` (partial
    fractions of the characteristic function). Scales that nearly agree are set apart,
    upwards, by a ten-thousandth: more noise has a heavier tail.
    """
    scales = np.flip(np.sort(np.abs(weights), axis=-1), axis=-1) * mechanism.noise
    for place in range(scales.shape[-1] - 2, -1, -1):
        least = scales[..., place + 1] * (1 + _APART)
        scales[..., place] = np.maximum(scales[..., place], least)
    largest = np.where(scales[..., :1] > 0, scales[..., :1], 1.0)
    scales, x = scales / largest, np.asarray(distance) / largest[..., 0]
    found = np.zeros(np.broadcast_shapes(scales.shape[:-1], x.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        for place in range(scales.shape[-1]):
            own = scales[..., place]
            others = np.delete(scales, place, axis=-1)
            square = np.square(own)[..., np.newaxis]
            share = np.prod(square / (square - np.square(others)), axis=-1)
            found += np.where(own > 0, share * np.exp(-x / own), 0.0)
    return np.where(scales[..., 0] > 0, np.clip(found, 0.0, 1.0), x <= 0)


def reach(mechanism: Mechanism, weights: FloatArray, missed: float) -> FloatArray:
    """Return how far the sum reaches but with probability ``missed``, shape ``(...)``.

    As a function of the weights it is convex, for log-concave symmetric noise and
    ``missed`` below 1 (Lagoa, Li and Sznaier 2005).

    >>> round(float(reach(Laplace(noise=2.0), np.array([1.0, 0.0]), 0.05)), 9)
    5.991464547
    """
    weights = np.asarray(weights, dtype=np.float64)
    # Union bound: no summand reaches farther than its own quantile.
    each = mechanism.quantile(1 - missed / (2 * weights.shape[-1]), 0.0)
    high = np.abs(weights).sum(axis=-1) * float(each) * (1 + 2 * _APART)
    low = np.zeros_like(high)
    return first_where(lambda x: tail(mechanism, weights, x) <= missed, low, high)
