"""Privacy against accuracy of a released model, over the size of its noise.

The error of a release has three causes: the targets are noisy themselves, the penalty
shrinks the coefficients, and noise is added for privacy. They are told apart against
the fit without a penalty, which stands in for the truth and does not change with any
setting. The first cannot be avoided: no unbiased estimate has less (Cramer and Rao).
For the same noise there are several losses: what the guarantee allows, what the most
exposed person of this table loses, and what the average person does. CONFIDENTIAL where
the model was fitted to a table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from dpcore.analyses.model import ModelRequest
from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.models.glm_influence import Audit
from dpcore.models.influence import Influence
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.question import Fit
from dpcore.models.shrinkage import plain_fit

POINTS, DECADES = 25, 3
MOST, _TOP = 2000, 100
"""How many people the mean loss is taken over, and how many by each cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitAccuracy:
    """The mean squared error of fitted coefficients, before noise for privacy.

    The fit without a penalty stands in for the true coefficients.
    """

    variance: float
    """What the noise of the targets leaves."""
    shrinkage: float
    """What the penalty takes away."""
    cramer_rao: float
    """The least variance of any unbiased estimate, which no penalty changes; NaN where
    the model is no likelihood.
    """

    @property
    def total(self) -> float:
        """Return variance and shrinkage together."""
        return self.variance + self.shrinkage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frontier:
    """Error and losses over the size of the noise, each ``(points,)``. CONFIDENTIAL."""

    gamma: FloatArray = field(repr=False)
    """Precision of the release, ascending."""
    error: FloatArray = field(repr=False)
    """Root of the mean squared error of all coefficients; of noise alone where there is
    no fit without a penalty to compare with.
    """
    noise: FloatArray = field(repr=False)
    """The part of it that the noise for privacy makes."""
    guarantee: FloatArray = field(repr=False)
    """Epsilon over all tables; infinite where none is known."""
    maximum: FloatArray = field(repr=False)
    """Epsilon of the most exposed person."""
    mean: FloatArray = field(repr=False)
    """Epsilon of the average person."""
    here: float
    """The precision that the page is set to."""
    penalty: float = field(repr=False)
    """The part of the error that the penalty makes, or NaN."""
    targets: float = field(repr=False)
    """The part that the scatter of the targets leaves, or NaN."""
    cramer_rao: float = field(repr=False)
    """The least error of any unbiased estimate, or NaN."""
    people: int
    """How many people the fit has."""
    sampled: int
    """Of how many of them the mean is taken."""

    @property
    def without_noise(self) -> float:
        """Return the error without noise for privacy, or NaN."""
        return math.hypot(self.penalty, self.targets)

    def at(self, values: FloatArray) -> float:
        """Return one of the columns at the precision that the page is set to."""
        place = int(np.argmin(np.abs(np.log(self.gamma / self.here))))
        return float(values[place])


def accuracy(fit: Fit, plain: Fit) -> FitAccuracy:
    """Return the error of a fit that is due to the targets, and to the penalty.

    The variance is ``tr(H^-1 K H^-1)``, where ``K`` is the variance of the gradient:
    ``sigma^2 X'X`` for a linear model with ``sigma^2`` estimated from the residuals of
    ``plain``, the Hessian of ``plain`` for logistic and Poisson regression, and the sum
    of its squared gradients for Huber's. The shrinkage is ``|theta - plain|^2``. For a
    linear, logistic or Poisson model that is the bias exactly if ``plain`` is true: its
    gradient vanishes, so that fitting its expected targets in the place of the targets
    gives the same ``theta``.
    """
    inverse = fit.factor.solve(np.eye(len(fit.theta)))
    shrunk = fit.theta - plain.theta
    return FitAccuracy(
        variance=float(np.trace(inverse @ plain.gradient_variance @ inverse)),
        shrinkage=float(shrunk @ shrunk),
        cramer_rao=plain.cramer_rao,
    )


def frontier(request: ModelRequest, fit: Fit) -> Frontier:
    """Return error and losses for precisions around that of ``request``.

    The mean loss is over at most 2,000 people, evenly spaced in the order of their
    losses; the largest is over the 100 who are exposed most by each cause.

    Raises:
        DataError: There is no fit without somebody.
        ParameterError: It is an adaptive sample: there is no fast way to everybody's
            loss.

    """
    here = request.law.precision
    if here is None:
        message = "the frontier of an adaptive sample is not known; choose another "
        message += "release."
        raise ParameterError(message)
    law = request.law.for_fit(fit)
    gammas = here * np.geomspace(10.0**-DECADES, 10.0**DECADES, POINTS)
    before = _before(fit)
    some, spread = _chosen(law, fit)
    losses = law.losses_at(some, gammas, delta=request.delta)
    noise = np.array([law.at(gamma).error(fit) for gamma in gammas.tolist()])
    guarantee = np.full(len(gammas), math.inf)
    if request.question.model in request.entry.guaranteed:
        guarantee = request.law.guarantees(request.question, gammas, delta=request.delta)
    rest = 0.0 if math.isnan(before.total) else before.total
    return Frontier(
        gamma=gammas,
        error=np.sqrt(rest + noise),
        noise=np.sqrt(noise),
        guarantee=guarantee,
        maximum=losses.max(axis=1),
        mean=losses[:, :spread].mean(axis=1),
        here=here,
        sampled=spread,
        penalty=math.sqrt(before.shrinkage),
        targets=math.sqrt(before.variance),
        cramer_rao=math.sqrt(before.cramer_rao),
        people=fit.people,
    )


def varied(
    request: ModelRequest, fit: Fit, *, strength: float, people: int, rng: np.random.Generator
) -> tuple[ModelRequest, Fit]:
    """Return the same release with another penalty, of some people drawn at random.

    Its precision stays. The number of people counts as public, as the question has it.

    Raises:
        DataError: No single fit exists.
        ParameterError: The penalty or the number of people lies outside its domain.

    """
    if not 1 <= people <= fit.people:
        raise ParameterError(f"the number of people must lie in [1, {fit.people}], got {people}.")
    precision = request.law.precision
    if precision is None:
        raise ParameterError("the precision of this release cannot be kept.")
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
    changed = replace(request, question=question, gamma=precision)
    return changed, fit.again(x, y, penalty)


def _before(fit: Fit) -> FitAccuracy:
    """Return the error before noise; all NaN where it cannot be told."""
    plain = plain_fit(fit)
    if plain is None:
        return FitAccuracy(variance=math.nan, shrinkage=math.nan, cramer_rao=math.nan)
    return accuracy(fit, plain)


def _chosen(law: ModelMechanism, fit: Fit) -> tuple[Influence, int]:
    """Return some people behind a fit, the evenly spread ones first, and how many.

    Raises:
        DataError: There is no fit without somebody.

    """
    audited = None
    if not fit.linear:
        # After one Newton step, not audited.
        audited = Audit.of(fit, law.metric, rng=np.random.default_rng(0)).result([])
    everybody = law.influence(fit, audited=audited)
    order, *causes = law.causes(everybody)
    if not (law.public or all(np.isfinite(cause).all() for cause in causes)):
        raise DataError("the fit does not exist without somebody: raise the penalty.")
    n = len(order)
    if n <= MOST:
        return everybody, n
    ranks = np.argsort(order)
    even = ranks[((np.arange(MOST) + 0.5) * n / MOST).astype(np.intp)]
    tops = [np.argpartition(cause, n - _TOP)[n - _TOP :] for cause in (order, *causes)]
    return everybody.of(np.concatenate([even, *tops])), MOST
