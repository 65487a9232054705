"""What goes wrong where noise is scaled by a private number of people, and the cure.

The mean of ``n`` people is published with Laplace noise of scale ``R / (n epsilon)``,
``n`` counted in the table itself. With one person less both the mean and the scale
change, and the scale tells on its own: far from the bounds the ratio of the densities
grows without limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.mechanism import Sensitivity, require_budget
from dpcore.postprocessing.noisy_average import NoisyAverage, recomputed_scale_epsilon
from dpcore.statistics.checks import check_bounds

FEWEST: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateSize:
    """The mean of a table whose number of people is private.

    The pair of tables is the worst one: everybody at the lower bound but one person at
    the upper bound, who leaves.

    Raises:
        ParameterError: If a parameter lies outside its domain.

    """

    people: int
    """The number of people ``n`` before that person leaves, at least 2."""
    epsilon: float
    """What the noise is meant to give."""
    bounds: Interval
    """The public bounds, of width ``R``."""

    def __post_init__(self) -> None:
        require_budget(self.epsilon)
        check_bounds(self.bounds)
        if self.people < FEWEST:
            raise ParameterError(f"at least {FEWEST} people are needed, got {self.people}.")

    @property
    def clamped_level(self) -> float:
        """Return the exact epsilon of the clamped (BIT) release, over all tables.

        It is ``max(epsilon, log(n / (n - 1)) + epsilon (n - 1) / n)``.

        >>> from dpcore.data.bounds import Interval
        >>> unit = Interval(lower=0.0, upper=1.0)
        >>> PrivateSize(people=5, epsilon=1.0, bounds=unit).clamped_level
        1.02314355...
        """
        return recomputed_scale_epsilon(people=self.people, epsilon=self.epsilon)

    def log_ratio(self, y: ArrayLike) -> FloatArray:
        """Return how much more likely ``y`` is with the person there, as a logarithm.

        That of the unclamped release; inside the bounds the clamped one has the same.
        """
        (noise, mean), (other_noise, other_mean) = self._laws
        y = np.asarray(y, dtype=np.float64)
        near = np.abs(y - mean) / noise
        far = np.abs(y - other_mean) / other_noise
        return np.asarray(far - near + np.log(other_noise / noise))

    def chance_below(self, y: float) -> float:
        """Return the chance of an unclamped release of ``y`` or less, everybody there.

        >>> from dpcore.data.bounds import Interval
        >>> ages = Interval(lower=0.0, upper=100.0)
        >>> PrivateSize(people=5, epsilon=1.0, bounds=ages).chance_below(20.0)
        0.5
        """
        (noise, mean), _ = self._laws
        return math.exp(law.log_cdf(y, mean, noise))

    def log_ratio_at_bounds(self) -> tuple[float, float]:
        """Return the same of releasing exactly the lower and upper bound."""
        lower, upper = self.bounds.lower, self.bounds.upper
        (noise, mean), (other_noise, other_mean) = self._laws
        at_lower = law.log_cdf(lower, mean, noise)
        at_lower = at_lower - law.log_cdf(lower, other_mean, other_noise)
        at_upper = law.log_cdf(-upper, -mean, noise)
        at_upper = at_upper - law.log_cdf(-upper, -other_mean, other_noise)
        return float(at_lower), float(at_upper)

    def public_error(self, place: float) -> float:
        """Return the typical error of BIT if ``n`` were public.

        ``place`` is where the true mean lies between the bounds, from 0 to 1.
        """
        mechanism = BoundaryInflatedLaplace.calibrate(
            sensitivity=Sensitivity.scalar(self.bounds.width / self.people),
            epsilon=self.epsilon,
            bounds=self.bounds,
        )
        return float(np.sqrt(mechanism.mse(self._mean(place))))

    def noisy_average_error(
        self, place: float, *, draws: int, rng: np.random.Generator
    ) -> tuple[float, float]:
        """Return the simulated typical error of the noisy average and its s.e.

        Half of epsilon goes to the sum, half to ``n`` (``NoisyAverage``).
        """
        half, mean = self.epsilon / 2, self._mean(place)
        average = NoisyAverage(bounds=self.bounds, epsilon_sum=half, epsilon_count=half)
        drawn = average.simulate(mean=mean, people=self.people, rng=rng, size=(draws,))
        squares = np.square(drawn - mean)
        rmse = float(np.sqrt(squares.mean()))
        error = float(squares.std() / np.sqrt(draws))
        return rmse, error / (2 * rmse) if rmse > 0 else 0.0

    def _mean(self, place: float) -> float:
        return self.bounds.lower + place * self.bounds.width

    @property
    def _laws(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return scale and mean with the person, and without."""
        n, width, lower = self.people, self.bounds.width, self.bounds.lower
        return (
            (width / (n * self.epsilon), lower + width / n),
            (width / ((n - 1) * self.epsilon), lower),
        )
