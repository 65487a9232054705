"""What the release of a model reveals about each person. CONFIDENTIAL.

Everything is about two laws for each person: the release with the table, and that with
the table without the person (Wang 2019, definition 2). Where a unit owns ``k`` rows and
nothing says which, the loss is that of a unit with ``k`` rows like the person's own. A
table may hold fewer of them. Then that loss is no fact about it, and it is kept within
what ``k`` rows can do at all. Where it is known which rows a unit owns, such as a household,
all of them leave together: nobody can add up the losses of rows, since rows that pull the
same way lose more together than their sum, and rows that pull against each other less.

What leverage and residual cost stands in the mechanisms: under noise, by a person's move, in
``models.model_mechanisms.noisy_coefficients``; in one posterior sample in
``models.leverage_and_residual``.

Of a table in parts losses are counted: a pass over the parts, with the fit of the whole, gives
the loss of each person of a part. Some releases need a pass before: of a nonlinear model, to
find the people whose moves are audited, and where losses are read from a table, to find what
it must span.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.model import ModelRequest
from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.individual.losses import (
    MOST_KEPT,
    SAME,
    CountedPart,
    ExposedPerson,
    LossCount,
    Losses,
    LossGrid,
    counted_together,
)
from dpcore.mechanisms.person_laws import PersonLaws
from dpcore.models.glm_influence import MOST_TOGETHER, Audit, AuditedRemovals
from dpcore.models.influence import UNIQUE_FROM, Influence
from dpcore.models.loss_tables import Span
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.question import Fit
from dpcore.models.ridge import RidgeFit
from dpcore.models.ridge_influence import replaced_moves
from dpcore.models.tables import People
from dpcore.relations import NeighboringRelation

_REMOVED: Final = NeighboringRelation.ADD_REMOVE
_REPLACED: Final = NeighboringRelation.SUBSTITUTION
_LEAST_END: Final = 2.0**-20
"""Where a grid ends at least that nothing public ends."""
_ROUNDED: Final = 1e-9
"""Penalty from which no row of length 1 has a leverage of ``UNIQUE_FROM``."""
_NOBODY: Final = "nobody has a value, so nobody's privacy loss exists."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelLosses(Losses):
    """Everybody's privacy loss from the release of a model. CONFIDENTIAL.

    Attributes:
        influence: What everybody is to the fit. The move is that by which the loss was worked
            out: of all rows of a unit, or of the record that reveals most.
        values: Everybody's target, as scaled for the model.
        rows: The row of the table, from 0, of each person.

    """

    influence: Influence = field(repr=False)
    values: FloatArray = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    relation: NeighboringRelation

    def most_exposed(self, count: int = MOST_KEPT) -> tuple[ExposedPerson, ...]:
        """Return the people who lose most, most first; ties in the table's order."""
        entries = self.ranking(count)
        return _Some(entries, self.values, self.influence, self.epsilon).people(entries)


def known_relations(law: ModelMechanism, *, linear: bool) -> tuple[NeighboringRelation, ...]:
    """Return which changes of a record losses under a mechanism are known for."""
    return (_REMOVED, _REPLACED) if linear and law.public else (_REMOVED,)


