"""Privacy against accuracy of a released model, over the size of its noise.

The error of a release has three causes: the targets are noisy themselves, the penalty
shrinks the coefficients, and noise is added for privacy. The first cannot be avoided:
without a penalty no unbiased estimate has less (Cramer and Rao). For the same noise
there are several losses: what the guarantee allows, what the most exposed person of
this table loses, and what the average person does. CONFIDENTIAL where the model was
fitted to a table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.models.adaptive_posterior import AdaptivePosterior
from dpcore.models.glm import GlmFit, fit_glm
from dpcore.models.metrics import Shape
from dpcore.models.posterior_guarantees import worst_case
from dpcore.models.release_laws import NoisyFit, PerturbedObjective, SampledFit
from dpcore.models.ridge import fit_ridge
from dpcore.releases.model_guarantees import BOUNDS, objective_epsilon
from dpcore.studies.individual.frontier_people import people_of
from dpcore.studies.individual.model_accuracy import accuracy, noise_error

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit
    from dpcore.releases.model_request import ModelRequest

_Law = NoisyFit | SampledFit | PerturbedObjective
POINTS = 25
DECADES = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frontier:
    """Error and losses over the size of the noise, shapes ``(points,)``. CONFIDENTIAL.

    Attributes:
        gamma: Precision of the release, ascending.
        error: Root of the mean squared error of all coefficients.
        guarantee: Epsilon over all tables; infinite where none is known.
        maximum: Epsilon of the most exposed person.
        mean: Epsilon of the average person.
        here: The precision that the page is set to.
        without_noise: The error without noise for privacy.
        cramer_rao: The least error of any unbiased estimate, or NaN.
        people: How many people the fit has.
        sampled: Of how many of them the mean is taken.

    """

    gamma: FloatArray = field(repr=False)
    error: FloatArray = field(repr=False)
    guarantee: FloatArray = field(repr=False)
    maximum: FloatArray = field(repr=False)
    mean: FloatArray = field(repr=False)
    here: float
    without_noise: float = field(repr=False)
    cramer_rao: float = field(repr=False)
    people: int
    sampled: int

    def at(self, values: FloatArray) -> float:
        """Return one of the columns at the precision that the page is set to."""
        place = int(np.argmin(np.abs(np.log(self.gamma / self.here))))
        return float(values[place])


def frontier(request: ModelRequest, fit: RidgeFit | GlmFit) -> Frontier:
    """Return error and losses for precisions around that of ``request``.

    The mean loss is over at most 2,000 people, evenly spaced in the order of their
    losses; the largest is over the 100 who are exposed most by each cause.

    Raises:
        DataError: There is no fit without somebody.
        ParameterError: It is an adaptive sample: there is no fast way to everybody's
            loss.

    """
    law = _known(request.law)
    if law is None:
        message = "the frontier of an adaptive sample is not known; choose another "
        message += "release."
        raise ParameterError(message)
    here = _precision(law)
    gammas = here * np.geomspace(10.0**-DECADES, 10.0**DECADES, POINTS)
    before = accuracy(fit)
    some = people_of(fit, law)
    losses = some.losses(gammas, request.delta)
    added = [noise_error(_at(law, gamma), fit) for gamma in gammas.tolist()]
    return Frontier(
        gamma=gammas,
        error=np.sqrt(before.total + np.array(added)),
        guarantee=_guarantees(request, law, gammas),
        maximum=losses.max(axis=1),
        mean=losses[:, : some.spread].mean(axis=1),
        here=here,
        sampled=some.spread,
        without_noise=math.sqrt(before.total),
        cramer_rao=math.sqrt(before.cramer_rao),
        people=fit.people,
    )


def varied(
    request: ModelRequest,
    fit: RidgeFit | GlmFit,
    *,
    strength: float,
    people: int,
    rng: np.random.Generator,
) -> tuple[ModelRequest, RidgeFit | GlmFit]:
    """Return the same release with another penalty, of some people drawn at random.

    Its precision stays. The number of people counts as public, as the question has it.

    Raises:
        DataError: No single fit exists.
        ParameterError: The penalty or the number of people lies outside its domain.

    """
    if not 1 <= people <= fit.people:
        message = f"the number of people must lie in [1, {fit.people}], got {people}."
        raise ParameterError(message)
    law = _known(request.law)
    if law is None:
        message = "the precision of this release cannot be kept."
        raise ParameterError(message)
    share = people / fit.people
    penalty = replace(fit.penalty, strength=strength)
    question = replace(
        request.question,
        penalty=penalty,
        most_people=max(1, math.ceil(share * request.question.most_people)),
    )
    x, y = fit.features, fit.target
    if people < fit.people:
        kept = np.sort(rng.choice(fit.people, size=people, replace=False))
        x, y = x[kept], y[kept]
    changed = replace(request, question=question, gamma=_precision(law))
    if isinstance(fit, GlmFit):
        return changed, fit_glm(x, y, loss=fit.loss, penalty=penalty)
    return changed, fit_ridge(x, y, penalty=penalty)


def _guarantees(request: ModelRequest, law: _Law, gammas: FloatArray) -> FloatArray:
    """Return the epsilon over all tables at each precision."""
    question = request.question
    strength = 0.0 if question.penalty.per_person else question.penalty.convexity(1)
    if isinstance(law, PerturbedObjective):
        if question.model not in request.entry.guaranteed:
            return np.full(len(gammas), math.inf)
        sigmas = (1 / np.sqrt(gammas)).tolist()
        return np.array(
            [objective_epsilon(question, sigma, request.delta) for sigma in sigmas]
        )
    several = isinstance(law, SampledFit) and law.samples > 1
    if isinstance(law, NoisyFit) or several or question.moves > 1 or strength == 0:
        return np.array(
            [replace(request, gamma=gamma).guarantee for gamma in gammas.tolist()]
        )
    # The same as ``guarantee``, for all precisions at once.
    return worst_case(
        gamma=gammas,
        delta=request.delta,
        penalty=strength,
        people=question.most_people,
        bounds=BOUNDS,
        proved=True,
    )


def drawable(law: Law) -> bool:
    """Tell whether the frontier of a release is known."""
    return _known(law) is not None


def _known(law: Law) -> NoisyFit | SampledFit | PerturbedObjective | None:
    if isinstance(law, NoisyFit) and law.metric.shape is Shape.DEMOCRATIC:
        return PerturbedObjective(sigma=law.noise)
    return None if isinstance(law, AdaptivePosterior) else law


def _at(law: _Law, gamma: float) -> _Law:
    """Return the law at another precision."""
    if isinstance(law, PerturbedObjective):
        return PerturbedObjective(sigma=1 / math.sqrt(gamma))
    return replace(law, gamma=gamma)


def _precision(law: _Law) -> float:
    return law.noise**-2
