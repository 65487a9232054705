"""Everybody's losses from a released model, counted and not held. CONFIDENTIAL.

A pass over the parts of the table, with the fit of the whole, gives the loss of each
person of a part; kept are counts on a grid and the most exposed people. Some releases
need a pass before: of a nonlinear model, to find the people whose moves are audited,
and where losses are read from a table, to find what it must span. A table in memory is
one part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.individual.distribution import MOST_KEPT, LossDistribution, Place
from dpcore.individual.grid import Grid
from dpcore.individual.models.exposure import Releasing
from dpcore.individual.models.losses import copies_note
from dpcore.models.glm_influence import MOST_TOGETHER, Audit, AuditedRemovals
from dpcore.models.influence import UNIQUE_FROM, Influence
from dpcore.models.loss_tables import Span
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.question import Fit
from dpcore.relations import NeighboringRelation

People = NDArray[np.intp]

_REMOVED: Final = NeighboringRelation.ADD_REMOVE
_CELLS: Final = 1_000
_SAME: Final = 1e-9
_LEAST_END: Final = 2.0**-20
"""Where a grid ends at least that nothing public ends."""
_ROUNDED: Final = 1e-9
"""Penalty from which no row of length 1 has a leverage of ``UNIQUE_FROM``."""


class Reason(NamedTuple):
    """A person who loses much, and why. CONFIDENTIAL."""

    person: int
    """As the fit names people: the row of a table in parts, from 0, and the place among
    the rows of a fit in memory.
    """
    epsilon: float
    value: float
    """The target, as scaled for the model."""
    leverage: float
    residual: float
    shift: float
    """How far the coefficients move, in the norm of the noise."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelDistribution(LossDistribution):
    """How many people lose how much from the release of a model. CONFIDENTIAL.

    Where no guarantee is known, the grid ends at the first power of 2 that holds all
    finite losses, which is CONFIDENTIAL then. Infinite losses are in none of its cells.
    ``relation``, ``delta``, ``worst_case``, ``for_all_found``, ``for_all_certificate``,
    ``audit``, ``exact``, ``note`` and ``upper`` are as in ``ModelExposure``.

    Attributes:
        given_away: Number of people whose loss is infinite.
        reasons: Why the most exposed lose most, in their order.

    """

    relation: NeighboringRelation
    delta: float
    given_away: int = field(repr=False)
    reasons: tuple[Reason, ...] = field(repr=False)
    for_all_found: float = field(repr=False)
    for_all_certificate: float = field(repr=False)
    audit: float = field(repr=False)
    exact: bool
    note: str
    upper: bool

    def quantile(self, q: float) -> tuple[float, float]:
        """Return two losses that the ``q``-quantile lies between; see there.

        Both are infinite where fewer people stay within anything.
        """
        rank = math.ceil(q * self.people - _SAME)
        if 0 < q <= 1 and rank > self.people - self.given_away:
            return math.inf, math.inf
        return LossDistribution.quantile(self, q)


def model_distribution(
    request: Releasing,
    fit: Fit,
    *,
    relation: NeighboringRelation = _REMOVED,
    levels: Sequence[float] = (),
    audited: AuditedRemovals | None = None,
) -> ModelDistribution:
    """Return how many people lose how much when a model is released.

    The loss of a person is that of ``exposure.expose_model``. ``audited`` are the moves
    that ``Audit.by_parts`` found for a nonlinear model; they are found here otherwise.

    Raises:
        DataError: There is nobody, or the table cannot be read.
        ParameterError: Losses are not known for this law, model and relation.

    """
    asked = _Asked.of(request, fit, relation=relation, audited=audited)
    guarantee, ordered = request.guarantee, tuple(sorted(levels))
    count = _Count(asked=asked, levels=ordered)
    counted = list(fit.table.each_named(count.part))
    apart = np.concatenate([each.apart for each in counted])
    if len(apart):
        counted.append(count.people(asked.alone(request, fit, apart)))
    end = max(each.end for each in counted)
    most = _most([reason for each in counted for reason in each.most])
    design, delta = request.question.design, request.delta
    found, certificate = asked.law.added_record_losses(fit, design, delta=delta)
    if request.unit.rows > 1:
        certificate = math.inf  # it is about newcomers of one row
    largest = most[0].epsilon
    note = asked.law.note or copies_note(request.unit.rows)
    return ModelDistribution(
        worst_case=guarantee,
        edges=_grid(end).edges,
        counts=np.sum([_coarser(each.counts, each.end, end) for each in counted], 0),
        levels=ordered,
        above=tuple(np.sum([each.above for each in counted], axis=0).tolist()),
        people=sum(each.people for each in counted),
        total=math.fsum(each.total for each in counted),
        most_exposed=tuple(Place(row=one.person, epsilon=one.epsilon) for one in most),
        relation=relation,
        delta=delta,
        given_away=sum(each.given_away for each in counted),
        reasons=most,
        for_all_found=max(found, largest),
        for_all_certificate=max(certificate, largest),
        audit=asked.error,
        exact=not note,
        note=note,
        upper=asked.law.upper,
    )


