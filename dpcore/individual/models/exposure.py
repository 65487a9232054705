"""Everybody's privacy loss from the release of a model. CONFIDENTIAL."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.individual.losses import ExposedPerson, Losses
from dpcore.individual.models.losses import Leaving, leaving
from dpcore.models.glm_influence import AuditedRemovals
from dpcore.models.influence import Influence
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.question import Fit, ModelQuestion
from dpcore.models.ridge import RidgeFit
from dpcore.models.ridge_influence import replaced_moves
from dpcore.relations import NeighboringRelation, PrivacyUnit

_REMOVED: Final = NeighboringRelation.ADD_REMOVE


class Releasing(Protocol):
    """How a model is released. PUBLIC."""

    @property
    def question(self) -> ModelQuestion:
        """The model."""

    @property
    def law(self) -> ModelMechanism:
        """The law of the release, given the fit."""

    @property
    def unit(self) -> PrivacyUnit:
        """Whom the guarantee protects."""

    @property
    def delta(self) -> float:
        """What goes with every epsilon."""

    @property
    def guarantee(self) -> float:
        """The epsilon at ``delta`` over all tables; infinite if none is known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelExposure(Losses):
    """Everybody's privacy loss from the release of a model. CONFIDENTIAL.

    Leverage, residual, exact and note are as in ``Leaving``; ``shift_lengths`` are its
    ``lengths``, and ``audit`` is its ``error``.

    Attributes:
        relation: Which change of a person's record the losses are about.
        delta: What goes with every epsilon.
        worst_case: The guarantee over all tables, infinite if none is known. Public.
        for_all_found: The most that a search found anybody to lose, in this table or
            joining it with a record within the bounds.
        for_all_certificate: What nobody can exceed; infinite if no bound is known.
        values: Everybody's target, as scaled for the model.
        rows: The row of the table, from 0, of each person.

    """

    relation: NeighboringRelation
    delta: float
    worst_case: float
    for_all_found: float = field(repr=False)
    for_all_certificate: float = field(repr=False)
    leverage: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    shift_lengths: FloatArray = field(repr=False)
    values: FloatArray = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    audit: float = field(repr=False)
    exact: bool
    note: str

    @property
    def for_all(self) -> float:
        """Return the most that a search found anybody to lose, here or joining."""
        return self.for_all_found

    def most_exposed(self, count: int = 10) -> tuple[ExposedPerson, ...]:
        """Return the people who lose most, most first; ties in the table's order."""
        return tuple(
            ExposedPerson(
                entry=int(entry),
                value=float(self.values[entry]),
                shift=float(self.shift_lengths[entry]),
                epsilon=float(self.epsilon[entry]),
            )
            for entry in self.ranking(count)
        )


def known_relations(law: ModelMechanism, *, linear: bool) -> tuple[NeighboringRelation, ...]:
    """Return which changes of a record losses under a law are known for."""
    removal = (NeighboringRelation.ADD_REMOVE,)
    if linear and law.public:
        return (*removal, NeighboringRelation.SUBSTITUTION)
    return removal


def expose_model(
    request: Releasing,
    fit: Fit,
    *,
    relation: NeighboringRelation,
    rows: NDArray[np.intp] | None = None,
    codes: NDArray[np.intp] | None = None,
    audited: AuditedRemovals | None = None,
    rng: np.random.Generator | None = None,
) -> ModelExposure:
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
        ParameterError: Losses are not known for this law, model and relation.

    """
    if fit.people == 0:
        raise DataError("nobody has a value, so nobody's privacy loss exists.")
    law, delta = request.law.for_fit(fit), request.delta
    if relation not in known_relations(law, linear=fit.linear):
        raise ParameterError(
            "for this release losses are known for a person who was not there, not for "
            "one with another record: compare with the table without the person."
        )
    if codes is not None and relation is NeighboringRelation.SUBSTITUTION:
        raise ParameterError(
            "what other records of all rows of a unit would do is not known: compare "
            "with the table without the unit."
        )
    if relation is NeighboringRelation.SUBSTITUTION and fit.linear:
        here, certificate = _replaced(request, fit)
        found = 0.0
    else:
        here = leaving(
            law,
            fit,
            delta=delta,
            rows=request.unit.rows,
            codes=codes,
            audited=audited,
            rng=np.random.default_rng(0) if rng is None else rng,
        )
        found, certificate = law.added_record_losses(fit, request.question.design, delta=delta)
        if request.unit.rows > 1 or codes is not None:
            certificate = math.inf  # it is about newcomers of one row
    epsilon = here.epsilon
    if request.unit.rows > 1 and codes is None and relation is _REMOVED:
        # Rows that the table does not hold lose no more than any real ones can.
        epsilon = np.minimum(epsilon, request.guarantee)
    largest = float(np.max(epsilon))
    return ModelExposure(
        epsilon=epsilon,
        ordered=np.sort(epsilon),
        relation=relation,
        delta=delta,
        worst_case=request.guarantee,
        for_all_found=max(found, largest),
        for_all_certificate=max(certificate, largest),
        leverage=here.leverage,
        residual=here.residual,
        shift_lengths=here.lengths,
        values=fit.target,
        rows=np.arange(fit.people) if rows is None else rows,
        audit=here.error,
        exact=here.exact,
        note=here.note,
        upper=here.upper,
    )


def _replaced(request: Releasing, fit: RidgeFit) -> tuple[Leaving, float]:
    """Return losses of records that become another one, and a bound on all of them.

    Of leaving only leverage, residual and moves are asked for: what it would cost
    everybody is a question of its own.
    """
    law, owned = request.law, request.unit.rows
    here = law.influence(fit, rows=owned)
    lengths, bound = replaced_moves(fit, law.metric, request.question.design, here.move, rows=owned)
    both = Influence.of_moves(np.append(lengths, bound))
    losses = law.losses(both, delta=request.delta)
    note = "the largest loss found over other records"
    if owned > 1:
        note = f"{owned} times the largest move found for another record in one row"
    replaced = Leaving(
        epsilon=losses[:-1],
        leverage=here.leverage,
        residual=here.residual,
        lengths=lengths,
        exact=False,
        note=f"{note}; no proof that it is the worst",
    )
    return replaced, float(losses[-1])