def model_losses(
    request: ModelRequest,
    fit: Fit,
    *,
    relation: NeighboringRelation,
    rows: NDArray[np.intp] | None = None,
    codes: NDArray[np.intp] | None = None,
    audited: AuditedRemovals | None = None,
    rng: np.random.Generator | None = None,
) -> ModelLosses:
    """Return everybody's privacy loss when a model is released.

    ``relation`` says which change the losses are about; it may differ from that of the
    guarantee. With another record in place of the person's own, the loss is the largest
    that a search over records found: a value that is reached.

    ``rows`` are the rows of the table, from 0, of the people; in order if not given.
    ``codes`` are everybody's units, from 0, where units own several rows and it is
    known which; otherwise rows like a person's own stand in for the others.
    ``audited`` are everybody's moves in a nonlinear model, where an audit found them
    already; otherwise ``rng`` draws its people, the same ones each time if not given.

    Raises:
        DataError: There is nobody.
        ParameterError: Losses are not known for this mechanism, model and relation.

    """
    if fit.people == 0:
        raise DataError(_NOBODY)
    law, delta, owned = request.law.for_fit(fit), request.delta, request.unit.rows
    if relation not in known_relations(law, linear=fit.linear):
        raise ParameterError(
            "for this release, losses are known only for removal of a person. Compare with "
            "the data without the person."
        )
    if codes is not None and relation is _REPLACED:
        raise ParameterError(
            "losses for replacing all rows of a unit are unknown. Compare with the data "
            "without the unit."
        )
    if relation is _REPLACED and fit.linear:
        found, (here, certificate) = 0.0, _replaced(request, fit)
    else:
        here = leaving(law, fit, delta=delta, rows=owned, codes=codes, audited=audited, rng=rng)
        found, certificate = law.added_record_losses(fit, request.question.design, delta=delta)
        if owned > 1 or codes is not None:
            certificate = math.inf  # it is about one added row
    epsilon = here.epsilon
    if owned > 1 and codes is None and relation is _REMOVED:
        # Rows that the table does not hold lose no more than any real ones can.
        epsilon = np.minimum(epsilon, request.guarantee)
    largest = float(np.max(epsilon))
    return ModelLosses(
        everybody=epsilon,
        ordered=np.sort(epsilon),
        relation=relation,
        delta=delta,
        worst_case=request.guarantee,
        for_all=max(found, largest),
        certificate=max(certificate, largest),
        influence=here.influence,
        values=fit.target,
        rows=np.arange(fit.people) if rows is None else rows,
        error=here.influence.error,
        note=here.note,
        upper=here.upper,
    )


class Leaving(NamedTuple):
    """What happens when each person leaves, or gets another record. CONFIDENTIAL."""

    epsilon: FloatArray
    """Loss of each person, shape ``(n,)``."""
    influence: Influence
    """What everybody is to the fit, with the move that the loss is about."""
    note: str = ""
    """What losses are where they are not exact, but for the error of the influence."""
    upper: bool = False
    """Whether they are upper bounds."""


def leaving(
    law: ModelMechanism,
    fit: Fit,
    *,
    delta: float,
    rows: int = 1,
    codes: NDArray[np.intp] | None = None,
    audited: AuditedRemovals | None = None,
    rng: np.random.Generator | None = None,
) -> Leaving:
    """Return what the release reveals about whether each person is there.

    ``codes`` are everybody's units, where they are known, instead of ``rows``.

    Raises:
        ParameterError: Losses under this mechanism are not known for such a model.

    """
    real = law.for_fit(fit)
    if codes is None:
        here = real.influence(fit, rows=rows, audited=audited, rng=rng)
        note = real.note or _copies_note(rows)
        return Leaving(real.losses(here, delta=delta), here, note, real.upper)
    if not fit.linear:
        raise ParameterError("units whose rows are known need a linear model.")
    epsilon, lengths, note = real.unit_losses(fit, codes, delta=delta)
    here = replace(real.influence(fit), move=lengths)
    return Leaving(epsilon, here, note, real.upper or bool(note))


def _copies_note(rows: int) -> str:
    """Return what a loss is where a unit owns several rows, nobody knows which."""
    if rows == 1:
        return ""
    return (
        f"those of {rows} rows like the person's own; where the table does not hold so "
        "many, they are estimates within the guarantee"
    )


def _replaced(request: ModelRequest, fit: RidgeFit) -> tuple[Leaving, float]:
    """Return losses of records that become another one, and a bound on all of them.

    Of leaving only leverage, residual and moves are asked for: what it would cost
    everybody is a question of its own.
    """
    law, owned = request.law, request.unit.rows
    here = law.influence(fit, rows=owned)
    lengths, bound = replaced_moves(fit, law.metric, request.question.design, here.move, rows=owned)
    losses = law.losses(Influence.of_moves(np.append(lengths, bound)), delta=request.delta)
    note = "the largest loss found over other records"
    if owned > 1:
        note = f"{owned} times the largest move found for another record in one row"
    note += "; no proof that it is the worst"
    return Leaving(losses[:-1], replace(here, move=lengths), note), float(losses[-1])


