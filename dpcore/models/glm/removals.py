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
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.models.blocks import row_blocks
from dpcore.models.factor import Factor
from dpcore.models.influence import UNIQUE_FROM
from dpcore.models.losses import Loss
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.tables import packed, summed, unpacked
from dpcore.statistics.parts import Totals

if TYPE_CHECKING:
    from dpcore.models.glm.fit import GlmFit


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
    whose: People | None = None
    """Of whom leverages and factors are, ascending; ``None`` for everybody."""

    def places(self, people: People) -> People:
        """Return where the numbers of some people stand in the arrays."""
        return people if self.whose is None else np.searchsorted(self.whose, people)

    def moves(self, x: FloatArray, people: People) -> FloatArray:
        """Return the moves of some people with rows ``x``, shape ``(m, d)``."""
        factors = self.factors[self.places(people)]
        finite = np.where(np.isfinite(factors), factors, 0.0)
        return np.asarray(self.offset + finite[:, np.newaxis] * self.rest.solve(x.T).T)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Beginning:
    """What the steps of all people have in common. CONFIDENTIAL."""

    rest: Factor = field(repr=False)
    offset: FloatArray = field(repr=False)
    copies: int

    @classmethod
    def of(cls, fit: GlmFit, *, copies: int = 1) -> Beginning:
        """Return it; a penalty per person takes a pass over the rows."""
        d = len(fit.theta)
        if not (fit.penalty.per_person and fit.people > copies):
            return cls(rest=fit.factor, offset=np.zeros(d), copies=copies)
        smaller = fit.penalty.diagonal(d, fit.people - copies)
        rest = fit.factor_with(smaller)
        released = fit.penalty.diagonal(d, fit.people) - smaller
        return cls(rest=rest, offset=-rest.solve(released * fit.theta), copies=copies)


def newton_steps(fit: GlmFit, *, copies: int = 1, begun: Beginning | None = None) -> Steps:
    """Return the one-step approximation for everybody whose rows the fit has.

    ``copies`` rows like each person's own leave together; where the table has fewer of
    them, that of an objective that counts their losses below 0. ``begun`` says what
    they have in common, where that is known, and how many copies leave.
    """
    begun = Beginning.of(fit, copies=copies) if begun is None else begun
    every, target, copies, offset = fit.features, fit.target, begun.copies, begun.offset
    eta = fit.predictions
    slopes = fit.loss.slope(eta, target)
    weights = fit.loss.curvature(eta, target)
    leverages = np.empty(len(target))
    factors = np.empty(len(target))
    inverse_root = begun.rest.inverse_root
    for rows in row_blocks(*every.shape):
        x = every[rows]
        halves = x @ inverse_root
        h = weights[rows] * np.einsum("ij,ij->i", halves, halves)
        pull = slopes[rows] - weights[rows] * (x @ offset)
        gone = copies * h
        kept = np.where(gone >= UNIQUE_FROM, 0.0, 1 - gone)
        with np.errstate(divide="ignore", invalid="ignore"):
            factors[rows] = -copies * pull / kept
        leverages[rows] = h
    return Steps(
        rest=begun.rest, offset=offset, leverages=leverages, factors=factors, copies=copies
    )


def step_shifts(fit: GlmFit, steps: Steps, metric: Metric = ISOTROPIC) -> FloatArray:
    """Return the length of everybody's step, shape ``(n,)``."""
    every = fit.features
    shifts = np.empty(len(every))
    directions = metric.directions(fit.factor, steps.rest)
    offset = steps.offset @ metric.root(fit.factor).T
    for rows in row_blocks(*every.shape):
        moved = every[rows] @ directions
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
    found = thetas * fit.penalty.diagonal(thetas.shape[1], fit.people - copies)
    if len(people) == 0:
        return found
    with np.errstate(over="ignore", invalid="ignore"):
        kernel = partial(_gradients, fit.loss, thetas)
        (every,) = unpacked(summed(fit.table.each(kernel)), thetas.shape)
        x, y = fit.table.some(people)
        own = fit.loss.slope(np.einsum("ij,ij->i", x, thetas), y)
        return np.asarray(found + every - copies * own[:, np.newaxis] * x)


def _gradients(loss: Loss, thetas: FloatArray, x: FloatArray, y: FloatArray) -> Totals:
    """Return the sum of the gradients of all losses at each of ``m`` points."""
    found = np.zeros_like(thetas)
    with np.errstate(over="ignore", invalid="ignore"):
        for first in range(0, len(thetas), _TOGETHER):
            some = slice(first, first + _TOGETHER)
            points = thetas[some].T
            # As many multiplications as of rows of this width with a square matrix.
            width = math.isqrt(points.size) + 1
            for rows in row_blocks(len(x), width):
                slopes = loss.slope(x[rows] @ points, y[rows, np.newaxis])
                found[some] += slopes.T @ x[rows]
    return packed(len(x), found)


def chord_steps(fit: GlmFit, steps: Steps, people: People, thetas: FloatArray) -> FloatArray:
    """Return where a Newton step from ``thetas`` leads, with the Hessian at the fit.

    Only the gradient is taken anew, in time ``n d`` for each of the ``m`` people. NaN
    where it is not finite.
    """
    gradients = gradients_without(fit, people, thetas, copies=steps.copies)
    finite = np.isfinite(gradients).all(axis=1)
    ends = np.full_like(thetas, np.nan)
    ends[finite] = thetas[finite] - _chords(fit, steps, people[finite], gradients[finite])
    return ends


def exact_refits(fit: GlmFit, steps: Steps, people: People) -> FloatArray:
    """Return the fits without some people, shape ``(m, d)``.

    Chord steps for all of them at once, as long as they lead on; Newton's method for
    those who then still miss a gradient of 1e-10. NaN where there is no fit.
    """
    thetas = fit.theta - steps.moves(fit.table.some(people)[0], people)
    done = np.zeros(len(people), dtype=bool)
    gone = steps.copies * steps.leverages[steps.places(people)]
    active = np.flatnonzero(gone < UNIQUE_FROM)
    before = np.full(len(people), np.inf)
    for _ in range(_CHORDS):
        gradients = gradients_without(fit, people[active], thetas[active], copies=steps.copies)
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


def _chords(fit: GlmFit, steps: Steps, people: People, gradients: FloatArray) -> FloatArray:
    """Return ``H_-i^-1 g_i`` for each row of gradients, with the Hessian at the fit."""
    x, y = fit.table.some(people)
    weights = fit.loss.curvature(x @ fit.theta, y)
    solved = steps.rest.solve(gradients.T).T
    own = steps.rest.solve(x.T).T
    gone = steps.copies * steps.leverages[steps.places(people)]
    kept = np.maximum(1 - gone, 1 - UNIQUE_FROM)
    pull = steps.copies * weights * np.einsum("ij,ij->i", x, solved) / kept
    return np.asarray(solved + pull[:, np.newaxis] * own)
