"""What each person is to a nonlinear fit, by an audit or by fits without them.

Leverages and residuals are those of single rows, the residuals those of the mean after
one Newton step; moves are those of all rows of a unit.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.models.influence import UNIQUE_FROM, Influence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.models.glm.audit import AuditedRemovals
    from dpcore.models.glm.fit import GlmFit
    from dpcore.models.metrics import Metric


def audited_influence(
    fit: GlmFit, found: AuditedRemovals, metric: Metric, *, rows: int = 1
) -> Influence:
    """Return what everybody is to the fit, by audited moves in a norm.

    Raises:
        ParameterError: The moves are those of other units.

    """
    if found.copies != rows:
        message = f"the moves are those of {found.copies} rows a unit, not of {rows}."
        raise ParameterError(message)
    everybody = np.arange(fit.people)
    here = _influence(fit, everybody, found.leverages, found.shifts, metric, rows)
    # Once chord steps replaced single ones, what is left is their error.
    chord, step = found.chord_error, found.one_step_error
    return replace(here, error=step if math.isnan(chord) else chord)


def refitted_influence(
    fit: GlmFit, people: NDArray[np.intp], metric: Metric, *, rows: int = 1
) -> Influence:
    """Return what some people are to the fit, each left out of a fit of its own."""
    x = fit.features[people]
    halves = x @ fit.factor.inverse_root
    leverages = fit.loss.curvature(x @ fit.theta, fit.target[people])
    leverages = leverages * np.einsum("ij,ij->i", halves, halves)
    moves = np.full(len(people), np.inf)
    for place, person in enumerate(people.tolist()):
        theta = fit.refit(person, fit.theta, copies=rows)
        if theta is not None:
            moves[place] = metric.lengths(fit.theta - theta, fit.factor)
    return _influence(fit, people, leverages, moves, metric, rows)


def _influence(
    fit: GlmFit,
    people: NDArray[np.intp],
    leverages: FloatArray,
    moves: FloatArray,
    metric: Metric,
    rows: int,
) -> Influence:
    x, y = fit.features[people], fit.target[people]
    slopes = fit.loss.slope(x @ fit.theta, y)
    squares = np.einsum("ij,ij->i", x, x)
    strength = fit.penalty.constant
    if rows > 1 and strength > 0:
        # The gradient that they leave over the convexity: no rows like these, that a
        # table may not even hold, move the coefficients further.
        reach = rows * np.sqrt(squares) * np.abs(slopes) / strength
        moves = np.minimum(moves, reach * math.sqrt(metric.largest))
    return Influence(
        leverage=leverages,
        residual=-slopes / np.maximum(1 - leverages, 1 - UNIQUE_FROM),
        move=moves,
        square=squares,
        spread=np.broadcast_to(np.nan, len(x)),
        rows=rows,
    )
