"""What somebody can tell about one person from one release, at best.

The adversary knows both laws, with the person and without, and tests one against the
other. The receiver operating characteristic (ROC) is the chance of detecting the person
as a function of the chance of a false alarm; by the Neyman-Pearson lemma no test is
above the ones given here. ``mu`` and ``r`` are the shift over the standard deviation of
Gaussian and over the scale of Laplace noise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from dpcore.privacy import laplace
from dpcore.privacy.interpretation import trade_off_gaussian

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.arrays import FloatArray


def gaussian_detection(alarm: ArrayLike, *, mu: float) -> FloatArray:
    """Return the chance of detection ``Phi(mu + Phi^-1(alarm))``."""
    return np.asarray(1 - trade_off_gaussian(alarm, mu=mu))


def laplace_detection(alarm: ArrayLike, *, r: float) -> FloatArray:
    """Return the chance of detection against Laplace noise.

    With ``a`` the chance of a false alarm: ``e^r a`` up to ``a = e^-r/2``, then ``1 -
    e^-r/(4 a)`` up to 1/2, then ``1 - e^-r (1 - a)``.
    """
    alarm = np.asarray(alarm, dtype=np.float64)
    few = math.exp(-r) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        # In log space, where a large r cannot overflow.
        steep = np.exp(np.minimum(np.log(alarm) + r, 0.0))
        middle = 1 - few / (2 * alarm)
    flat = 1 - math.exp(-r) * (1 - alarm)
    return np.where(alarm <= few, steep, np.where(alarm <= 0.5, middle, flat))  # noqa: PLR2004 - the median


def gaussian_area(mu: ArrayLike) -> FloatArray:
    """Return the area under the ROC, ``Phi(mu / sqrt(2))``.

    It is the chance of telling which of two releases, one of each law, is which.

    >>> round(float(gaussian_area(1.0)), 10)
    0.7602499389
    """
    return np.asarray(ndtr(np.asarray(mu, dtype=np.float64) / math.sqrt(2)))


def laplace_area(r: ArrayLike) -> FloatArray:
    """Return the area under the ROC, ``1 - e^-r (2 + r) / 4``.

    >>> round(float(laplace_area(2.0)), 10)
    0.8646647168
    """
    r = np.asarray(r, dtype=np.float64)
    finite = np.minimum(r, 800.0)  # beyond it the exponential is 0 anyway
    return np.asarray(1 - np.exp(-r) * (2 + finite) / 4)


def gaussian_advantage(mu: ArrayLike) -> FloatArray:
    """Return the most by which detections outnumber false alarms: ``2 Phi(mu/2) - 1``.

    This is the total variation distance of the two laws.
    """
    return np.asarray(2 * ndtr(np.asarray(mu, dtype=np.float64) / 2) - 1)


def laplace_advantage(r: ArrayLike) -> FloatArray:
    """Return the most by which detections outnumber false alarms: ``1 - e^(-r/2)``."""
    return laplace.total_variation(r)


def best_accuracy(advantage: ArrayLike) -> FloatArray:
    """Return the chance of the best guess if both laws are equally likely beforehand.

    ``(1 + advantage) / 2``, exact, where ``interpretation.best_guess`` bounds it by
    epsilon alone.
    """
    return np.asarray((1 + np.asarray(advantage, dtype=np.float64)) / 2)
