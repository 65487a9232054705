"""How far the coefficients of a ridge fit lie from those without each person.

With ``h = x^T H^-1 x`` the leverage and ``r = y - x^T theta`` the residual, the fit
without a person leaves the residual ``e = r / (1 - h)``, and (Wang 2019, eq. 4; the
Sherman-Morrison formula)::

    theta - theta_-i = H^-1 x e
    |theta - theta_-i|_A = |e| sqrt(x^T H^-1 A H^-1 x)

A penalty per person shrinks with them. Then ``H_2`` and ``theta_2`` are those of all
rows under the smaller penalty, ``h`` and ``e`` belong to them, and::

    theta - theta_-i = (theta - theta_2) + H_2^-1 x e
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpcore.models.blocks import row_blocks
from dpcore.models.influence import UNIQUE_FROM, Influence
from dpcore.models.metrics import ISOTROPIC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.models.metrics import Metric
    from dpcore.models.ridge.fit import RidgeFit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Removals:
    """What happens to a fit when each person leaves. CONFIDENTIAL.

    Attributes:
        leverages: ``h`` of each person, shape ``(n,)``.
        residuals: ``e``, what the fit without the person misses the person's target by.
            NaN where that fit does not exist.
        shifts: Length of the move of the coefficients, shape ``(n,)``; infinite where
            the fit without the person does not exist.
        unique: Who alone determines a coefficient (``h >= 1 - 1e-10``).

    """

    leverages: FloatArray = field(repr=False)
    residuals: FloatArray = field(repr=False)
    shifts: FloatArray = field(repr=False)
    unique: NDArray[np.intp] = field(repr=False)

    @property
    def outside_leverages(self) -> FloatArray:
        """Return ``h / (1 - h) = x^T H_-i^-1 x``, shape ``(n,)``."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.leverages / np.maximum(1 - self.leverages, 0.0))


def removals(
    fit: RidgeFit, metric: Metric = ISOTROPIC, people: NDArray[np.intp] | None = None
) -> Removals:
    """Return everybody's leave-one-out shift, exact, in one pass over the rows.

    Or that of some ``people``.
    """
    if people is not None:
        return _removals(fit, metric, people)
    return fit.keep("removals", metric.name, lambda: _removals(fit, metric, None))


def influence(
    fit: RidgeFit, metric: Metric, people: NDArray[np.intp] | None = None
) -> Influence:
    """Return what everybody, or each of some ``people``, is to a linear fit."""
    found = removals(fit, metric, people)
    x = fit.features if people is None else fit.features[people]
    return Influence(
        leverage=found.leverages,
        residual=found.residuals,
        move=found.shifts,
        square=np.einsum("ij,ij->i", x, x),
        spread=np.broadcast_to(np.nan, len(x)),
    )


def _removals(fit: RidgeFit, metric: Metric, some: NDArray[np.intp] | None) -> Removals:
    rest = fit.with_penalty_of(fit.people - 1)
    people = np.arange(fit.people) if some is None else some
    leverages, errors, shifts = (np.empty(len(people)) for _ in range(3))
    offset = (fit.theta - rest.theta) @ metric.root(fit.factor).T
    tools = _Tools(
        theta=rest.theta,
        inverse_root=rest.factor.inverse_root,
        directions=metric.directions(fit.factor, rest.factor),
        offset=None if rest is fit else offset,
    )
    for part in row_blocks(len(people), fit.features.shape[1]):
        rows = part if some is None else some[part]
        found = _shift_rows(fit.features[rows], fit.target[rows], tools)
        leverages[part], errors[part], shifts[part] = found
    unique = np.flatnonzero(leverages >= UNIQUE_FROM)
    for place in unique:
        theta = fit.refit(people[[place]])
        if theta is None:
            errors[place], shifts[place] = np.nan, np.inf
            continue
        person = people[place]
        errors[place] = fit.target[person] - fit.features[person] @ theta
        shifts[place] = metric.lengths(fit.theta - theta, fit.factor)
    return Removals(leverages=leverages, residuals=errors, shifts=shifts, unique=unique)


def moves(fit: RidgeFit, people: NDArray[np.intp]) -> FloatArray:
    """Return ``theta - theta_-i`` of some people, shape ``(m, d)``.

    NaN where the fit without the person does not exist.
    """
    rest = fit.with_penalty_of(fit.people - 1)
    x = fit.features[people]
    halves = x @ rest.factor.inverse_root
    leverages = np.einsum("ij,ij->i", halves, halves)
    unique = leverages >= UNIQUE_FROM
    errors = (fit.target[people] - x @ rest.theta) / np.where(unique, 1, 1 - leverages)
    found = (fit.theta - rest.theta) + errors[:, np.newaxis] * rest.factor.solve(x.T).T
    for place in np.flatnonzero(unique):
        theta = fit.refit(people[[place]])
        found[place] = np.nan if theta is None else fit.theta - theta
    return np.asarray(found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tools:
    """What the pass over the rows multiplies them by."""

    theta: FloatArray
    inverse_root: FloatArray
    directions: FloatArray
    offset: FloatArray | None


def _shift_rows(
    x: FloatArray, y: FloatArray, tools: _Tools
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return leverages, leave-one-out residuals and lengths of the moves of rows."""
    halves = x @ tools.inverse_root
    leverages = np.einsum("ij,ij->i", halves, halves)
    kept = np.where(leverages >= UNIQUE_FROM, 1.0, 1 - leverages)
    errors = (y - x @ tools.theta) / kept
    steps = x @ tools.directions
    if tools.offset is None:
        lengths = np.abs(errors) * np.sqrt(np.einsum("ij,ij->i", steps, steps))
    else:
        steps *= errors[:, np.newaxis]
        steps += tools.offset
        lengths = np.sqrt(np.einsum("ij,ij->i", steps, steps))
    return leverages, errors, lengths
