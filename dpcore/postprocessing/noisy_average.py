"""The mean of a private number of people, and why its noise must not know n.

Under add/remove the number of people ``n`` is itself private. Noise of scale
``R / (n epsilon)``, recomputed from the table, tells neighboring tables apart by its
*width*: see ``recomputed_scale_epsilon``. The noisy average instead releases a noisy
sum and a noisy number, both with constant scales, and divides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import gammainc

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.mechanism import require_budget
from dpcore.statistics.checks import check_bounds

_QUANTILES: Final = 20_000


def recomputed_scale_epsilon(*, people: int, epsilon: float, clamped: bool = True) -> float:
    """Return the privacy of a mean with noise of scale ``R / (n epsilon)``, n private.

    The level between tables of ``n`` and ``n - 1`` people that each scale the noise by
    their own number. Without clamping, the logarithm of the ratio of the densities
    grows like ``epsilon |y| / R``: there is no finite epsilon. Clamped to the bounds
    (the boundary-inflated law) it is exactly ``max{epsilon, log(n / (n - 1)) +
    epsilon (n - 1) / n}``: the means obey ``n m_n - (n - 1) m_{n-1} = x_n``. Rounded
    up.

    Args:
        people: The number ``n`` in the larger table, at least 2.
        epsilon: The nominal epsilon.
        clamped: Whether releases are clamped to the public bounds.

    Raises:
        ParameterError: ``people`` is below 2 or ``epsilon`` not in (0, inf).

    >>> round(recomputed_scale_epsilon(people=5, epsilon=1.0), 10)
    1.0231435513
    >>> recomputed_scale_epsilon(people=5, epsilon=1.0, clamped=False)
    inf

    """
    require_budget(epsilon)
    if people < 2:  # noqa: PLR2004 - with one person left out, somebody must remain
        raise ParameterError(f"the number of people must be at least 2, got {people}.")
    if not clamped:
        return math.inf
    shared = epsilon * (people - 1) / people - math.log1p(-1 / people)
    # Three roundings, of half a unit each at most.
    return float(max(epsilon, shared * (1 + 4 * np.finfo(np.float64).eps)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyAverage:
    """Mean of a private number of people, as a noisy sum over a noisy number.

    With ``c`` the middle of the bounds and ``R`` their width, release
    ``c + S~ / max(n~, 1)``, clamped to the bounds, where

    * ``S~ = sum(x - c) + Lap(R / (2 epsilon_sum))``: one person more or less moves the
      sum by at most ``R / 2``, because it is centered;
    * ``n~ = n + Lap(1 / epsilon_count)``: one person moves the number by 1.

    What is done with the two releases costs nothing, so the average is
    ``epsilon_sum + epsilon_count``-DP under add/remove, for tables of every size.
    Under substitution ``n`` is public and none of this is needed.

    Attributes:
        bounds: The public bounds.
        epsilon_sum: What is spent on the sum.
        epsilon_count: What is spent on the number.

    """

    bounds: Interval
    epsilon_sum: float
    epsilon_count: float

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        require_budget(self.epsilon_sum)
        require_budget(self.epsilon_count)

    @property
    def epsilon(self) -> float:
        """Return what both releases cost together, rounded up."""
        total = self.epsilon_sum + self.epsilon_count
        exact = math.fsum([self.epsilon_sum, self.epsilon_count, -total]) <= 0
        return total if exact else math.nextafter(total, math.inf)

    @property
    def scale_of_sum(self) -> float:
        """Return the scale ``R / (2 epsilon_sum)`` of the noise of the sum."""
        return least_scale(self.bounds.width / 2, self.epsilon_sum)

    @property
    def scale_of_count(self) -> float:
        """Return the scale ``1 / epsilon_count`` of the noise of the number."""
        return least_scale(1.0, self.epsilon_count)

    def of_noisy(self, total: FloatArray, people: FloatArray) -> FloatArray:
        """Return the averages of noisy centered sums and noisy numbers."""
        return self.bounds.clip(self._center + total / np.maximum(people, 1.0))

    def simulate(
        self, *, mean: float, people: int, rng: np.random.Generator, size: tuple[int, ...]
    ) -> FloatArray:
        """Draw simulated averages of a table with that clamped mean.

        Not for real releases: floating-point noise leaks.
        """
        total = people * (mean - self._center)
        noisy = law.quantile(law.uniform(rng, size), total, self.scale_of_sum)
        number = law.quantile(law.uniform(rng, size), people, self.scale_of_count)
        return self.of_noisy(noisy, number)

    def rmse(self, *, mean: float, people: int) -> float:
        """Return the root mean squared error around the mean of such a table.

        For a given noisy number the error is that of Laplace noise clamped to the
        bounds, in closed form; it is averaged over quantiles of the number.
        """
        levels = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        number = law.quantile(levels, people, self.scale_of_count)
        divisor = np.maximum(number, 1.0)
        squares = _clamped_square(
            position=self._center + people * (mean - self._center) / divisor,
            scale=self.scale_of_sum / divisor,
            bounds=self.bounds,
            target=mean,
        )
        return float(np.sqrt(squares.mean()))

    def losses(self, values: FloatArray) -> FloatArray:
        """Return what each person loses when left out of the two noisy numbers.

        ``epsilon_sum |x - c| / (R / 2) + epsilon_count``: exact for the pair of noisy
        numbers, an upper bound for the average that is computed from them.
        CONFIDENTIAL.
        """
        distance = np.abs(self.bounds.clip(values) - self._center)
        share = np.minimum(distance / (self.bounds.width / 2), 1.0)
        return np.asarray(self.epsilon_sum * share + self.epsilon_count)

    @property
    def _center(self) -> float:
        return self.bounds.lower + self.bounds.width / 2


def _clamped_square(
    *, position: FloatArray, scale: FloatArray, bounds: Interval, target: float
) -> FloatArray:
    """Return ``E (clamp(position + Lap(scale)) - target)^2``, elementwise.

    Around the position ``t`` moved to the nearest bound: with ``a`` and ``d`` the
    distances to the bounds and ``o`` the distance beyond, all over the scale, the error
    has mean ``(b / 2) e^-o [P_1(d) - P_1(a)]`` and mean square
    ``b^2 e^-o [P_2(a) + P_2(d)]``, with ``P_j`` the regularized incomplete gamma
    functions (Liu 2016; outside the bounds one of ``a`` and ``d`` is 0).
    """
    start = bounds.clip(position)
    below = (start - bounds.lower) / scale
    above = (bounds.upper - start) / scale
    shrink = np.exp(-np.abs(position - start) / scale)
    mean = scale / 2 * shrink * (gammainc(1, above) - gammainc(1, below))
    square = scale**2 * shrink * (gammainc(2, below) + gammainc(2, above))
    away = start - target
    return np.asarray(square + 2 * away * mean + away**2)
