"""How well a fit went, and what may be wrong with it. CONFIDENTIAL, all of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from scipy.special import xlogy

from dpcore.arrays import FloatArray
from dpcore.errors import DataError
from dpcore.models.factor import row_blocks
from dpcore.models.glm import GlmFit, best_constant, linear, weighted_sum
from dpcore.models.glm_influence import Beginning, newton_steps
from dpcore.models.influence import UNIQUE_FROM
from dpcore.models.loss_functions import Logistic, Loss, Poisson
from dpcore.models.question import Fit
from dpcore.models.ridge import RidgeFit
from dpcore.privacy.halving import halved

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
        DataError: There is nobody, or a part of the table cannot be read.

    """
    if fit.people == 0:
        raise DataError(
            "nobody has a value of every column of the model: all coefficients are 0, "
            "and a release is nothing but noise."
        )
    found = list(fit.table.each(_Look.at(fit).part))
    slopes = np.sum([some.slopes for some in found], axis=0)
    gradient = slopes + fit.penalty.diagonal(len(fit.theta), fit.people) * fit.theta
    alike = min(some.least for some in found) == max(some.most for some in found)
    base = 0.0 if alike else _missed_by_constant(fit, found)
    left = math.fsum(some.missed for some in found)
    return Diagnostics(
        people=fit.people,
        condition=fit.factor.condition,
        largest_leverage=max(some.leverage for some in found),
        unique=sum(some.unique for some in found),
        gradient=float(np.linalg.norm(gradient)),
        separated=all(some.separated for some in found),
        found=fit.found,
        explained=1 - left / base if base > 0 else math.nan,
    )


class _PartSums(NamedTuple):
    """What is kept of some people. CONFIDENTIAL."""

    slopes: FloatArray
    """The gradient of their losses."""
    missed: float
    """Their losses, beyond the least that any predictions could have."""
    total: float
    """Their targets added up."""
    least: float
    most: float
    leverage: float
    """The largest one."""
    unique: int
    separated: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Look:
    """A look at the people of a part, with the fit of everybody. CONFIDENTIAL.

    Holds no rows: it goes to whoever reads the parts.
    """

    fit: Fit = field(repr=False)
    begun: Beginning | None = field(repr=False)
    """What the steps of a nonlinear fit have in common."""

    @classmethod
    def at(cls, fit: Fit) -> _Look:
        """Return a look at the people of a fit."""
        begun = None if fit.linear else Beginning.of(fit)
        bare = fit.seen_with(np.empty((0, fit.table.columns)), np.empty(0))
        return cls(fit=bare, begun=begun)

    def part(self, x: FloatArray, y: FloatArray) -> _PartSums:
        """Return what is kept of the people of a part."""
        fit = self.fit
        if fit.linear:
            missed = y - linear(x, fit.theta)
            leverages, slopes = _leverages(fit, x), -missed
            left, separated = float((missed**2).sum()), False
        else:
            seen = fit.seen_with(x, y)
            leverages = newton_steps(seen, begun=self.begun).leverages
            slopes = fit.loss.slope(seen.predictions, y)
            left = _missed(fit.loss, seen.predictions, y)
            told = (2 * y - 1) * seen.predictions > 0
            separated = isinstance(fit.loss, Logistic) and bool(told.all())
        return _PartSums(
            slopes=weighted_sum(x, slopes),
            missed=left,
            total=float(y.sum()),
            least=float(y.min(initial=math.inf)),
            most=float(y.max(initial=-math.inf)),
            leverage=float(leverages.max(initial=0.0)),
            unique=int(np.count_nonzero(leverages >= UNIQUE_FROM)),
            separated=separated,
        )


def _leverages(fit: RidgeFit, x: FloatArray) -> FloatArray:
    root = fit.with_penalty_of(fit.people - 1).factor.inverse_root
    leverages = np.empty(len(x))
    for rows in row_blocks(*x.shape):
        halves = x[rows] @ root
        leverages[rows] = np.einsum("ij,ij->i", halves, halves)
    return leverages


def _missed(loss: Loss, predictions: FloatArray, y: FloatArray) -> float:
    """Return losses, beyond the least that any predictions could have."""
    least = float((y - xlogy(y, y)).sum()) if isinstance(loss, Poisson) else 0.0
    return float(loss.value(predictions, y).sum()) - least


def _missed_by_constant(fit: Fit, found: Sequence[_PartSums]) -> float:
    """Return everybody's losses with the best constant prediction."""
    if fit.linear:
        mean = math.fsum(some.total for some in found) / fit.people
        return math.fsum(fit.table.each(partial(_scattered, mean)))
    low, high = min(some.least for some in found), max(some.most for some in found)
    constant = _best_constant(fit, low, high)
    return math.fsum(fit.table.each(partial(_missed_by, fit.loss, constant)))


def _scattered(mean: float, x: FloatArray, y: FloatArray) -> float:
    del x
    return float(((y - mean) ** 2).sum())


def _missed_by(loss: Loss, constant: float, x: FloatArray, y: FloatArray) -> float:
    return _missed(loss, np.full(len(x), constant), y)


def _slope_at(loss: Loss, at: float, x: FloatArray, y: FloatArray) -> float:
    return float(loss.slope(np.full(len(x), at), y).sum())


def _best_constant(fit: GlmFit, low: float, high: float) -> float:
    """Return a constant prediction that misses targets least.

    Huber's loss may have many, between the least and the largest target: it is flat
    between two groups of the same size that lie far apart. Any of them does, and
    bisection of the slope ends at one.
    """
    try:
        return best_constant(fit.table, fit.loss)
    except DataError:
        low, high = halved(
            lambda at: math.fsum(fit.table.each(partial(_slope_at, fit.loss, at))) > 0,
            low,
            high,
            times=_HALVINGS,
        )
        return (low + high) / 2