def laws_of_model(fit: Fit, law: ModelMechanism, person: int, *, rows: int = 1) -> PersonLaws:
    """Return the laws of a released model, with a person and without.

    ``rows`` is how many rows one unit may own, all like this one.

    Raises:
        DataError: There is no such person, or no fit without them.
        ParameterError: The two laws have no known form: an adaptive sample, noise of a
            shape that comes from the data or a perturbed objective for a nonlinear
            model, or a posterior sample under a penalty per person.

    """
    if not 0 <= person < fit.people:
        raise DataError(f"there are {fit.people} people; choose one of them.")
    real = law.for_fit(fit)
    return real.pair(real.influence(fit, rows=rows, people=np.array([person])))


def evidence_of_release(
    fit: RidgeFit, law: ModelMechanism, person: int, released: FloatArray
) -> float:
    """Return ``log Q - log P`` of released coefficients of a linear model.

    ``P`` is the law without the person, ``Q`` that with them; the size of the result
    is the loss that this release really caused (Redberg and Wang 2021, definition 3).

    ``released`` has one row of coefficients for each sample, shape ``(T, d)``.

    Raises:
        DataError: There is no fit without the person.
        ParameterError: The law has no density of this kind (an adaptive sample).

    """
    theta = np.atleast_2d(np.asarray(released, dtype=np.float64))
    return law.for_fit(fit).evidence(fit, person, theta)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HouseholdLosses:
    """Losses of groups of rows. CONFIDENTIAL.

    Attributes:
        epsilon: Loss of each group whose rows leave together, shape ``(G,)``.
        added: Sum of the losses of its rows, each on its own, shape ``(G,)``.
        rows: Number of rows of each group, shape ``(G,)``.

    """

    epsilon: FloatArray = field(repr=False)
    added: FloatArray = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)

    @property
    def above_sum(self) -> float:
        """Return the share of groups of several rows that lose more than their sum."""
        several = self.rows > 1
        if not several.any():
            return 0.0
        return float(np.mean(self.epsilon[several] > self.added[several] * (1 + SAME)))


def grouped(law: ModelMechanism, fit: Fit) -> bool:
    """Tell whether the loss of a group is known."""
    return fit.linear and law.units_known and not fit.penalty.per_person


def household_losses(
    law: ModelMechanism, fit: Fit, codes: NDArray[np.intp], *, delta: float
) -> HouseholdLosses:
    """Return the losses of groups, each of which leaves with all of its rows.

    ``codes`` are the groups of the rows of the fit, from 0 and none left out.

    Raises:
        ParameterError: No formula is known, or the codes do not fit.

    """
    if not grouped(law, fit):
        raise ParameterError(
            "groups need a linear model, with noise of a public shape or a posterior sample."
        )
    together = leaving(law, fit, delta=delta, codes=codes).epsilon
    alone = leaving(law, fit, delta=delta).epsilon
    _, firsts = np.unique(codes, return_index=True)
    return HouseholdLosses(
        epsilon=together[firsts],
        added=np.asarray(np.bincount(codes, weights=alone), np.float64),
        rows=np.bincount(codes),
    )


