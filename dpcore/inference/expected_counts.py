"""How many people are to be expected where a number of them was found."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv

from dpcore.arrays import FloatArray

_LEAST = 1e-12


def expected_counts(people: FloatArray, missed: float) -> FloatArray:
    """Return how many may be expected where so many people were found (Garwood 1936).

    Exact for a Poisson count, and on the wide side for a part of a sample.

    Args:
        people: The fewest and the most that may have been found, shape ``(k, 2)``.
        missed: With which probability the expected number lies outside.

    """
    lower = gammaincinv(np.maximum(people[:, 0], _LEAST), missed / 2)
    upper = gammaincinv(people[:, 1] + 1, 1 - missed / 2)
    return np.stack([np.where(people[:, 0] > 0, lower, 0.0), upper], axis=-1)
