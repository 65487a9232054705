"""Everybody's shift in a nonlinear model: approximated, audited, and mended.

What each person is to a fit follows from an audit, or from fits without them. Leverages
and residuals are those of single rows, the residuals those of the mean after one Newton
step; moves are those of all rows of a unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from dpcore.errors import ParameterError
from dpcore.models.glm.removals import (
    chord_steps,
    exact_refits,
    newton_steps,
    step_shifts,
)
from dpcore.models.influence import UNIQUE_FROM, Influence
from dpcore.models.metrics import ISOTROPIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.models.glm.fit import GlmFit
    from dpcore.models.glm.removals import Steps
    from dpcore.models.metrics import Metric

    People = NDArray[np.intp]

TOLERATED: Final = 0.05
"""Relative error of the one-step approximation from which chord steps replace it."""
_NEGLIGIBLE: Final = 1e-9
_MOST_CHORDS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditedRemovals:
    """What happens to a nonlinear fit when each person leaves. CONFIDENTIAL."""

    leverages: FloatArray = field(repr=False)
    """``curvature x^T H^-1 x`` of each person, shape ``(n,)``."""
    shifts: FloatArray = field(repr=False)
    """Length of the move of the coefficients, shape ``(n,)``: exact for ``refitted``,
    after a chord step for ``stepped_twice``, after one Newton step for the others.
    Infinite where there is no fit without the person.
    """
    refitted: People = field(repr=False)
    """Who was left out exactly: the most exposed and some at random."""
    stepped_twice: People = field(repr=False)
    """For whom a chord step was needed."""
    one_step_error: float = field(repr=False)
    """Largest relative error of the one-step approximation among the refitted."""
    chord_error: float = field(repr=False)
    """The same of the chord step among those of the refitted who were most exposed; NaN
    if it was not needed.
    """
    copies: int = 1
    """How many rows like the person's own leave together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checked:
    """Some people whose shifts were computed better than by one step. CONFIDENTIAL."""

    people: People = field(repr=False)
    """Who, ascending."""
    shifts: FloatArray = field(repr=False)
    """Their shifts; NaN where a chord step led nowhere."""
    exact: bool
    """Whether they were left out exactly, rather than after a chord step."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Audit:
    """An audit that can be carried out piece by piece. CONFIDENTIAL."""

    fit: GlmFit = field(repr=False)
    metric: Metric
    """The norm of shifts."""
    steps: Steps = field(repr=False)
    """The one-step approximation."""
    approximate: FloatArray = field(repr=False)
    """Everybody's shift after one step, shape ``(n,)``."""
    chosen: People = field(repr=False)
    """Who is left out exactly, ascending."""

    @classmethod
    def of(
        cls,
        fit: GlmFit,
        metric: Metric = ISOTROPIC,
        *,
        rng: np.random.Generator,
        top: int = 50,
        drawn: int = 50,
        copies: int = 1,
    ) -> Self:
        """Return the audit of a fit; arguments as for ``audited_removals``."""
        steps = newton_steps(fit, copies=copies)
        approximate = step_shifts(fit, steps, metric)
        chosen = _audit_sample(approximate, top=top, drawn=drawn, rng=rng)
        return cls(
            fit=fit,
            metric=metric,
            steps=steps,
            approximate=approximate,
            chosen=chosen,
        )

    def pieces(self, together: int = 100) -> Iterator[Checked]:
        """Yield what is found, ``together`` people at a time.

        Exact shifts of the chosen first. Chord steps of the exposed follow if these
        show that they are needed.
        """
        found = []
        for people in _split(self.chosen, together):
            moved = self.fit.theta - exact_refits(self.fit, self.steps, people)
            exact = self.metric.lengths(moved, self.fit.factor)
            exact[np.isnan(exact)] = np.inf
            found.append(exact)
            yield Checked(people=people, shifts=exact, exact=True)
        if not found:
            return
        if self._error(self.chosen, np.concatenate(found)) <= TOLERATED:
            return
        for people in _split(_exposed(self.approximate), together):
            rows, _ = self.fit.table.some(people)
            starts = self.fit.theta - self.steps.moves(rows, people)
            ends = chord_steps(self.fit, self.steps, people, starts)
            lengths = self.metric.lengths(self.fit.theta - ends, self.fit.factor)
            yield Checked(people=people, shifts=lengths, exact=False)

    def result(self, pieces: Sequence[Checked]) -> AuditedRemovals:
        """Return everybody's shift, as far as the pieces go."""
        exact = [piece for piece in pieces if piece.exact]
        chords = [piece for piece in pieces if not piece.exact]
        refitted, known = _joined(exact)
        exposed, lengths = _joined(chords)
        lengths = np.where(np.isfinite(lengths), lengths, self.approximate[exposed])
        checked = np.isin(exposed, refitted)
        chord_error = np.nan
        if chords:
            places = np.searchsorted(refitted, exposed[checked])
            there = self._comparable(known[places])
            chord_error = _largest_error(lengths[checked], there)
        shifts = self.approximate.copy()
        shifts[exposed[~checked]] = lengths[~checked]
        shifts[refitted] = known
        return AuditedRemovals(
            leverages=self.steps.leverages,
            shifts=shifts,
            refitted=refitted,
            stepped_twice=exposed[~checked],
            one_step_error=self._error(refitted, known),
            chord_error=chord_error,
            copies=self.steps.copies,
        )

    def _error(self, people: People, exact: FloatArray) -> float:
        return _largest_error(self.approximate[people], self._comparable(exact))

    def _comparable(self, exact: FloatArray) -> FloatArray:
        """Return shifts, NaN where a unit owns rows without which there is no fit."""
        if self.steps.copies == 1:
            return exact
        return np.where(np.isfinite(exact), exact, np.nan)


