"""What can be read off convolved privacy losses, in spite of their rounding errors."""

from __future__ import annotations

import math
from typing import Any

_LEAST = 4e-15
_OF_EACH = 1e-16


def rounding(steps: int) -> float:
    """Return how far rounding errors may move a delta after ``steps`` convolutions.

    Fast Fourier transforms are exact up to a share of the largest probability, not of
    each, so that small deltas suffer. Against compositions that are known otherwise
    (Gaussian noise, randomized response) the errors were at most half of that.
    """
    return max(_LEAST, steps * _OF_EACH)


def epsilon_of_convolved(whole: Any, delta: float, *, steps: int) -> float:  # noqa: ANN401 - untyped library
    """Return the epsilon at ``delta`` of ``steps`` losses that make up ``whole``.

    Rounded up by the errors of computing it; ``inf`` where ``delta`` is smaller than
    these, and where the epsilon is no float.

    Args:
        whole: A privacy loss distribution of ``dp_accounting``.
        delta: In [0, 1].
        steps: How many losses were convolved, at least 1.

    """
    left = delta - rounding(steps)
    if left <= 0:
        return math.inf
    try:
        return float(whole.get_epsilon_for_delta(left))
    except OverflowError:
        return math.inf
