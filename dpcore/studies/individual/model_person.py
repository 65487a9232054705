"""The two laws of a released model for one person in the table. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.models.glm import GlmFit
from dpcore.models.group_posterior import group_pairs
from dpcore.models.objective_perturbation import PerturbedPairs
from dpcore.models.posterior_sampling import UNIQUE, PosteriorPairs
from dpcore.models.release_laws import NoisyFit, PerturbedObjective, SampledFit
from dpcore.models.removals import moves
from dpcore.studies.individual.model_laws import PerturbedLaws, PosteriorLaws
from dpcore.studies.individual.model_losses import as_released, metric_of
from dpcore.studies.individual.outlier import glm_shift
from dpcore.studies.individual.person_laws import gaussian_laws
from dpcore.studies.individual.ridge_moves import state_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit
    from dpcore.studies.individual.person_laws import PersonLaws


def laws_of_model(
    fit: RidgeFit | GlmFit, law: Law, person: int, *, rows: int = 1
) -> PersonLaws:
    """Return the laws of a released model, with a person and without.

    Args:
        fit: The fit with everybody.
        law: How it is released.
        person: A position among the rows of the fit.
        rows: How many rows one unit may own, all like this one.

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
        return _of_nonlinear(fit, law, person, rows)
    law = as_released(law)
    if isinstance(law, NoisyFit) and rows == 1:
        moved = moves(fit, np.array([person]))
        if np.isnan(moved).any():
            raise _alone()
        shift = float(law.metric.lengths(moved, fit.factor)[0])
        return gaussian_laws(float(np.sqrt(law.gamma)) * shift)
    if fit.penalty.per_person:
        message = "this view needs a penalty of the sum of losses."
        raise ParameterError(message)
    state = state_of(fit, metric_of(law), np.array([person])).owned(rows)
    if state.leverage[0] >= 1 - UNIQUE:
        raise _alone()
    if isinstance(law, NoisyFit):
        left = 1 - state.leverage[0]
        shift = float(abs(state.residual[0]) / left * np.sqrt(state.length[0]))
        return gaussian_laws(float(np.sqrt(law.gamma)) * shift)
    if isinstance(law, SampledFit):
        pairs = PosteriorPairs.of_members(
            leverage=state.leverage, residual=state.residual, gamma=law.gamma
        )
        return PosteriorLaws(
            leverage=float(pairs.leverage[0]),
            residual=float(pairs.residual[0]),
            samples=law.samples,
        )
    if isinstance(law, PerturbedObjective):
        perturbed = PerturbedPairs.of_members(
            leverage=state.leverage,
            spread=state.length,
            square=state.square,
            residual=state.residual,
            sigma=law.sigma,
        )
        return PerturbedLaws(pairs=perturbed)
    message = (
        "an adaptive sample is released in two steps, whose laws together have no "
        "closed form; choose a posterior sample."
    )
    raise ParameterError(message)


def laws_of_shift(law: Law, length: float) -> PersonLaws:
    """Return the laws of coefficients that move by so much, in the norm of the noise.

    Raises:
        DataError: There is no fit without what makes them move.
        ParameterError: The noise does not have a public shape.

    """
    if not (isinstance(law, NoisyFit) and law.metric.public):
        message = "this view needs noise of a public shape on the coefficients."
        raise ParameterError(message)
    if not np.isfinite(length):
        raise _alone()
    return gaussian_laws(float(np.sqrt(law.gamma)) * length)


def laws_of_unit(
    fit: RidgeFit | GlmFit, law: Law, codes: NDArray[np.intp], person: int
) -> PersonLaws:
    """Return the laws of posterior samples, with all rows of a unit and without them.

    Args:
        fit: The fit with everybody.
        law: How it is released.
        codes: Everybody's unit, from 0, shape ``(n,)``.
        person: A position among the rows of the fit, any of the unit's.

    Raises:
        DataError: There is no fit without the unit.
        ParameterError: The two laws have no known form: other releases, or a unit whose
            rows differ.

    """
    law = as_released(law)
    if isinstance(fit, GlmFit) or not isinstance(law, SampledFit):
        message = "the rows of a unit leave together here for posterior samples only."
        raise ParameterError(message)
    unit = group_pairs(fit, (codes != codes[person]).astype(np.intp))
    if not unit.alike[0]:
        message = (
            "the rows of this unit differ, so that no single number says what a sample "
            "tells about it; its loss above is an upper bound."
        )
        raise ParameterError(message)
    if unit.leverage[0, 0] >= 1 - UNIQUE:
        raise _alone()
    pairs = PosteriorPairs.of_members(
        leverage=unit.leverage[0, :1], residual=unit.residual[0, :1], gamma=law.gamma
    )
    return PosteriorLaws(
        leverage=float(pairs.leverage[0]),
        residual=float(pairs.residual[0]),
        samples=law.samples,
    )


def evidence_of_release(
    fit: RidgeFit, law: Law, person: int, released: FloatArray
) -> float:
    """Return ``log Q - log P`` of released coefficients of a linear model.

    ``P`` is the law without the person, ``Q`` that with them; the size of the result
    is the loss that this release really caused (Redberg and Wang 2021, definition 3).

    Args:
        fit: The fit with everybody.
        law: How it was released.
        person: A position among the rows of the fit.
        released: One row of coefficients for each sample, shape ``(T, d)``.

    Raises:
        DataError: There is no fit without the person.
        ParameterError: The law has no density of this kind (an adaptive sample).

    """
    law = as_released(law)
    theta = np.atleast_2d(np.asarray(released, dtype=np.float64))
    x, y = fit.features[person], float(fit.target[person])
    solved = fit.factor.solve(x)
    leverage = float(x @ solved)
    if leverage >= 1 - UNIQUE:
        raise _alone()
    left = 1 - leverage
    # Without the person: the residual e, and H_-^-1 x e = H^-1 x e.
    error = float(y - x @ fit.theta) / left
    if isinstance(law, NoisyFit):
        without = fit.theta - moves(fit, np.array([person]))[0]
        present, absent = (
            law.metric.lengths(theta - center, fit.factor) ** 2
            for center in (fit.theta, without)
        )
        return float((law.gamma * (absent - present) / 2).sum())
    missed = y - theta @ x
    if isinstance(law, SampledFit):
        grown = -np.log1p(-leverage) + law.gamma * error * error * left
        return float(((grown - law.gamma * missed**2) / 2).sum())
    if isinstance(law, PerturbedObjective):
        # The perturbation that makes this the minimum without the person.
        without = fit.theta - solved * error
        away = without - theta
        pull = away @ fit.factor.hessian @ x - (away @ x) * (x @ x)
        loss = np.log1p(-leverage) + (2 * missed * pull + (x @ x) * missed**2) / (
            2 * law.sigma**2
        )
        return float(-loss.sum())
    message = "the loss of an adaptive sample is not known in closed form."
    raise ParameterError(message)


def _of_nonlinear(fit: GlmFit, law: Law, person: int, rows: int) -> PersonLaws:
    if isinstance(law, NoisyFit) and law.metric.public:
        shift = glm_shift(fit, law, person, rows=rows)
        return gaussian_laws(float(np.sqrt(law.gamma)) * shift)
    message = (
        "for this release of a nonlinear model the two laws have no closed form; "
        "choose noise of a public shape."
    )
    raise ParameterError(message)


def _alone() -> DataError:
    message = "the model rests on this person's record alone: they are given away."
    return DataError(message)
