"""Whether any pure epsilon holds when the scale of Laplace noise changes.

The laws are those of ``changing_scale``: positions and scales with and without a
person. CONFIDENTIAL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.individual.changing_scale import laws
from dpcore.mechanisms import laplace_law as law

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.individual.changing_scale import Law


def laplace_level(first: Law, second: Law) -> FloatArray:
    """Return the least pure epsilon of both directions: ``inf`` if the scales differ.

    Far out the law of the larger scale is the more likely one without limit. For equal
    scales it is ``|m0 - m1| / s``.

    Raises:
        ParameterError: A scale is not positive and finite.

    """
    m0, s0, m1, s1, _ = laws(first, second)
    return np.where(s0 == s1, np.abs(m0 - m1) / s0, np.inf)


def clamped_laplace_level(
    first: Law,
    second: Law,
    *,
    lower: float,
    upper: float,
) -> FloatArray:
    """Return the pure epsilon of both directions once releases are clamped to bounds.

    It is finite: inside, ``log p - log q`` has its extremes at the two positions or the
    bounds, and the two atoms have the masses that the laws have beyond the bounds.

    Raises:
        ParameterError: A scale is not positive and finite, or the bounds are not finite
            with ``lower < upper``.

    """
    if not (-np.inf < lower < upper < np.inf):
        message = f"finite bounds with lower < upper are needed, got {lower}, {upper}."
        raise ParameterError(message)
    m0, s0, m1, s1, _ = laws(first, second)
    low, high = np.full_like(m0, lower), np.full_like(m0, upper)
    at = np.stack([low, high, *np.clip((m0, m1), lower, upper)])
    inside = np.abs(np.log(s1 / s0) + np.abs(at - m1) / s1 - np.abs(at - m0) / s0)
    atoms = np.abs(
        law.log_cdf(np.stack([low - m0, m0 - high]) / s0, 0.0, 1.0)
        - law.log_cdf(np.stack([low - m1, m1 - high]) / s1, 0.0, 1.0)
    )
    return np.asarray(np.concatenate([inside, atoms]).max(axis=0))
