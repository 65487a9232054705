"""The figures of Wang 2019 on simulated regressions, with settings to edit.

The text does not print the settings. Those here are reconstructed: rows of standard
normal numbers scaled to length 1, coefficients in a random direction, targets clipped
to [-1, 1], and noise calibrated to the guarantee. With a penalty of ``2 sqrt(n)``
they show what the text reports for Figure 1: everybody in the universe loses about six
times less than the guarantee, everybody in the table more than ten times less. The
average in the table (Figure 2, penalty ``sqrt(n)``) is below the guarantee by a factor
that grows with the number of people for noise on the coefficients, 52 at 100 and 3 533
at 31 623 people; for the posterior sample it is 10 to 143, short of the "several orders
of magnitude" of the text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models.guarantees import gaussian_gamma
from dpcore.models.influence import Influence
from dpcore.models.laws.noisy_coefficients import NoisyFit
from dpcore.models.penalty import Penalty
from dpcore.models.posterior import leverage_and_residual
from dpcore.models.posterior.guarantees import RecordBounds, for_all, worst_case
from dpcore.models.ridge.fit import RidgeFit, fit_ridge
from dpcore.models.ridge.removals import removals
from dpcore.models.worst_shifts import largest_addition, worst_ridge_shift

SIZES = (100, 1_000, 10_000, 31_623)
"""Numbers of people in Figure 2, with noise on the coefficients."""

GAMMAS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""Precisions of the posterior sample in Figure 2."""


