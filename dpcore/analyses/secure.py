"""The draw of a real release: refuses what the samplers would accept without a word.

That is NaN, infinity and a scale of 0. A mechanism brings its sampler, and no other
code calls it.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity
from dpcore.privacy_filter import PrivacyCost

ROUNDING_UNITS = 128
"""How many units of rounding, 2^-53 each, two neighboring statistics may differ by."""


def widen(sensitivity: Sensitivity, magnitude: float) -> Sensitivity:
    """Return the sensitivity of the statistic as floats compute it.

    ``magnitude`` bounds the absolute value of the statistic. A pairwise sum of ``n``
    numbers is wrong by at most ``19 + log2(n / 128)`` units of rounding, below 40 for
    all tables that fit into memory, and each of the two neighboring tables errs.
    """
    slack = ROUNDING_UNITS * 2.0**-53 * magnitude
    cells = sensitivity.coordinates
    return Sensitivity(
        coordinates=cells,
        l1=sensitivity.l1 + cells * slack,
        l2=sensitivity.l2 + math.sqrt(cells) * slack,
        largest=sensitivity.largest + slack,
    )


def draw(
    mechanism: Mechanism | Exponential,
    value: FloatArray,
    *,
    sensitivity: Sensitivity,
    cost: PrivacyCost,
) -> FloatArray:
    """Return one secure draw of the mechanism around ``value``, shape ``(k,)``.

    For Laplace and Gaussian noise OpenDP's own accounting must confirm ``cost`` (its
    epsilon, or its rho); the scale is raised by the few last bits that this may take.

    Raises:
        ParameterError: A value is not finite, or the noise is 0, subnormal or infinite;
            or truncation would need too many candidates.
        ClaimError: The noise is too small for ``cost``.

    """
    if not np.isfinite(value).all():
        raise ParameterError("the statistic is not a finite number; nothing can be released.")
    if not sys.float_info.min <= mechanism.noise <= sys.float_info.max:
        raise ParameterError(
            f"the scale of the noise must be positive, finite and not subnormal, got "
            f"{mechanism.noise}."
        )
    value = np.asarray(value, dtype=np.float64)
    return mechanism.secure_draw(value, sensitivity=sensitivity, cost=cost)
