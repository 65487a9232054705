"""How well a fit went, and what may be wrong with it. CONFIDENTIAL, all of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import xlogy

from dpcore.errors import DataError
from dpcore.models.glm.fit import fit_glm, weighted_sum
from dpcore.models.glm.removals import newton_steps
from dpcore.models.influence import UNIQUE_FROM
from dpcore.models.losses import Logistic, Poisson
from dpcore.models.penalty import Penalty
from dpcore.models.ridge.removals import removals
from dpcore.privacy.halving import halved

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray
    from dpcore.models.fits import Fit
    from dpcore.models.glm.fit import GlmFit

_HALVINGS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Diagnostics:
    """How well a fit went. CONFIDENTIAL."""

    people: int = field(repr=False)
    """How many people are behind it."""
    condition: float = field(repr=False)
    """Condition number of the Hessian, columns scaled to length 1: from about 1e10 on
    the rows hardly determine the coefficients.
    """
    largest_leverage: float = field(repr=False)
    """Largest share of a prediction that the person's own record makes."""
    unique: int = field(repr=False)
    """How many people alone determine a coefficient."""
    gradient: float = field(repr=False)
    """Length of the gradient that is left where the search ended."""
    separated: bool = field(repr=False)
    """Whether every yes is told from every no without error, so that only the penalty
    keeps the coefficients finite.
    """
    found: bool = field(repr=False)
    """Whether the search ended at the minimum."""
    explained: float = field(repr=False)
    """Share of the losses of a constant prediction that the model removes: R squared
    for a linear model, the share of the deviance for others; NaN where everybody has
    the same target.
    """


def diagnose(fit: Fit) -> Diagnostics:
    """Return how well a fit went, in a few passes over the rows.

    Raises:
        DataError: There is nobody.

    """
    if fit.people == 0:
        message = (
            "nobody has a value of every column of the model: all coefficients are 0, "
            "and a release is nothing but noise."
        )
        raise DataError(message)
    if not fit.linear:
        leverages = newton_steps(fit).leverages
        slopes = fit.loss.slope(fit.predictions, fit.target)
        explained = _deviance_explained(fit)
    else:
        leverages, slopes = removals(fit).leverage, -fit.residuals
        scatter = float(((fit.target - fit.target.mean()) ** 2).sum())
        left = float((fit.residuals**2).sum())
        explained = 1 - left / scatter if scatter > 0 else math.nan
    diagonal = fit.penalty.diagonal(len(fit.theta), fit.people)
    gradient = weighted_sum(fit.features, slopes) + diagonal * fit.theta
    return Diagnostics(
        people=fit.people,
        condition=fit.factor.condition,
        largest_leverage=float(leverages.max()),
        unique=int(np.count_nonzero(leverages >= UNIQUE_FROM)),
        gradient=float(np.linalg.norm(gradient)),
        separated=_separated(fit),
        found=fit.found,
        explained=explained,
    )


def _separated(fit: Fit) -> bool:
    if fit.linear or not isinstance(fit.loss, Logistic):
        return False
    return bool(((2 * fit.target - 1) * fit.predictions > 0).all())


def _deviance_explained(fit: GlmFit) -> float:
    """Return which share of a constant prediction's losses is gone."""
    y = fit.target
    if y.min() == y.max():
        return math.nan
    least = _least(fit, y)
    constant = np.full(len(y), _best_constant(fit, y))
    base = float(fit.loss.value(constant, y).sum()) - least
    left = float(fit.loss.value(fit.predictions, y).sum()) - least
    return 1 - left / base if base > 0 else math.nan


def _best_constant(fit: GlmFit, y: FloatArray) -> float:
    """Return a constant prediction that misses targets least.

    Huber's loss may have many: it is flat between two groups of the same size that lie
    far apart. Any of them does, and bisection of the slope ends at one.
    """
    try:
        found = fit_glm(
            np.ones((len(y), 1)), y, loss=fit.loss, penalty=Penalty(strength=0.0)
        )
    except DataError:
        low, high = halved(
            lambda at: float(fit.loss.slope(np.full(len(y), at), y).sum()) > 0,
            float(y.min()),
            float(y.max()),
            times=_HALVINGS,
        )
        return (low + high) / 2
    return float(found.theta[0])


def _least(fit: GlmFit, y: FloatArray) -> float:
    """Return the sum of the least losses that any predictions could have."""
    return float((y - xlogy(y, y)).sum()) if isinstance(fit.loss, Poisson) else 0.0