def counted_model_losses(
    request: ModelRequest,
    fit: Fit,
    *,
    relation: NeighboringRelation = _REMOVED,
    audited: AuditedRemovals | None = None,
) -> Losses:
    """Return how many people lose how much when a model is released.

    The loss of a person is that of ``model_losses``. ``audited`` are the moves that
    ``Audit.by_parts`` found for a nonlinear model; they are found here otherwise. People are
    named as the fit names them: by the row of a table in parts, from 0, and by the place among
    the rows of a fit in memory. Where no guarantee is known, the grid ends at the first power
    of 2 that holds all finite losses, which is CONFIDENTIAL then.

    Raises:
        DataError: There is nobody, or the table cannot be read.
        ParameterError: Losses are not known for this mechanism, model and relation.

    """
    asked = _FittedModel.of(request, fit, relation=relation, audited=audited)
    read = list(fit.table.each_named(asked.counted_part))
    counted, apart = [part for part, _ in read], np.concatenate([each for _, each in read])
    if len(apart):
        counted.append(_counted(asked.alone(request, fit, apart), asked.guarantee))
    largest = max(person.epsilon for part in counted for person in part.most)
    found, certificate = asked.law.added_record_losses(
        fit, request.question.design, delta=request.delta
    )
    if asked.rows > 1:
        certificate = math.inf  # it is about one added row
    return replace(
        counted_together(counted),
        worst_case=request.guarantee,
        relation=relation,
        delta=request.delta,
        for_all=max(found, largest),
        certificate=max(certificate, largest),
        error=0.0 if asked.audited is None else asked.audited.error,
        note=asked.law.note or _copies_note(asked.rows),
        upper=asked.law.upper,
    )


def model_loss(
    request: ModelRequest, fit: Fit, person: int, *, audited: AuditedRemovals | None = None
) -> ExposedPerson | None:
    """Return what one person loses, and why; ``None`` who is not behind the model.

    ``person`` is a name as in ``counted_model_losses``. Of a table in parts the person's part
    alone is read, after what is needed of everybody. Errors as there.
    """
    if not fit.table.counts(person):
        return None
    asked, who = (
        _FittedModel.of(request, fit, relation=_REMOVED, audited=audited),
        np.array([person]),
    )
    found, apart = asked.each(who, *fit.table.some(who))
    if len(apart):
        found = asked.alone(request, fit, who)
    return found.people(np.array([0]))[0]


def audited_moves(request: ModelRequest, fit: Fit) -> AuditedRemovals | None:
    """Return the moves of the people of a nonlinear fit, as ``model_losses`` does.

    ``None`` of a linear one, whose moves are known exactly. Errors as there.
    """
    if fit.linear:
        return None
    metric, rng = request.law.for_fit(fit).metric, np.random.default_rng(0)
    audit = Audit.by_parts(fit, metric, rng=rng, copies=request.unit.rows)
    return audit.result(list(audit.pieces(MOST_TOGETHER)))


