"""Total variation of the two laws of some people, where it takes time. CONFIDENTIAL.

For several posterior samples and perturbed objectives it is an integral for each
person, so that it is taken for people drawn at random. For a perturbed nonlinear model
an upper bound follows from everybody's loss.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.models import repeated_posterior
from dpcore.models.glm import GlmFit
from dpcore.models.metrics import Shape
from dpcore.models.objective_perturbation import PerturbedPairs
from dpcore.models.posterior_sampling import UNIQUE
from dpcore.models.release_laws import NoisyFit, PerturbedObjective, SampledFit
from dpcore.models.removals import UNIQUE_FROM

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit

MOST: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variation:
    """Total variations of some people. CONFIDENTIAL.

    Attributes:
        variation: Of each of them, in [0, 1].
        people: How many people there are in all.
        exact: Whether it is exact rather than an upper bound.

    """

    variation: FloatArray = field(repr=False)
    people: int
    exact: bool = True

    @property
    def sampled(self) -> bool:
        """Return whether they were drawn at random from more people."""
        return len(self.variation) < self.people


def sampled_variation(
    law: Law,
    fit: RidgeFit | GlmFit,
    *,
    leverage: FloatArray,
    residual: FloatArray,
    epsilon: FloatArray,
    delta: float,
    rng: np.random.Generator,
) -> Variation | None:
    """Return total variations of at most 2,000 people; ``None`` where none is known.

    Args:
        law: How the model is released.
        fit: The model.
        leverage: ``x' H^-1 x`` with each person, shape ``(n,)``.
        residual: What the fit without the person misses, shape ``(n,)``.
        epsilon: Everybody's loss, shape ``(n,)``.
        delta: What goes with the losses.
        rng: Draws the people.

    """
    if isinstance(law, NoisyFit) and law.metric.shape is Shape.DEMOCRATIC:
        law = PerturbedObjective(sigma=law.noise)
    if isinstance(fit, GlmFit):
        if not isinstance(law, PerturbedObjective):
            return None
        variation = variation_bound(epsilon, delta)
        return Variation(variation=variation, people=fit.people, exact=False)
    people = np.arange(fit.people)
    if fit.people > MOST:
        people = np.sort(rng.choice(fit.people, size=MOST, replace=False))
    h, e = leverage[people], np.abs(residual[people])
    usual = (h < min(UNIQUE_FROM, 1 - UNIQUE)) & np.isfinite(e) & (h > 0)
    # Who has no leverage tells nothing, and who determines a coefficient everything.
    variation = np.where(h > 0, 1.0, 0.0)
    m, e = h[usual] / (1 - h[usual]), e[usual]
    if isinstance(law, SampledFit):
        variation[usual] = repeated_posterior.delta_of(
            m, e / law.noise, 0.0, samples=law.samples
        )
    elif isinstance(law, PerturbedObjective):
        x = fit.features[people[usual]]
        solved = fit.factor.solve(x.T).T
        variation[usual] = PerturbedPairs(
            leverage=m,
            spread=np.einsum("ij,ij->i", solved, solved) * (1 + m) ** 2,
            square=np.einsum("ij,ij->i", x, x),
            residual=e,
            sigma=law.sigma,
        ).delta(0.0)
    else:
        return None
    return Variation(variation=variation, people=fit.people)


def variation_bound(epsilon: FloatArray, delta: float) -> FloatArray:
    """Return the largest total variation that an (epsilon, delta) pair can have.

    ``1 - 2 (1 - delta)/(1 + e^epsilon)``.

    >>> variation_bound(np.array([0.0, np.inf]), 0.0).tolist()
    [0.0, 1.0]
    """
    with np.errstate(over="ignore"):
        return np.asarray(1 - 2 * (1 - delta) / (1 + np.exp(epsilon)))
