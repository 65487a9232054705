"""The loss of people in a released linear model, from a few numbers each. CONFIDENTIAL.

Four numbers of a person in the table say all: the leverage ``h = x' H^-1 x``, the
residual ``r = y - x' theta``, the squared length ``x' H^-1 A H^-1 x`` of the direction
in which the person pulls, and ``|x|^2``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.models.loss_tables import perturbed_epsilon
from dpcore.models.metrics import ISOTROPIC, Shape
from dpcore.models.objective_perturbation import PerturbedPairs
from dpcore.models.posterior_sampling import UNIQUE, PosteriorPairs
from dpcore.models.release_laws import NoisyFit, PerturbedObjective, SampledFit
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.metrics import Metric
    from dpcore.models.release_laws import Law


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RidgeState:
    """What the loss of each person in a linear model depends on. CONFIDENTIAL.

    From the fit with everybody; each of shape ``(m,)``.

    Attributes:
        leverage: ``h``, in [0, 1].
        residual: ``r``.
        length: ``x' H^-1 A H^-1 x``.
        square: ``|x|^2``.

    """

    leverage: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    length: FloatArray = field(repr=False)
    square: FloatArray = field(repr=False)

    def owned(self, rows: int) -> RidgeState:
        """Return the state of units that own ``rows`` rows like each person's own."""
        if rows == 1:
            return self
        return RidgeState(
            leverage=np.minimum(rows * self.leverage, 1.0),
            residual=np.sqrt(rows) * self.residual,
            length=rows * self.length,
            square=rows * self.square,
        )


def metric_of(law: Law) -> Metric:
    """Return the norm whose ``length`` the losses under a law need.

    Noise that takes its shape from the data is a posterior sample (``A = H``) or
    objective perturbation (``A = H^2``); the latter needs the plain length.
    """
    if isinstance(law, NoisyFit) and law.metric.public:
        return law.metric
    return ISOTROPIC


def as_released(law: Law) -> Law:
    """Return the law that the release of a linear model really has.

    >>> from dpcore.models.metrics import FISHER
    >>> type(as_released(NoisyFit(gamma=4.0, metric=FISHER))).__name__
    'SampledFit'
    """
    if isinstance(law, NoisyFit) and law.metric.shape is Shape.FISHER:
        return SampledFit(gamma=law.gamma)
    if isinstance(law, NoisyFit) and law.metric.shape is Shape.DEMOCRATIC:
        return PerturbedObjective(sigma=law.noise)
    return law


def ridge_losses(
    law: Law, state: RidgeState, *, delta: float, rows: int = 1
) -> FloatArray:
    """Return everybody's epsilon at ``delta``: with the person against without.

    Where a unit may own several ``rows`` the loss is that of a unit with as many rows
    like the person's own. Infinite for people whom the fit rests on alone.

    Raises:
        ParameterError: There is no such formula for the law: several posterior
            samples, or an adaptive one.

    """
    law, state = as_released(law), state.owned(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = state.leverage >= 1 - UNIQUE
        rest = np.where(alone, 1.0, 1 - state.leverage)
    if isinstance(law, NoisyFit):
        shift = np.abs(state.residual) / rest * np.sqrt(state.length)
        found = gaussian.epsilon_of(np.sqrt(law.gamma) * shift, delta)
    elif isinstance(law, SampledFit) and law.samples == 1:
        found = PosteriorPairs.of_members(
            leverage=state.leverage, residual=state.residual, gamma=law.gamma
        ).epsilon(delta)
    elif isinstance(law, PerturbedObjective):
        pairs = PerturbedPairs.of_members(
            leverage=np.where(alone, 0.0, state.leverage),
            spread=state.length,
            square=state.square,
            residual=state.residual,
            sigma=law.sigma,
        )
        found = perturbed_epsilon(pairs, delta=delta)
    else:
        message = "this view needs noise on the coefficients, one posterior sample, "
        message += "or objective perturbation."
        raise ParameterError(message)
    return np.where(alone, np.inf, found)