class _Some(NamedTuple):
    """Losses of some people, and what they are to the fit. CONFIDENTIAL."""

    who: People
    target: FloatArray
    influence: Influence
    epsilon: FloatArray

    def people(self, places: NDArray[np.intp]) -> tuple[ExposedPerson, ...]:
        """Return those at some places, with why they lose that much."""
        here = self.influence
        return tuple(
            ExposedPerson(
                entry=int(name),
                epsilon=float(self.epsilon[place]),
                shift=float(here.move[place]),
                values=(float(self.target[place]),),
                leverage=float(here.leverage[place]),
                residual=float(here.residual[place]),
            )
            for name, place in zip(self.who, places.tolist(), strict=True)
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _FittedModel:
    """The losses of people of a part, with the fit of the whole. CONFIDENTIAL.

    Holds no rows: it goes to whoever reads the parts.
    """

    fit: Fit = field(repr=False)
    law: ModelMechanism
    """What the release really is."""
    delta: float
    rows: int
    """How many rows one unit owns."""
    guarantee: float
    audited: AuditedRemovals | None = field(repr=False)

    @classmethod
    def of(
        cls,
        request: ModelRequest,
        fit: Fit,
        *,
        relation: NeighboringRelation,
        audited: AuditedRemovals | None,
    ) -> _FittedModel:
        """Return them, after the passes that they need."""
        if fit.people == 0:
            raise DataError(_NOBODY)
        law = request.law.for_fit(fit)
        if relation is not _REMOVED:
            raise ParameterError(
                "for data in parts, losses are known only for removal of a person. Compare "
                "with the data without the person."
            )
        nobody = np.empty((0, fit.table.columns)), np.empty(0)
        asked = cls(
            fit=fit.seen_with(*nobody),
            law=law.seen_with(*nobody),
            delta=request.delta,
            rows=request.unit.rows,
            guarantee=request.guarantee,
            audited=audited_moves(request, fit) if audited is None else audited,
        )
        if not law.tables:
            return asked
        span = Span.together(fit.table.each_named(asked.span))
        return replace(asked, law=asked.law.tabled(span, delta=request.delta))

    def counted_part(self, who: People, x: FloatArray, y: FloatArray) -> tuple[CountedPart, People]:
        """Return what is kept of the people of a part, and who was left out."""
        some, apart = self.each(who, x, y)
        return _counted(some, self.guarantee), apart

    def each(self, who: People, x: FloatArray, y: FloatArray) -> tuple[_Some, People]:
        """Return the losses of some people, but for those whom the fit rests on alone."""
        apart, nobody = self._apart(x), who[:0]
        if apart.any():
            who, nobody = who[~apart], who[apart]
            x, y = x[~apart], y[~apart]
        here = self._influence(who, x, y)
        return _Some(who, y, here, self._losses(self.law.seen_with(x, y), here)), nobody

    def span(self, who: People, x: FloatArray, y: FloatArray) -> Span:
        """Return what a table of losses must span for some people."""
        others = ~self._apart(x)
        return self.law.span(self._influence(who[others], x[others], y[others]))

    def alone(self, request: ModelRequest, fit: Fit, people: People) -> _Some:
        """Return those of people whom the fit rests on alone, by fits of all others."""
        x, y = fit.table.some(people)
        law = request.law.for_fit(fit)
        here = law.influence(fit, rows=self.rows, people=people)
        return _Some(people, y, here, self._losses(law.seen_with(x, y), here))

    def _apart(self, x: FloatArray) -> NDArray[np.bool_]:
        """Tell whom a linear fit rests on alone; a nonlinear one was audited."""
        fit = self.fit
        if not fit.linear or fit.penalty.convexity(fit.people - 1) > _ROUNDED:
            return np.zeros(len(x), dtype=bool)
        halves = x @ fit.with_penalty_of(fit.people - 1).factor.inverse_root
        return np.asarray(np.einsum("ij,ij->i", halves, halves) >= UNIQUE_FROM)

    def _influence(self, who: People, x: FloatArray, y: FloatArray) -> Influence:
        if self.fit.linear:
            return self.law.seen_with(x, y).influence(self.fit.seen_with(x, y), rows=self.rows)
        seen, audited = self.fit.seen_with(x, y), self.audited
        if audited is not None:
            audited = audited.seen_with(who, seen, self.law.metric)
        return self.law.influence(seen, rows=self.rows, audited=audited)

    def _losses(self, law: ModelMechanism, here: Influence) -> FloatArray:
        epsilon = law.losses(here, delta=self.delta)
        # Rows that the table does not hold lose no more than any real ones can.
        return epsilon if self.rows == 1 else np.minimum(epsilon, self.guarantee)


def _counted(some: _Some, worst: float) -> CountedPart:
    """Return what is kept of some people."""
    epsilon = some.epsilon
    # Above the worst case by rounding only.
    rounded = (epsilon > worst) & (epsilon <= worst * (1 + SAME))
    some = some._replace(epsilon=np.where(rounded, worst, epsilon))
    end = worst
    if math.isinf(worst):
        # Where no guarantee ends it, the grid holds all of them.
        finite = float(some.epsilon[np.isfinite(some.epsilon)].max(initial=0.0))
        end = max(2.0 ** math.ceil(math.log2(finite)), _LEAST_END) if finite else _LEAST_END
    count = LossCount(grid=LossGrid.of(end=end))
    count.add(some.epsilon)
    return count.part(some._replace(who=some.who[count.at]).people(count.at))
