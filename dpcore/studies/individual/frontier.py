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

from dpcore.errors import DataError, ParameterError
from dpcore.models import posterior_profile
from dpcore.models.glm import GlmFit, fit_glm
from dpcore.models.glm_removals import newton_steps, step_shifts
from dpcore.models.metrics import ISOTROPIC, Shape
from dpcore.models.posterior_guarantees import worst_case
from dpcore.models.release_laws import NoisyFit, SampledFit
from dpcore.models.removals import removals
from dpcore.models.ridge import fit_ridge
from dpcore.privacy import gaussian
from dpcore.releases.model_guarantees import BOUNDS
from dpcore.studies.individual.model_accuracy import accuracy, noise_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.models.metrics import Metric
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit
    from dpcore.releases.model_request import ModelRequest

POINTS = 25
DECADES = 3
_PEOPLE = 2000
_TOP = 100


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

    def at(self, values: FloatArray) -> float:
        """Return one of the columns at the precision that the page is set to."""
        place = int(np.argmin(np.abs(np.log(self.gamma / self.here))))
        return float(values[place])


def frontier(request: ModelRequest, fit: RidgeFit | GlmFit) -> Frontier:
    """Return error and losses for precisions around that of ``request``.

    The mean loss is over at most 2,000 people, evenly spaced in the order of their
    losses; the largest is over the 100 who are exposed most by each cause.

    Raises:
        ParameterError: The release is neither noise of a public shape nor a single
            posterior sample: there is no fast way to everybody's loss.

    """
    law = _known(request.law)
    if law is None:
        message = (
            "the frontier is known for noise of a public shape and for one posterior "
            "sample; choose one of these."
        )
        raise ParameterError(message)
    gammas = law.gamma * np.geomspace(10.0**-DECADES, 10.0**DECADES, POINTS)
    before = accuracy(fit)
    pairs = _Pairs.of(fit, law)
    error, maximum, mean = (np.empty(POINTS) for _ in range(3))
    for place, gamma in enumerate(gammas.tolist()):
        losses = pairs.losses(gamma, request.delta)
        maximum[place] = losses.max()
        mean[place] = losses[: pairs.spread].mean()
        added = noise_error(replace(law, gamma=gamma), fit)
        error[place] = math.sqrt(before.total + added)
    return Frontier(
        gamma=gammas,
        error=error,
        guarantee=_guarantees(request, law, gammas),
        maximum=maximum,
        mean=mean,
        here=law.gamma,
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
    changed = replace(request, question=question, gamma=law.gamma)
    if isinstance(fit, GlmFit):
        return changed, fit_glm(x, y, loss=fit.loss, penalty=penalty)
    return changed, fit_ridge(x, y, penalty=penalty)


def _guarantees(
    request: ModelRequest, law: NoisyFit | SampledFit, gammas: FloatArray
) -> FloatArray:
    """Return the epsilon over all tables at each precision."""
    question = request.question
    strength = 0.0 if question.penalty.per_person else question.penalty.convexity(1)
    if isinstance(law, NoisyFit) or question.moves > 1 or strength == 0:
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


def _known(law: Law) -> NoisyFit | SampledFit | None:
    if isinstance(law, SampledFit):
        return law if law.samples == 1 else None
    if isinstance(law, NoisyFit) and law.metric.shape is not Shape.DEMOCRATIC:
        return law
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pairs:
    """What decides the losses of some people, the evenly spread ones first."""

    shift: FloatArray | None
    leverage: FloatArray
    residual: FloatArray
    spread: int

    @classmethod
    def of(cls, fit: RidgeFit | GlmFit, law: NoisyFit | SampledFit) -> _Pairs:
        fixed = isinstance(law, NoisyFit) and law.metric.public
        metric = law.metric if isinstance(law, NoisyFit) else ISOTROPIC
        if fixed:
            shift = _shifts(fit, metric)
            kept, spread = _chosen(shift, shift)
            empty = np.zeros(len(kept))
            return cls(shift=shift[kept], leverage=empty, residual=empty, spread=spread)
        if isinstance(fit, GlmFit):
            message = "only a linear model has a normal posterior."
            raise ParameterError(message)
        found = removals(fit)
        leverage, residual = found.outside_leverages, np.abs(found.residuals)
        if not (np.isfinite(leverage).all() and np.isfinite(residual).all()):
            message = "the fit does not exist without somebody: raise the penalty."
            raise DataError(message)
        pull = residual * np.sqrt(leverage)
        kept, spread = _chosen(pull, leverage, residual)
        return cls(
            shift=None, leverage=leverage[kept], residual=residual[kept], spread=spread
        )

    def losses(self, gamma: float, delta: float) -> FloatArray:
        """Return everybody's epsilon at a precision."""
        if self.shift is not None:
            return gaussian.epsilon_of(math.sqrt(gamma) * self.shift, delta)
        return posterior_profile.epsilon_of(
            self.leverage, math.sqrt(gamma) * self.residual, delta
        )


def _shifts(fit: RidgeFit | GlmFit, metric: Metric) -> FloatArray:
    if isinstance(fit, GlmFit):
        return step_shifts(fit, newton_steps(fit), metric)
    return removals(fit, metric).shifts


def _chosen(order: FloatArray, *causes: FloatArray) -> tuple[NDArray[np.intp], int]:
    """Return people evenly spread in an order, then the largest by it and each cause.

    The second number says how many are spread.
    """
    n = len(order)
    if n <= _PEOPLE:
        return np.arange(n), n
    ranks = np.argsort(order)
    even = ranks[((np.arange(_PEOPLE) + 0.5) * n / _PEOPLE).astype(np.intp)]
    tops = [np.argpartition(cause, n - _TOP)[n - _TOP :] for cause in (order, *causes)]
    return np.concatenate([even, *tops]), _PEOPLE
