"""How often the truncated Laplace mechanism must draw until it lands in the bounds.

The number of draws depends on the secret. That is why redrawing is no post-processing,
and a second leak besides: whoever can time the release sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.mechanisms.bounded.base import place
from dpcore.mechanisms.laplace_law import incomplete_sum

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.arrays import FloatArray
    from dpcore.data.bounds import Interval


def acceptance(position: ArrayLike, noise: float, bounds: Interval) -> FloatArray:
    """Return the probability that ``position + Lap(b)`` lies in the bounds.

    ``Z = [P_1(a) + P_1(d)] / 2`` with ``a`` and ``d`` the distances to the bounds over
    ``b`` (Liu 2016, eq. 4). A position outside counts as the nearest point inside.

    Raises:
        ParameterError: ``noise`` is not in (0, inf).

    """
    if not 0 < noise < np.inf:
        message = f"the scale of the noise must be positive and finite, got {noise}."
        raise ParameterError(message)
    at = place(position, bounds, noise)
    return np.asarray(incomplete_sum(1, at.a, at.d) / 2)


def tries(position: ArrayLike, noise: float, bounds: Interval) -> FloatArray:
    """Return how many draws it takes on average: ``1/Z``.

    >>> from dpcore.data.bounds import Interval
    >>> unit = Interval(lower=0.0, upper=1.0)
    >>> round(float(tries(0.3, 10.0, unit)), 1)
    20.6
    """
    return np.asarray(1 / acceptance(position, noise, bounds))
