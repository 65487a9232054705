"""Combining several independent releases of the same numbers into one interval.

Each of ``m`` releases spends ``epsilon / m``. Their spread tells a reader how much
noise there is, without knowing its law; the price is that the noise of the mean has
``m`` times the variance of one release with the whole budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri, stdtrit

from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray

_FEWEST = 2


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


def combine(
    releases: ArrayLike, within: ArrayLike, *, level: float = LEVEL
) -> Combined:
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
        message = "multiple synthesis needs at least two releases."
        raise ParameterError(message)
    within = np.broadcast_to(np.asarray(within, dtype=np.float64), releases.shape)
    if not np.all(within >= 0):
        message = "sampling variances must be at least 0."
        raise ParameterError(message)
    if not 0 < level < 1:
        message = f"the confidence level must lie between 0 and 1, got {level}."
        raise ParameterError(message)
    estimate, mean_within = releases.mean(axis=0), within.mean(axis=0)
    # Equal releases have a mean that is off by rounding, and so a tiny variance.
    between = np.where(np.ptp(releases, axis=0) > 0, releases.var(axis=0, ddof=1), 0.0)
    variance = mean_within + between / sets
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        freedom = (sets - 1) * (1 + sets * mean_within / between) ** 2
    normal = (between == 0) | np.isinf(freedom)
    quantile = np.where(
        normal,
        ndtri((1 + level) / 2),
        stdtrit(np.where(normal, 1.0, freedom), (1 + level) / 2),
    )
    reach = quantile * np.sqrt(variance)
    return Combined(
        estimate=estimate,
        within=mean_within,
        between=between,
        variance=variance,
        freedom=np.where(normal, np.inf, freedom),
        lower=estimate - reach,
        upper=estimate + reach,
    )
