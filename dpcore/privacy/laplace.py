"""What a shift of Laplace noise reveals.

``r`` is the size of the shift divided by the scale ``b`` of the noise. The privacy loss
then lies in [-r, r], both directions have the same profile, and the level of pure
differential privacy is ``r``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import lambertw

from dpcore.arrays import FloatArray
from dpcore.privacy.conversions import pure_delta_of, pure_epsilon_of

# Two shifts that differ by rounding alone count as equal; the larger one is used.
EQUAL_SHIFTS = 1e-12


def delta_of(r: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the profile ``1 - exp(-(r - epsilon)/2)``, 0 from ``epsilon = r`` on.

    >>> round(float(delta_of(1.0, 0.5)), 13)
    0.2211992169286
    """
    rest = np.maximum(np.subtract(r, epsilon, dtype=np.float64), 0.0)
    return np.asarray(-np.expm1(-rest / 2))


def epsilon_of(r: ArrayLike, delta: ArrayLike) -> FloatArray:
    """Return the smallest epsilon with ``delta_of(r, epsilon) <= delta``.

    It is ``max(0, r + 2 log(1 - delta))``.
    """
    r = np.asarray(r, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        level = r + 2 * np.log1p(-np.asarray(delta, dtype=np.float64))
    return np.where(np.asarray(delta) < 1, np.maximum(level, 0.0), 0.0)


def two_cell_delta_of(r: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the profile when two coordinates are shifted by ``r`` each.

    The privacy losses of the two add up, and integrating over both gives
    ``1 - (1 + u/2) exp(-u)`` with ``u = r - epsilon/2``, 0 for ``u <= 0``.

    >>> round(float(two_cell_delta_of(1.0, 1.0)), 13)
    0.2418366753592
    """
    r = np.asarray(r, dtype=np.float64)
    u = np.maximum(r - np.asarray(epsilon) / 2, 0.0)
    # Both terms vanish together with u, and exp(-u) wins against a large or infinite u.
    finite = np.minimum(u, 800.0)
    return np.asarray(-np.expm1(-u) - finite / 2 * np.exp(-finite))


def two_cell_epsilon_of(r: ArrayLike, delta: float) -> FloatArray:
    """Return the smallest epsilon with ``two_cell_delta_of(r, epsilon) <= delta``.

    ``(1 + u/2) exp(-u) = 1 - delta`` is solved by the lower branch of Lambert's W:
    ``u = -2 - W(-2 (1 - delta) exp(-2))``.
    """
    r = np.asarray(r, dtype=np.float64)
    if delta >= 1:
        return np.zeros_like(r)
    u = -2 - float(lambertw(-2 * (1 - delta) * np.exp(-2), k=-1).real)
    return np.asarray(np.maximum(2 * (r - max(u, 0.0)), 0.0))


def product_delta_of(ratios: ArrayLike, epsilon: float) -> FloatArray:
    """Return a delta for independent noise in several coordinates.

    Args:
        ratios: Shape ``(..., k)``: the shift of each coordinate over the scale.
        epsilon: The level of the profile.

    Exact where one coordinate is shifted, or two by the same amount. Elsewhere it is
    the largest delta that the pure level (the sum of the ratios) allows: an upper
    bound.

    """
    total, largest, one, two = _pattern(ratios)
    several = pure_delta_of(total, epsilon)
    several = np.where(two, two_cell_delta_of(largest, epsilon), several)
    return np.where(one, delta_of(total, epsilon), several)


def product_epsilon_of(ratios: ArrayLike, delta: float) -> FloatArray:
    """Return an epsilon for independent noise in several coordinates.

    The inverse of ``product_delta_of``, with the same shapes and the same exactness.
    """
    ratios = np.asarray(ratios, dtype=np.float64)
    if ratios.shape[-1] == 1:
        return epsilon_of(ratios[..., 0], delta)
    total, largest, one, two = _pattern(ratios)
    if delta == 0:
        return total
    several = pure_epsilon_of(total, delta)
    several = np.where(two, two_cell_epsilon_of(largest, delta), several)
    return np.where(one, epsilon_of(total, delta), several)


def rho_of(r: ArrayLike) -> FloatArray:
    """Return the zCDP level ``r + exp(-r) - 1`` of a shift by ``r``.

    It is the mean privacy loss, at which the Renyi divergence of order alpha, divided
    by alpha, is largest (alpha to 1). Small shifts use the series, which does not
    cancel: ``r^2/2 - r^3/6 + ...``.
    """
    r = np.asarray(r, dtype=np.float64)
    small = np.minimum(r, 0.5)  # at 0.5 either form is exact
    series = np.zeros_like(small)
    for k in range(16, 1, -1):
        series = (1 - series) * small / k
    # The loop ends at r/2 (1 - r/3 (1 - ...)): one factor r is missing.
    direct = r + np.expm1(-r)
    return np.asarray(np.where(small < r, direct, series * small))


def _pattern(ratios: ArrayLike) -> tuple[FloatArray, FloatArray, np.ndarray, np.ndarray]:
    """Return sum and maximum, and where one, or two equal, coordinates are shifted."""
    ratios = np.asarray(ratios, dtype=np.float64)
    total = np.asarray(ratios.sum(axis=-1))
    largest = np.asarray(ratios.max(axis=-1))
    count = np.count_nonzero(ratios, axis=-1)
    with np.errstate(invalid="ignore"):
        equal = (count == 2) & (2 * largest - total <= EQUAL_SHIFTS * total)  # noqa: PLR2004 - two cells
    return total, largest, np.asarray(count <= 1), np.asarray(equal)
