"""The two laws of a released model for one person in the table. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.models.glm import GlmFit
from dpcore.models.objective_perturbation import PerturbedPairs
from dpcore.models.posterior_sampling import UNIQUE, PosteriorPairs
from dpcore.models.release_laws import NoisyFit, PerturbedObjective, SampledFit
from dpcore.models.removals import moves
from dpcore.studies.model_laws import PerturbedLaws, PosteriorLaws
from dpcore.studies.model_losses import as_released
from dpcore.studies.outlier import glm_shift
from dpcore.studies.person_laws import gaussian_laws

if TYPE_CHECKING:
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit
    from dpcore.studies.person_laws import PersonLaws


def laws_of_model(fit: RidgeFit | GlmFit, law: Law, person: int) -> PersonLaws:
    """Return the laws of a released model, with a person and without.

    Args:
        fit: The fit with everybody.
        law: How it is released.
        person: A position among the rows of the fit.

    Raises:
        DataError: There is no such person, or no fit without them.
        ParameterError: The two laws have no known form: an adaptive sample, noise of a
            shape that comes from the data or a perturbed objective for a nonlinear
            model, or a posterior sample under a penalty per person.

    """
    if not 0 <= person < fit.people:
        message = f"there are {fit.people} people; choose one of them."
        raise DataError(message)
    if isinstance(fit, GlmFit):
        if isinstance(law, NoisyFit) and law.metric.public:
            return gaussian_laws(
                float(np.sqrt(law.gamma)) * glm_shift(fit, law, person)
            )
        message = (
            "for this release of a nonlinear model the two laws have no closed form; "
            "choose noise of a public shape."
        )
        raise ParameterError(message)
    law = as_released(law)
    if isinstance(law, NoisyFit):
        moved = moves(fit, np.array([person]))
        if np.isnan(moved).any():
            raise _alone()
        shift = float(law.metric.lengths(moved, fit.factor)[0])
        return gaussian_laws(float(np.sqrt(law.gamma)) * shift)
    if fit.penalty.per_person:
        message = "this view needs a penalty of the sum of losses."
        raise ParameterError(message)
    x, y = fit.features[person], fit.target[person]
    solved = fit.factor.solve(x)
    leverage, residual = float(x @ solved), float(y - x @ fit.theta)
    if leverage >= 1 - UNIQUE:
        raise _alone()
    if isinstance(law, SampledFit):
        pairs = PosteriorPairs.of_members(
            leverage=[leverage], residual=[residual], gamma=law.gamma
        )
        return PosteriorLaws(
            leverage=float(pairs.leverage[0]),
            residual=float(pairs.residual[0]),
            samples=law.samples,
        )
    if isinstance(law, PerturbedObjective):
        perturbed = PerturbedPairs.of_members(
            leverage=[leverage],
            spread=[solved @ solved],
            square=[x @ x],
            residual=[residual],
            sigma=law.sigma,
        )
        return PerturbedLaws(pairs=perturbed)
    message = (
        "an adaptive sample is released in two steps, whose laws together have no "
        "closed form; choose a posterior sample."
    )
    raise ParameterError(message)


def _alone() -> DataError:
    message = "the model rests on this person's record alone: they are given away."
    return DataError(message)
