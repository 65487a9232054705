"""Combining several independent releases of the same numbers into one interval.

Each of ``m`` releases spends ``epsilon / m``. Their spread tells a reader how much
noise there is, without knowing its law; the price is that the noise of the mean has
``m`` times the variance of one release with the whole budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL

_FEWEST = 2
_DEGREE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """What several releases say together; every attribute has shape ``(...)``.

    Attributes:
        estimate: Mean of the releases.
        within: Mean of their sampling variances, ``W``.
        between: Variance between them, ``B``, divisor ``m - 1``.
        variance: Total variance ``W + B/m``.
        freedom: Degrees of freedom; infinite where nothing varies between them.
        lower: Lower end of the confidence interval.
        upper: Upper end.

    """

    estimate: FloatArray
    within: FloatArray
    between: FloatArray
    variance: FloatArray
    freedom: FloatArray
    lower: FloatArray
    upper: FloatArray


def combine(releases: ArrayLike, within: ArrayLike, *, level: float = LEVEL) -> Combined:
    """Return the combination of ``m`` releases, which stand on the first axis.

    The variance is ``T = W + B/m`` with ``(m - 1) (1 + m W/B)^2`` degrees of freedom,
    the rule for partially synthetic data (Reiter 2003; Liu 2017). Rubin's
    ``W + (1 + 1/m) B`` is for imputed data, and too wide here.

    Args:
        releases: Shape ``(m, ...)``, ``m`` at least 2.
        within: Sampling variance of each, broadcasting to the same shape.
        level: Confidence, strictly between 0 and 1.

    Raises:
        ParameterError: There are fewer than two releases, a variance is negative, or
            ``level`` is out of range.

    """
    releases = np.asarray(releases, dtype=np.float64)
    sets = releases.shape[0] if releases.ndim else 0
    if sets < _FEWEST:
        raise ParameterError("multiple synthesis needs at least two releases.")
    within = np.broadcast_to(np.asarray(within, dtype=np.float64), releases.shape)
    if not np.all(within >= 0):
        raise ParameterError("sampling variances must be at least 0.")
    if not 0 < level < 1:
        raise ParameterError(f"the confidence level must lie between 0 and 1, got {level}.")
    estimate, mean_within = releases.mean(axis=0), within.mean(axis=0)
    # Equal releases have a mean that is off by rounding, and so a tiny variance.
    between = np.where(np.ptp(releases, axis=0) > 0, releases.var(axis=0, ddof=1), 0.0)
    variance = mean_within + between / sets
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        freedom = (sets - 1) * (1 + sets * mean_within / between) ** 2
    freedom = np.where(between == 0, np.inf, freedom)
    reach = _quantiles(freedom, sets, level) * np.sqrt(variance)
    return Combined(
        estimate=estimate,
        within=mean_within,
        between=between,
        variance=variance,
        freedom=freedom,
        lower=estimate - reach,
        upper=estimate + reach,
    )


def _quantiles(freedom: FloatArray, sets: int, level: float) -> FloatArray:
    """Return Student's two-sided quantiles; the normal one at infinite freedom."""
    if level == LEVEL:
        return np.asarray(_usual_quantiles(sets)(1 / freedom))
    return _exact_quantiles(freedom, level)


def _exact_quantiles(freedom: FloatArray, level: float) -> FloatArray:
    normal = np.isinf(freedom)
    above = (1 + level) / 2
    student = stdtrit(np.where(normal, 1.0, freedom), above)
    return np.where(normal, ndtri(above), student)


@cache
def _usual_quantiles(sets: int) -> Chebyshev:
    """Return the quantiles at ``LEVEL`` as a polynomial in ``1 / freedom``.

    A simulation asks for many thousands of them, and inverting Student's law takes
    longer than all else in it. The degrees of freedom are ``sets - 1`` at least, and
    there the polynomial is right to 1e-13.
    """
    # So near to 0 the law is normal; the inversion fails at larger numbers.
    most = 1e12

    def exact(share: FloatArray) -> FloatArray:
        few = np.maximum(share, 1 / most)
        return _exact_quantiles(np.where(share > 1 / most, 1 / few, np.inf), LEVEL)

    return Chebyshev.interpolate(exact, _DEGREE, domain=[0, 1 / (sets - 1)])
