"""How far the coefficients of a nonlinear model lie from those without each person.

No closed form exists. With ``h = curvature x^T H^-1 x`` the leverage, one Newton step
from the fit with the person gives (Pregibon 1981)::

    theta - theta_-i ~ -H^-1 x slope / (1 - h)

The infinitesimal jackknife leaves the factor ``1 / (1 - h)`` out; it understates the
shifts of those who are exposed most. A chord step repeats the Newton step where the
first one ended, with the same Hessian. Fits without the most exposed people, and
without some people at random, tell how good the approximation is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.models.blocks import row_blocks
from dpcore.models.factor import factorize
from dpcore.models.influence import UNIQUE_FROM
from dpcore.models.metrics import ISOTROPIC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.models.factor import Factor
    from dpcore.models.glm.fit import GlmFit
    from dpcore.models.metrics import Metric

    People = NDArray[np.intp]

_CHORDS: Final = 12
_TOGETHER: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steps:
    """One step from the fit to the fits without each person. CONFIDENTIAL.

    The move of person ``i`` is ``offset + factors[i] H^-1 x_i``.
    """

    rest: Factor = field(repr=False)
    """The factor of the Hessian, with the penalty of one person less."""
    offset: FloatArray = field(repr=False)
    """What the change of the penalty alone does, shape ``(d,)``."""
    leverages: FloatArray = field(repr=False)
    """Shape ``(n,)``."""
    factors: FloatArray = field(repr=False)
    """Shape ``(n,)``. Infinite where the leverage leaves no fit."""
    copies: int = 1
    """How many rows like the person's own leave together."""

    def moves(self, x: FloatArray, people: People) -> FloatArray:
        """Return the moves of some people with rows ``x``, shape ``(m, d)``."""
        finite = np.where(np.isfinite(self.factors[people]), self.factors[people], 0.0)
        return np.asarray(self.offset + finite[:, np.newaxis] * self.rest.solve(x.T).T)


def newton_steps(fit: GlmFit, *, copies: int = 1) -> Steps:
    """Return the one-step approximation for everybody.

    ``copies`` rows like each person's own leave together; where the table has fewer of
    them, that of an objective that counts their losses below 0.
    """
    d = fit.features.shape[1]
    eta = fit.predictions
    slopes = fit.loss.slope(eta, fit.target)
    weights = fit.loss.curvature(eta, fit.target)
    rest, offset = fit.factor, np.zeros(d)
    if fit.penalty.per_person and fit.people > copies:
        smaller = fit.penalty.diagonal(d, fit.people - copies)
        rest = factorize(fit.features, fit.target, smaller, weights=weights)
        released = fit.penalty.diagonal(d, fit.people) - smaller
        offset = -rest.solve(released * fit.theta)
    leverages = np.empty(fit.people)
    factors = np.empty(fit.people)
    inverse_root = rest.inverse_root
    for rows in row_blocks(*fit.features.shape):
        x = fit.features[rows]
        halves = x @ inverse_root
        h = weights[rows] * np.einsum("ij,ij->i", halves, halves)
        pull = slopes[rows] - weights[rows] * (x @ offset)
        gone = copies * h
        kept = np.where(gone >= UNIQUE_FROM, 0.0, 1 - gone)
        with np.errstate(divide="ignore", invalid="ignore"):
            factors[rows] = -copies * pull / kept
        leverages[rows] = h
    return Steps(
        rest=rest,
        offset=offset,
        leverages=leverages,
        factors=factors,
        copies=copies,
    )


def step_shifts(fit: GlmFit, steps: Steps, metric: Metric = ISOTROPIC) -> FloatArray:
    """Return the length of everybody's step, shape ``(n,)``."""
    shifts = np.empty(fit.people)
    directions = metric.directions(fit.factor, steps.rest)
    offset = steps.offset @ metric.root(fit.factor).T
    for rows in row_blocks(*fit.features.shape):
        moved = fit.features[rows] @ directions
        finite = np.isfinite(steps.factors[rows])
        moved *= np.where(finite, steps.factors[rows], 0.0)[:, np.newaxis]
        moved += offset
        lengths = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        shifts[rows] = np.where(finite, lengths, np.inf)
    return shifts


