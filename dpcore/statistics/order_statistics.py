"""Sample quantiles. CONFIDENTIAL.

The ``q``-quantile of ``n`` values is ``(1 - g) x_(j) + g x_(j+1)`` with ``j + g = (n -
1) q`` and the values in ascending order from 0 (type 7 of Hyndman and Fan 1996).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def sample_quantile(values: ArrayLike, q: float) -> float:
    """Return the ``q``-quantile.

    Raises:
        ParameterError: There is no value, or ``q`` is not in [0, 1].

    >>> sample_quantile([3.0, 1.0, 2.0, 10.0], 0.5)
    2.5

    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if len(ordered) < 1 or not 0 <= q <= 1:
        message = f"a quantile needs a value and q from 0 to 1, got q = {q}."
        raise ParameterError(message)
    h = (len(ordered) - 1) * q
    j = math.floor(h)
    above = min(j + 1, len(ordered) - 1)
    return float((1 - (h - j)) * ordered[j] + (h - j) * ordered[above])
