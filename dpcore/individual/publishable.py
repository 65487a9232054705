"""Reports of a person's own loss that may be told to that person.

Everybody's exact loss depends on everybody's records and must stay with the curator.
For objective perturbation there is a report that depends on public numbers, the release
and the person's own record only, free of cost (Redberg and Wang 2021); a sharper one
needs a noisy release of the Hessian first (``noisy_hessian``).

The release minimizes ``sum f(x'c; y) + lambda |c|^2/2 + b'c`` with normal ``b`` of
standard deviation ``sigma``. At the release, ``slope`` and ``curvature`` are the first
and second derivative of ``f`` in ``x'c`` for the person, and ``length = |x|``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbedFit:
    """The public numbers of an objective perturbation.

    Attributes:
        penalty: ``lambda``, in (0, inf).
        sigma: Standard deviation of the perturbation, in (0, inf).

    """

    penalty: float
    sigma: float

    def __post_init__(self) -> None:
        if not (0 < self.penalty < math.inf and 0 < self.sigma < math.inf):
            message = "the penalty and sigma must be in (0, inf)."
            raise ParameterError(message)

    @classmethod
    def calibrate(
        cls,
        *,
        epsilon: float,
        delta: float,
        slope: float = 1.0,
        curvature: float = 0.25,
    ) -> PerturbedFit:
        """Return the least noise and penalty of the (epsilon, delta)-DP guarantee.

        ``lambda = 2 curvature/epsilon`` and ``sigma^2 = slope^2 (8 log(2/delta) + 4
        epsilon)/epsilon^2`` (Kifer, Smith and Thakurta 2012, theorem 2). The
        defaults are those of logistic regression on features of length at most 1.

        Args:
            epsilon: In (0, inf).
            delta: In (0, 1).
            slope: Largest gradient of anybody's loss function.
            curvature: Largest second derivative of anybody's loss function.

        Raises:
            ParameterError: A parameter is outside its domain.

        >>> round(PerturbedFit.calibrate(epsilon=1.0, delta=1e-3).sigma, 6)
        8.050293

        """
        if not (0 < epsilon < math.inf and 0 < delta < 1):
            message = (
                "epsilon must be in (0, inf) and delta in (0, 1), "
                f"got epsilon {epsilon} and delta {delta}."
            )
            raise ParameterError(message)
        return cls(
            penalty=2 * curvature / epsilon,
            sigma=slope * math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon,
        )


def realized(
    fit: PerturbedFit,
    *,
    slope: ArrayLike,
    curvature: ArrayLike,
    length: ArrayLike,
    leverage: ArrayLike,
    along: ArrayLike,
    member: bool,
) -> FloatArray:
    """Return the exact loss of the release at hand. CONFIDENTIAL.

    ``|-log(1 + f'' m) + g^2/(2 sigma^2) + grad J'g/sigma^2|`` for a newcomer, and with
    both signs but that of the square turned for a member, ``g = f' x``.

    Args:
        fit: The public numbers.
        slope: ``f'`` at the release.
        curvature: ``f''`` at the release.
        length: ``|x|``.
        leverage: ``m = x' H^-1 x``, ``H`` the Hessian at the release, of the table.
        along: ``x' b``; the gradient of the objective at the release is ``-b``.
        member: Whether the person is in the table.

    """
    f, ff = np.asarray(slope, dtype=np.float64), np.asarray(curvature, dtype=np.float64)
    variance = fit.sigma**2
    square = (f * np.asarray(length, dtype=np.float64)) ** 2 / (2 * variance)
    turned = -f * np.asarray(along, dtype=np.float64) / variance
    sign = -1.0 if member else 1.0
    with np.errstate(divide="ignore"):
        # Where a member's leverage is all of H, the loss is infinite.
        share = np.maximum(sign * ff * np.asarray(leverage, dtype=np.float64), -1.0)
        grown = np.log1p(share)
    return np.asarray(np.abs(-grown + square + sign * turned))


def report(
    fit: PerturbedFit,
    *,
    slope: ArrayLike,
    curvature: ArrayLike,
    length: ArrayLike,
    failure: float,
) -> FloatArray:
    """Return a bound on a person's realized loss that reveals nobody else.

    ``log(1 + f'' |x|^2/lambda) + (f' |x|)^2/(2 sigma^2) + |f'| |x| z/sigma`` with ``z``
    the normal quantile at ``1 - failure/2``: a function of public numbers, the release
    and the person's own record, for members and newcomers alike. It fails with
    chance ``failure`` at most, over the perturbation, for a person fixed before;
    divide ``failure`` by the number of people for all of them at once.

    The first term covers both cases because a member's leverage is at most ``q/(1 +
    q)`` with ``q = f'' |x|^2/lambda``; it is below the published ``-log(1 - q)``
    and needs no lower bound on lambda.

    Args:
        fit: The public numbers.
        slope: ``f'`` at the release.
        curvature: ``f''`` at the release, at least 0.
        length: ``|x|``.
        failure: In (0, 1).

    Raises:
        ParameterError: ``failure`` is not in (0, 1).

    """
    size = np.asarray(length, dtype=np.float64)
    ff = np.asarray(curvature, dtype=np.float64)
    determinant = np.log1p(ff * size**2 / fit.penalty)
    return np.asarray(determinant + gradient_part(fit, slope, size, failure))


def published_report(
    fit: PerturbedFit,
    *,
    slope: ArrayLike,
    curvature: ArrayLike,
    length: ArrayLike,
    failure: float,
) -> FloatArray:
    """Return the report as published (theorem 8): ``-log(1 - q)`` for the first term.

    ``inf`` from ``q = f'' |x|^2/lambda = 1`` on. Arguments and errors as ``report``.
    """
    size = np.asarray(length, dtype=np.float64)
    q = np.asarray(curvature, dtype=np.float64) * size**2 / fit.penalty
    determinant = np.where(q < 1, -np.log1p(-np.where(q < 1, q, 0.0)), np.inf)
    return np.asarray(determinant + gradient_part(fit, slope, size, failure))


def gradient_part(
    fit: PerturbedFit, slope: ArrayLike, length: ArrayLike, failure: float
) -> FloatArray:
    """Return what the gradient contributes to a report, see ``report``."""
    check_failure(failure)
    size = np.asarray(length, dtype=np.float64)
    shift = np.abs(np.asarray(slope, dtype=np.float64)) * size / fit.sigma
    return np.asarray(shift * (shift / 2 - float(ndtri(failure / 2))))


def check_failure(failure: float) -> None:
    """Refuse a chance outside (0, 1).

    Raises:
        ParameterError: ``failure`` is not in (0, 1).

    """
    if not 0 < failure < 1:
        message = f"the chance of failure must be in (0, 1), got {failure}."
        raise ParameterError(message)
