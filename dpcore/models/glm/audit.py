"""Everybody's shift in a nonlinear model: approximated, audited, and mended.

What each person is to a fit follows from an audit, or from fits without them. Leverages
and residuals are those of single rows, the residuals those of the mean after one Newton
step; moves are those of all rows of a unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models.glm.removals import (
    Beginning,
    Steps,
    chord_steps,
    exact_refits,
    newton_steps,
    step_shifts,
)
from dpcore.models.influence import UNIQUE_FROM, Influence
from dpcore.models.metrics import ISOTROPIC, Metric

if TYPE_CHECKING:
    from dpcore.models.glm.fit import GlmFit


People = NDArray[np.intp]

TOLERATED: Final = 0.05
"""Relative error of the one-step approximation from which chord steps replace it."""
_NEGLIGIBLE: Final = 1e-9
MOST_TOGETHER: Final = 1000
"""Most people who get a chord step."""


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
    whose: People | None = None
    """Of whom leverages and shifts are, ascending; ``None`` for everybody."""
    begun: Beginning | None = field(default=None, repr=False)
    """What the steps of all people have in common, where others take but one."""

    @property
    def error(self) -> float:
        """Return the largest relative error that is left among the refitted."""
        # Once chord steps replaced single ones, what is left is their error.
        chord, step = self.chord_error, self.one_step_error
        return step if math.isnan(chord) else chord

    def seen_with(self, who: People, fit: GlmFit, metric: Metric) -> AuditedRemovals:
        """Return the shifts of all people whose rows a fit has, and who they are."""
        steps = newton_steps(fit, begun=self.begun, copies=self.copies)
        shifts = step_shifts(fit, steps, metric)
        if self.whose is not None and len(self.whose):
            places = np.searchsorted(self.whose, who) % len(self.whose)
            held = self.whose[places] == who
            shifts[held] = self.shifts[places[held]]
        leverages = steps.leverages
        return replace(self, leverages=leverages, shifts=shifts, whose=None)


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
    begun: Beginning | None = field(default=None, repr=False)
    """What all steps have in common, where only those of some people are known."""

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
        return cls(fit=fit, metric=metric, steps=steps, approximate=approximate, chosen=chosen)

    @classmethod
    def by_parts(
        cls,
        fit: GlmFit,
        metric: Metric = ISOTROPIC,
        *,
        rng: np.random.Generator,
        top: int = 50,
        drawn: int = 50,
        copies: int = 1,
    ) -> Self:
        """Return the same audit, which knows the steps of those alone whom it needs.

        These are the chosen and those who may need a chord step. One pass over the rows
        finds them.
        """
        begun = Beginning.of(fit, copies=copies)
        table = fit.table
        places = rng.choice(fit.people, size=min(drawn, fit.people), replace=False)
        random = table.named(np.sort(places))
        bare = fit.seen_with(np.empty((0, table.columns)), np.empty(0))
        search = _Search(fit=bare, begun=begun, metric=metric, random=random, top=top)
        found = reduce(search.together, table.each_named(search.leading))
        table = table.holding(found.who, found.x, found.y)
        seen = fit.seen_with(found.x, found.y)
        steps = replace(newton_steps(seen, begun=begun), whose=found.who)
        return cls(
            fit=replace(fit, table=table),
            metric=metric,
            steps=steps,
            approximate=step_shifts(seen, steps, metric),
            chosen=np.union1d(found.most(top), random),
            begun=begun,
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
        exposed = _exposed(self.approximate)
        if self.steps.whose is not None:
            exposed = self.steps.whose[exposed]
        for people in _split(exposed, together):
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
        once = self.approximate[self.steps.places(exposed)]
        lengths = np.where(np.isfinite(lengths), lengths, once)
        checked = np.isin(exposed, refitted)
        chord_error = np.nan
        if chords:
            places = np.searchsorted(refitted, exposed[checked])
            there = self._comparable(known[places])
            chord_error = _largest_error(lengths[checked], there)
        shifts = self.approximate.copy()
        shifts[self.steps.places(exposed[~checked])] = lengths[~checked]
        shifts[self.steps.places(refitted)] = known
        return AuditedRemovals(
            leverages=self.steps.leverages,
            shifts=shifts,
            refitted=refitted,
            stepped_twice=exposed[~checked],
            one_step_error=self._error(refitted, known),
            chord_error=chord_error,
            copies=self.steps.copies,
            whose=self.steps.whose,
            begun=self.begun,
        )

    def _error(self, people: People, exact: FloatArray) -> float:
        once = self.approximate[self.steps.places(people)]
        return _largest_error(once, self._comparable(exact))

    def _comparable(self, exact: FloatArray) -> FloatArray:
        """Return shifts, NaN where a unit owns rows without which there is no fit."""
        if self.steps.copies == 1:
            return exact
        return np.where(np.isfinite(exact), exact, np.nan)


class _Leading(NamedTuple):
    """Some people, by name, with their shifts after one step. CONFIDENTIAL."""

    who: People
    shifts: FloatArray
    x: FloatArray
    y: FloatArray

    def most(self, top: int) -> People:
        """Return the ``top`` people with the largest shifts, ascending."""
        least = max(len(self.shifts) - top, 0)
        if least == 0:
            return self.who
        return np.sort(self.who[np.argpartition(self.shifts, least)[least:]])

    def of(self, kept: NDArray[np.bool_]) -> _Leading:
        """Return some of them."""
        who, shifts, x, y = self
        return _Leading(who[kept], shifts[kept], x[kept], y[kept])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Search:
    """A search for the people whom an audit may need. CONFIDENTIAL."""

    fit: GlmFit = field(repr=False)
    begun: Beginning = field(repr=False)
    metric: Metric
    random: People = field(repr=False)
    """Who was drawn at random."""
    top: int
    """How many of the most exposed are needed."""

    def leading(self, who: People, x: FloatArray, y: FloatArray) -> _Leading:
        """Return those of a part who may be needed, ascending."""
        seen = self.fit.seen_with(x, y)
        shifts = step_shifts(seen, newton_steps(seen, begun=self.begun), self.metric)
        return self._needed(_Leading(who, shifts, x, y))

    def together(self, one: _Leading, other: _Leading) -> _Leading:
        """Return those of two parts who may be needed, those of the first before."""
        both = _Leading(
            np.concatenate([one.who, other.who]),
            np.concatenate([one.shifts, other.shifts]),
            np.concatenate([one.x, other.x]),
            np.concatenate([one.y, other.y]),
        )
        return self._needed(both)

    def _needed(self, some: _Leading) -> _Leading:
        """Return the most exposed, whom a chord step may be for, and those drawn."""
        kept = np.isin(some.who, np.union1d(some.most(self.top), self.random))
        if len(kept):
            kept[_exposed(some.shifts)] = True
        return some.of(kept)


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
    return audit.result(list(audit.pieces(MOST_TOGETHER)))


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


def _audit_sample(shifts: FloatArray, *, top: int, drawn: int, rng: np.random.Generator) -> People:
    """Return the most exposed people and some at random, ascending."""
    n = len(shifts)
    top, drawn = min(top, n), min(drawn, n)
    most = np.argpartition(shifts, n - top)[n - top :] if top else np.empty(0, np.intp)
    return np.union1d(most, rng.choice(n, size=drawn, replace=False)).astype(np.intp)


def _exposed(shifts: FloatArray) -> People:
    """Return who has a finite shift above half of the largest of those, ascending."""
    finite = np.where(np.isfinite(shifts), shifts, 0.0)
    exposed = np.flatnonzero(finite > finite.max() / 2)
    if len(exposed) > MOST_TOGETHER:
        order = np.argpartition(finite[exposed], -MOST_TOGETHER)[-MOST_TOGETHER:]
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
        raise ParameterError(f"the moves are those of {found.copies} rows a unit, not of {rows}.")
    everybody = fit.features, fit.target
    here = _influence(fit, everybody, found.leverages, found.shifts, metric, rows)
    return replace(here, error=found.error)


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