def gradients_without(
    fit: GlmFit, people: People, thetas: FloatArray, *, copies: int = 1
) -> FloatArray:
    """Return the gradient of the objective without each of ``m`` people at ``thetas``.

    Shape ``(m, d)``. Not finite where a step has led beyond the reach of floats.
    """
    d = fit.features.shape[1]
    found = thetas * fit.penalty.diagonal(d, fit.people - copies)
    for first in range(0, len(people), _TOGETHER):
        some = slice(first, first + _TOGETHER)
        here, points = people[some], thetas[some]
        # As many multiplications as of rows of this width with a square matrix.
        width = math.isqrt(d * len(here)) + 1
        for rows in row_blocks(fit.people, width):
            x, y = fit.features[rows], fit.target[rows, np.newaxis]
            inside = np.flatnonzero((here >= rows.start) & (here < rows.stop))
            with np.errstate(over="ignore", invalid="ignore"):
                slopes = fit.loss.slope(x @ points.T, y)
                own = here[inside] - rows.start, inside
                slopes[own] = slopes[own] * (1 - copies) if copies > 1 else 0.0
                found[some] += slopes.T @ x
    return found


def chord_steps(
    fit: GlmFit, steps: Steps, people: People, thetas: FloatArray
) -> FloatArray:
    """Return where a Newton step from ``thetas`` leads, with the Hessian at the fit.

    Only the gradient is taken anew, in time ``n d`` for each of the ``m`` people. NaN
    where it is not finite.
    """
    gradients = gradients_without(fit, people, thetas, copies=steps.copies)
    finite = np.isfinite(gradients).all(axis=1)
    ends = np.full_like(thetas, np.nan)
    ends[finite] = thetas[finite] - _chords(
        fit, steps, people[finite], gradients[finite]
    )
    return ends


def exact_refits(fit: GlmFit, steps: Steps, people: People) -> FloatArray:
    """Return the fits without some people, shape ``(m, d)``.

    Chord steps for all of them at once, as long as they lead on; Newton's method for
    those who then still miss a gradient of 1e-10. NaN where there is no fit.
    """
    thetas = fit.theta - steps.moves(fit.features[people], people)
    done = np.zeros(len(people), dtype=bool)
    active = np.flatnonzero(steps.copies * steps.leverages[people] < UNIQUE_FROM)
    before = np.full(len(people), np.inf)
    for _ in range(_CHORDS):
        gradients = gradients_without(
            fit, people[active], thetas[active], copies=steps.copies
        )
        lengths = np.linalg.norm(gradients, axis=1)
        done[active] = lengths <= fit.tolerance
        onward = lengths < before[active] / 2
        before[active] = lengths
        active, gradients = active[onward], gradients[onward]
        # One more step for those who are done: it costs nothing and gains digits.
        thetas[active] -= _chords(fit, steps, people[active], gradients)
        active = active[~done[active]]
        if len(active) == 0:
            break
    for place in np.flatnonzero(~done):
        found = fit.refit(int(people[place]), thetas[place], copies=steps.copies)
        thetas[place] = np.nan if found is None else found
    return thetas


def _chords(
    fit: GlmFit, steps: Steps, people: People, gradients: FloatArray
) -> FloatArray:
    """Return ``H_-i^-1 g_i`` for each row of gradients, with the Hessian at the fit."""
    x = fit.features[people]
    weights = fit.loss.curvature(x @ fit.theta, fit.target[people])
    solved = steps.rest.solve(gradients.T).T
    own = steps.rest.solve(x.T).T
    gone = steps.copies * steps.leverages[people]
    kept = np.maximum(1 - gone, 1 - UNIQUE_FROM)
    pull = steps.copies * weights * np.einsum("ij,ij->i", x, solved) / kept
    return np.asarray(solved + pull[:, np.newaxis] * own)