def model_loss(
    request: Releasing,
    fit: Fit,
    person: int,
    *,
    relation: NeighboringRelation = _REMOVED,
    audited: AuditedRemovals | None = None,
) -> Reason | None:
    """Return what one person loses, and why; ``None`` who is not behind the model.

    ``person`` is a name as in ``Reason``. Of a table in parts the person's part alone
    is read, after what ``model_distribution`` needs of everybody. Errors as there.
    """
    if not fit.table.counts(person):
        return None
    asked = _Asked.of(request, fit, relation=relation, audited=audited)
    who = np.array([person])
    x, y = fit.table.some(who)
    found = asked.each(who, x, y)
    if len(found.apart):
        found = asked.alone(request, fit, who)
    return found.reason(0)


def audited_moves(request: Releasing, fit: Fit) -> AuditedRemovals | None:
    """Return the moves of the people of a nonlinear fit, as ``expose_model`` does.

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
    apart: People
    """Who was left out, since the fit rests on them alone."""

    def reason(self, place: int) -> Reason:
        """Return why the person at a place loses that much."""
        here = self.influence
        return Reason(
            person=int(self.who[place]),
            epsilon=float(self.epsilon[place]),
            value=float(self.target[place]),
            leverage=float(here.leverage[place]),
            residual=float(here.residual[place]),
            shift=float(here.move[place]),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Asked:
    """The losses of people of a part, with the fit of the whole. CONFIDENTIAL.

    Holds no rows: it goes to whoever reads the parts.
    """

    fit: Fit = field(repr=False)
    law: ModelMechanism
    """The law that the release really has."""
    delta: float
    rows: int
    """How many rows one unit owns."""
    guarantee: float
    audited: AuditedRemovals | None = field(repr=False)
    error: float = field(repr=False)

    @classmethod
    def of(
        cls,
        request: Releasing,
        fit: Fit,
        *,
        relation: NeighboringRelation,
        audited: AuditedRemovals | None,
    ) -> _Asked:
        """Return them, after the passes that they need."""
        if fit.people == 0:
            raise DataError("nobody has a value, so nobody's privacy loss exists.")
        law, rows = request.law.for_fit(fit), request.unit.rows
        if relation is not _REMOVED:
            raise ParameterError(
                "of everybody in parts losses are known for a person who was not "
                "there, not for one with another record: compare with the table "
                "without the person."
            )
        if audited is None:
            audited = audited_moves(request, fit)
        nobody = np.empty((0, fit.table.columns)), np.empty(0)
        asked = cls(
            fit=fit.seen_with(*nobody),
            law=law.seen_with(*nobody),
            delta=request.delta,
            rows=rows,
            guarantee=request.guarantee,
            audited=audited,
            error=0.0 if audited is None else audited.error,
        )
        if not law.tables:
            return asked
        span = Span.together(fit.table.each_named(asked.span))
        return replace(asked, law=asked.law.tabled(span, delta=request.delta))

    def each(self, who: People, x: FloatArray, y: FloatArray) -> _Some:
        """Return the losses of some people."""
        apart = self._apart(x)
        nobody = who[:0]
        if apart.any():
            who, nobody = who[~apart], who[apart]
            x, y = x[~apart], y[~apart]
        here = self._influence(who, x, y)
        epsilon = self._losses(self.law.seen_with(x, y), here)
        return _Some(who, y, here, epsilon, nobody)

    def span(self, who: People, x: FloatArray, y: FloatArray) -> Span:
        """Return what a table of losses must span for some people."""
        others = ~self._apart(x)
        return self.law.span(self._influence(who[others], x[others], y[others]))

    def alone(self, request: Releasing, fit: Fit, people: People) -> _Some:
        """Return those of people whom the fit rests on alone, by fits of all others."""
        x, y = fit.table.some(people)
        law = request.law.for_fit(fit)
        here = law.influence(fit, rows=self.rows, people=people)
        epsilon = self._losses(law.seen_with(x, y), here)
        return _Some(people, y, here, epsilon, people[:0])

    def _apart(self, x: FloatArray) -> NDArray[np.bool_]:
        """Tell whom a linear fit rests on alone; a nonlinear one was audited."""
        fit = self.fit
        if not fit.linear or fit.penalty.convexity(fit.people - 1) > _ROUNDED:
            return np.zeros(len(x), dtype=bool)
        halves = x @ fit.with_penalty_of(fit.people - 1).factor.inverse_root
        return np.asarray(np.einsum("ij,ij->i", halves, halves) >= UNIQUE_FROM)

    def _influence(self, who: People, x: FloatArray, y: FloatArray) -> Influence:
        fit = self.fit
        if fit.linear:
            law = self.law.seen_with(x, y)
            return law.influence(fit.seen_with(x, y), rows=self.rows)
        seen, audited = fit.seen_with(x, y), self.audited
        if audited is not None:
            audited = audited.seen_with(who, seen, self.law.metric)
        return self.law.influence(seen, rows=self.rows, audited=audited)

    def _losses(self, law: ModelMechanism, here: Influence) -> FloatArray:
        epsilon = law.losses(here, delta=self.delta)
        if self.rows == 1:
            return epsilon
        # Rows that the table does not hold lose no more than any real ones can.
        return np.minimum(epsilon, self.guarantee)


class _Counted(NamedTuple):
    """What is kept of the losses of some people. CONFIDENTIAL."""

    people: int
    end: float
    """Where the grid ends."""
    counts: FloatArray
    above: list[int]
    total: float
    given_away: int
    most: list[Reason]
    apart: People


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Count:
    """How losses are counted."""

    asked: _Asked = field(repr=False)
    levels: tuple[float, ...]

    def part(self, who: People, x: FloatArray, y: FloatArray) -> _Counted:
        """Return what is kept of the people of a part."""
        return self.people(self.asked.each(who, x, y))

    def people(self, some: _Some) -> _Counted:
        """Return what is kept of some people."""
        worst, epsilon = self.asked.guarantee, some.epsilon
        # Above the worst case by rounding only.
        rounded = (epsilon > worst) & (epsilon <= worst * (1 + _SAME))
        epsilon = np.where(rounded, worst, epsilon)
        finite = epsilon[np.isfinite(epsilon)]
        end = worst if math.isfinite(worst) else _power(finite.max(initial=0.0))
        # Where no guarantee ends it, the grid holds all of them.
        counts = _grid(end).counts(np.minimum(finite, end))
        last = max(len(epsilon) - MOST_KEPT, 0)
        least = np.partition(epsilon, last)[last] if len(epsilon) else 0.0
        some = some._replace(epsilon=epsilon)
        leading = np.flatnonzero(epsilon >= least)
        order = np.argsort(-epsilon[leading], kind="stable")[:MOST_KEPT]
        return _Counted(
            people=len(epsilon),
            end=end,
            counts=counts,
            above=[int(np.count_nonzero(epsilon > level)) for level in self.levels],
            total=float(epsilon.sum()),
            given_away=len(epsilon) - len(finite),
            most=[some.reason(at) for at in leading[order].tolist()],
            apart=some.apart,
        )


def _most(reasons: list[Reason]) -> tuple[Reason, ...]:
    """Return who loses most, most first; ties in the table's order."""
    order = sorted(reasons, key=lambda one: (-one.epsilon, one.person))
    return tuple(order[:MOST_KEPT])


def _grid(end: float) -> Grid:
    return Grid.of(end=end, cells=_CELLS)


def _power(loss: float) -> float:
    """Return the first power of 2 that holds a loss, at least ``_LEAST_END``."""
    return max(2.0 ** math.ceil(math.log2(loss)), _LEAST_END) if loss else _LEAST_END


def _coarser(counts: FloatArray, end: float, wanted: float) -> FloatArray:
    """Return counts in cells as long as those of a grid that ends at ``wanted``.

    Its end is a power of 2 times the present one: each of its cells is made of whole
    cells.
    """
    while end < wanted:
        pairs = counts.reshape(-1, 2).sum(axis=1)
        counts, end = np.concatenate([pairs, np.zeros(len(pairs))]), 2 * end
    return counts