def times_less(loss: float, guarantee: float) -> float:
    """Return how many times a loss lies below the guarantee.

    Where delta alone covers all that a person can change, the loss is 0, and so may be
    the guarantee.

    >>> times_less(0.2, 1.0), times_less(0.0, 1.0), times_less(0.0, 0.0)
    (5.0, inf, 1.0)
    """
    if loss == guarantee:
        return 1.0
    return guarantee / loss if loss > 0 else math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """How the regression is simulated. Public."""

    people: int = 1_000
    """Number of people, at least 1."""
    columns: int = 10
    """Number of coefficients, at least 1."""
    noise: float = 0.1
    """Standard deviation of the noise of the targets, at least 0."""
    strength: float = 2.0
    """The penalty is this times ``sqrt(people)``; positive."""
    seed: int = 0
    """Of the simulation."""
    epsilon: float = 1.0
    """Level of the guarantee that noise is calibrated to."""
    delta: float = 1e-6
    """The delta that every epsilon goes with."""

    def __post_init__(self) -> None:
        if self.people < 1 or self.columns < 1:
            raise ParameterError("there must be at least one person and one coefficient.")
        if not (0 <= self.noise < math.inf and 0 < self.strength < math.inf):
            raise ParameterError("the noise must be in [0, inf) and the strength in (0, inf).")
        if not (0 < self.epsilon < math.inf and 0 < self.delta < 1):
            raise ParameterError("epsilon must be in (0, inf) and delta in (0, 1).")

    @property
    def penalty(self) -> float:
        """Return ``lambda``."""
        return self.strength * math.sqrt(self.people)

    def table(self) -> tuple[FloatArray, FloatArray]:
        """Return simulated features ``(n, d)`` of length 1, and targets ``(n,)``."""
        rng = np.random.default_rng(self.seed)
        x = rng.standard_normal((self.people, self.columns))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        truth = rng.standard_normal(self.columns)
        truth /= np.linalg.norm(truth) * math.sqrt(2)
        noise = self.noise * rng.standard_normal(self.people)
        return x, np.clip(x @ truth + noise, -1.0, 1.0)

    def fit(self) -> RidgeFit:
        """Return the ridge regression of the table."""
        x, y = self.table()
        return fit_ridge(x, y, penalty=Penalty(strength=self.penalty))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoveredLosses:
    """The guarantee, and the losses in one table that it covers."""

    guarantee: float
    """The loss over all tables and people: the level of DP."""
    losses: FloatArray = field(repr=False)
    """Loss of each person in the table, shape ``(n,)``."""

    @property
    def times_on_average(self) -> float:
        """Return how many times the guarantee is the mean loss in the table."""
        return times_less(float(self.losses.mean()), self.guarantee)

    @property
    def box(self) -> FloatArray:
        """Return minimum, quartiles and maximum of the losses in the table."""
        return np.quantile(self.losses, [0.0, 0.25, 0.5, 0.75, 1.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NestedLosses(CoveredLosses):
    """Those under noise on the coefficients, for people in the table and newcomers."""

    certificate: float
    """A bound on what any newcomer to this table loses."""
    for_all: float
    """The most that a search finds a newcomer to lose."""
    sigma: float
    """Standard deviation of the noise."""

    @property
    def times_for_all(self) -> float:
        """Return how many times the guarantee is the most that a search finds."""
        return times_less(self.for_all, self.guarantee)

    @property
    def times_at_least(self) -> float:
        """Return how many times the guarantee is the bound that is proved."""
        return times_less(self.certificate, self.guarantee)

    @property
    def times_in_table(self) -> float:
        """Return how many times the guarantee is the largest loss in the table."""
        return times_less(float(self.losses.max()), self.guarantee)


def nested_losses(simulation: Simulation) -> NestedLosses:
    """Return Figure 1: isotropic normal noise on the coefficients, whom it protects.

    >>> figure = nested_losses(Simulation())
    >>> round(figure.times_for_all, 2), round(figure.times_in_table, 1)
    (5.89, 21.4)
    """
    fit = simulation.fit()
    worst = worst_ridge_shift(fit.penalty, people=simulation.people)
    delta, epsilon = simulation.delta, simulation.epsilon
    noise = NoisyFit(gamma=gaussian_gamma(worst, epsilon=epsilon, delta=delta))
    newcomer = largest_addition(fit)
    moves = np.array([newcomer.certificate, newcomer.found])
    certificate, found = noise.losses(Influence.of_moves(moves), delta=delta)
    return NestedLosses(
        guarantee=simulation.epsilon,
        certificate=float(certificate),
        for_all=float(found),
        losses=noise.losses(fit.influence(noise), delta=delta),
        sigma=noise.noise,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampleLosses(CoveredLosses):
    """Privacy and accuracy of one posterior sample."""

    gamma: float
    """Precision of the sample."""
    excess: float
    """Mean of the objective above its minimum, ``d/(2 gamma)``."""
    for_all: float
    """A bound on what any newcomer to this table loses."""


def sample_losses(simulation: Simulation, gamma: float) -> SampleLosses:
    """Return Figure 2 of one posterior sample: privacy against accuracy.

    Raises:
        ParameterError: The penalty is below 1, where the guarantee is not known, or
            ``gamma`` not in (0, inf).

    """
    if simulation.penalty < 1:
        raise ParameterError(
            f"the penalty must be at least 1, got {simulation.penalty:.3g}: raise its strength."
        )
    fit, bounds = simulation.fit(), RecordBounds()
    left = removals(fit)
    # No eigenvalue is below the penalty, but for its rounding.
    least = float(np.linalg.eigvalsh(fit.factor.hessian)[0])
    guarantee = worst_case(
        gamma=gamma,
        delta=simulation.delta,
        penalty=simulation.penalty,
        people=simulation.people,
        bounds=bounds,
    )
    everybody = for_all(
        gamma=gamma,
        delta=simulation.delta,
        floor=max(least, simulation.penalty),
        length=float(np.linalg.norm(fit.theta)),
        bounds=bounds,
    )
    return SampleLosses(
        gamma=gamma,
        excess=simulation.columns / (2 * gamma),
        guarantee=float(guarantee),
        for_all=float(everybody),
        losses=leverage_and_residual.epsilon_of(
            left.outside, np.sqrt(gamma) * np.abs(left.residual), simulation.delta
        ),
    )
