"""How well the best test tells from one posterior sample whether a person is there.

It looks at what the sample misses the person's target by, ``u = sqrt(gamma) (y - x'
sample)``, which is normal in both worlds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray


def roc(
    leverage: float, residual: float, *, points: int = 401
) -> tuple[FloatArray, FloatArray]:
    """Return chances of a false alarm, ascending, and of detecting the person.

    The best test says "present" if ``|u| < c`` (Neyman and Pearson): its chances are
    ``P(|u| < c)`` without and ``Q(|u| < c)`` with the person, for ``c`` from 0 to inf.

    Raises:
        ParameterError: A number is not in [0, inf).

    """
    _check_pair(leverage, residual)
    if leverage == 0:
        alarm = np.linspace(0, 1, points)
        return alarm, alarm
    center, deviation = _with(leverage, residual)
    step = ndtri(np.linspace(0, 1, points // 2 + 1)[1:-1])
    cuts = np.concatenate(
        [residual + np.sqrt(leverage) * step, center + deviation * step]
    )
    c = np.concatenate([[0.0], np.sort(np.abs(cuts)), [np.inf]])
    curve = (
        _within(c, residual, np.sqrt(leverage)),
        _within(c, center, deviation),
    )
    alarm, detection = map(np.maximum.accumulate, curve)
    return alarm, detection


def _with(leverage: float, residual: float) -> tuple[float, float]:
    """Return mean and standard deviation of ``u`` with the person."""
    rest = 1 + leverage
    return residual / rest, float(np.sqrt(leverage / rest))


def _within(c: FloatArray, center: float, deviation: float) -> FloatArray:
    """Return the chance that ``|u| < c``."""
    return np.asarray(ndtr((c - center) / deviation) - ndtr((-c - center) / deviation))


def _check_pair(leverage: float, residual: float) -> None:
    if not (0 <= leverage < np.inf and 0 <= residual < np.inf):
        message = "leverage and residual must be in [0, inf)."
        raise ParameterError(message)
