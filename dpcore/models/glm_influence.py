"""How far the coefficients of a nonlinear model lie from those without each person.

No closed form exists. With ``h = curvature x^T H^-1 x`` the leverage, one Newton step
from the fit with the person gives (Pregibon 1981)::

    theta - theta_-i ~ -H^-1 x slope / (1 - h)

The infinitesimal jackknife leaves the factor ``1 / (1 - h)`` out; it understates the
shifts of those who are exposed most. A chord step repeats the Newton step where the
first one ended, with the same Hessian. Fits without the most exposed people, and
without some people at random, tell how good the approximation is.

Everybody's shift in a nonlinear model: approximated, audited, and mended.

What each person is to a fit follows from an audit, or from fits without them. Leverages
and residuals are those of single rows, the residuals those of the mean after one Newton
step; moves are those of all rows of a unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models.factor import Factor, row_blocks
from dpcore.models.glm import GlmFit
from dpcore.models.influence import UNIQUE_FROM, Influence
from dpcore.models.loss_functions import Loss
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.tables import People, packed, summed, unpacked
from dpcore.statistics.statistic import Sums

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


def _gradients(loss: Loss, thetas: FloatArray, x: FloatArray, y: FloatArray) -> Sums:
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
