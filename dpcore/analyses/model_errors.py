"""What a released model will be off by, from public numbers, and the usual penalty.

Two errors go against each other. A larger penalty pulls the coefficients away from
those of the plain fit, and lets one person move them less, so that less noise is
needed. Both are measured in the same way: by how far they move predictions, as the root
of the mean square over people whose rows are at most 1 long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from dpcore.analyses.model import ModelPlan
from dpcore.formatting import percent
from dpcore.models import guarantees
from dpcore.models.loss_functions import Logistic, ModelKind
from dpcore.models.metrics import ISOTROPIC
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from dpcore.models.shrinkage import moved_predictions, taken
from dpcore.privacy import gaussian

_SPREADS: Final = (1.0, 0.5, 0.1)
_EVEN_ODDS: Final = 0.25
_LONGEST_ODDS: Final = 4.0
"""Log odds of 98 in 100: what a plain logistic model may predict at most."""
_LEAST: Final = 1e-6
_HALVINGS: Final = 60
_EVENLY: Final = 1 / math.sqrt(3)
"""Root mean square of numbers spread evenly from -1 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelErrors:
    """What noise and penalty do to a model, at most. PUBLIC.

    Attributes:
        noise: How far the noise for privacy moves predictions, as a deviation; ``None``
            where it is not public.
        penalty: How far the penalty moves predictions, if those of the plain fit stay
            within ``reach``. For a linear model a bound, for others about that.
        reach: How far predictions of the plain fit may lie from 0, on the scale of the
            model.
        least: The share of every coefficient that the penalty takes at least, whatever
            the table is.

    """

    noise: float | None
    penalty: float
    reach: float
    least: float

    @property
    def mostly_noise(self) -> bool:
        """Return whether two deviations of the noise span all that may be predicted."""
        return self.noise is not None and 2 * self.noise >= self.reach


def errors_of(plan: ModelPlan) -> ModelErrors:
    """Return what noise and penalty will do, before anything is released. PUBLIC."""
    question = plan.question
    return ModelErrors(
        noise=plan.prediction_noise,
        penalty=_moved(question),
        reach=reach(question),
        least=taken(
            question.penalty.convexity(question.most_people),
            question.most_people * curvature(question),
        ),
    )


def taken_of_spread(question: ModelQuestion, spread: float) -> float:
    """Return the share of a coefficient that the penalty takes, by the column's spread.

    Of a column whose values are spread evenly over a part ``spread`` of its bounds, and
    lie on both sides of their middle: rows are divided by the root of the number of
    coefficients ``d``, so that ``h = n c (spread/sqrt(3))^2 / d``. To first order, and
    as if it were the only column. PUBLIC.
    """
    information = question.most_people * curvature(question)
    information *= (spread * _EVENLY) ** 2 / len(question.labels)
    return taken(question.penalty.convexity(question.most_people), information)


def shrinkage_text(question: ModelQuestion) -> str:
    """Return what share of a coefficient the penalty takes, by its column's spread. PUBLIC.

    Only the length of all coefficients together is certain to fall.
    """
    full, half, tenth = (percent(taken_of_spread(question, part)) for part in _SPREADS)
    return (
        f"by about {full} where values fill their bounds, {half} where they fill half, "
        f"{tenth} where a tenth. With several columns, one can also grow"
    )


def reach(question: ModelQuestion) -> float:
    """Return how far from 0 a plain fit may predict, on the scale of the model.

    A number stays within its bounds, a chance between 2 and 98 in 100, and a count
    below its upper bound.
    """
    bounds = question.design.target.bounds
    if question.model is ModelKind.LOGISTIC:
        return _LONGEST_ODDS
    if question.model is ModelKind.POISSON and bounds is not None:
        return max(math.log(max(bounds.upper, 1.0)), 1.0)
    return 1.0


def curvature(question: ModelQuestion) -> float:
    """Return the curvature of a loss: the largest one, of a count at a count of 1."""
    return _EVEN_ODDS if isinstance(question.loss, Logistic) else 1.0


def balanced_penalty(question: ModelQuestion, *, epsilon: float, delta: float) -> float:
    """Return the penalty that moves predictions as far as the noise, to 2 digits.

    For noise on the coefficients; other releases need about as much noise. Where no
    noise is known to be enough, twice the root of the number of people. PUBLIC.
    """
    people = question.most_people

    def excess(strength: float) -> float:
        tried = replace(question, penalty=Penalty(strength=strength))
        shift = guarantees.max_influence(tried, ISOTROPIC)
        return shift / gaussian.mu_for(epsilon, delta) - _moved(tried)

    low = max(_LEAST, 2 * guarantees.FAINTEST * people)
    high = 1e9
    if question.model is ModelKind.POISSON or not excess(high) < 0:
        return _rounded(2 * math.sqrt(people))
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return _rounded(high)


def _moved(question: ModelQuestion) -> float:
    return moved_predictions(
        question.penalty.convexity(question.most_people),
        question.most_people,
        length=reach(question),
        curvature=curvature(question),
    )


def _rounded(strength: float) -> float:
    return float(f"{strength:.2g}")