def audited_removals(
    fit: GlmFit,
    metric: Metric = ISOTROPIC,
    *,
    rng: np.random.Generator,
    top: int = 50,
    drawn: int = 50,
    copies: int = 1,
) -> AuditedRemovals:
    """Return everybody's leave-one-out shift, with the error that an audit found.

    The ``top`` people with the largest approximate shifts and ``drawn`` people at
    random are left out exactly. If the approximation misses any of them by more than 5
    percent, all with more than half of the largest shift (at most 1,000 people) get a
    chord step. Since epsilon grows at least in proportion to the shift, these include
    all with more than half of the largest epsilon. ``copies`` rows like each person's
    own leave together; a shift is infinite where the table has too few for a fit.
    """
    audit = Audit.of(fit, metric, rng=rng, top=top, drawn=drawn, copies=copies)
    return audit.result(list(audit.pieces(_MOST_CHORDS)))


def _split(people: People, together: int) -> Iterator[People]:
    for first in range(0, len(people), together):
        yield people[first : first + together]


def _joined(pieces: list[Checked]) -> tuple[People, FloatArray]:
    """Return the people of some pieces, and their shifts."""
    nobody, nothing = np.empty(0, dtype=np.intp), np.empty(0)
    return (
        np.concatenate([nobody, *(piece.people for piece in pieces)]),
        np.concatenate([nothing, *(piece.shifts for piece in pieces)]),
    )


def _audit_sample(
    shifts: FloatArray, *, top: int, drawn: int, rng: np.random.Generator
) -> People:
    """Return the most exposed people and some at random, ascending."""
    n = len(shifts)
    top, drawn = min(top, n), min(drawn, n)
    most = np.argpartition(shifts, n - top)[n - top :] if top else np.empty(0, np.intp)
    return np.union1d(most, rng.choice(n, size=drawn, replace=False)).astype(np.intp)


def _exposed(shifts: FloatArray) -> People:
    """Return who has a finite shift above half of the largest of those, ascending."""
    finite = np.where(np.isfinite(shifts), shifts, 0.0)
    exposed = np.flatnonzero(finite > finite.max() / 2)
    if len(exposed) > _MOST_CHORDS:
        order = np.argpartition(finite[exposed], -_MOST_CHORDS)[-_MOST_CHORDS:]
        exposed = np.sort(exposed[order])
    return exposed


def _largest_error(approximate: FloatArray, exact: FloatArray) -> float:
    """Return the largest relative error, leaving out shifts that are all but 0."""
    if len(exact) == 0:
        return float("nan")
    known = np.isfinite(exact)
    if np.isfinite(approximate[np.isposinf(exact)]).any():
        return float("inf")
    if not known.any():
        return 0.0
    counted = known & (exact > _NEGLIGIBLE * exact[known].max())
    if not counted.any():
        return 0.0
    return float(np.max(np.abs(approximate[counted] / exact[counted] - 1)))


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
    everybody = fit.features, fit.target
    here = _influence(fit, everybody, found.leverages, found.shifts, metric, rows)
    # Once chord steps replaced single ones, what is left is their error.
    chord, step = found.chord_error, found.one_step_error
    return replace(here, error=step if math.isnan(chord) else chord)


def refitted_influence(
    fit: GlmFit, people: NDArray[np.intp], metric: Metric, *, rows: int = 1
) -> Influence:
    """Return what some people are to the fit, each left out of a fit of its own."""
    x, y = fit.table.some(people)
    halves = x @ fit.factor.inverse_root
    leverages = fit.loss.curvature(x @ fit.theta, y)
    leverages = leverages * np.einsum("ij,ij->i", halves, halves)
    moves = np.full(len(people), np.inf)
    for place, person in enumerate(people.tolist()):
        theta = fit.refit(person, fit.theta, copies=rows)
        if theta is not None:
            moves[place] = metric.lengths(fit.theta - theta, fit.factor)
    return _influence(fit, (x, y), leverages, moves, metric, rows)


def _influence(
    fit: GlmFit,
    some: tuple[FloatArray, FloatArray],
    leverages: FloatArray,
    moves: FloatArray,
    metric: Metric,
    rows: int,
) -> Influence:
    """Return what people with some rows and targets are to the fit."""
    x, y = some
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
