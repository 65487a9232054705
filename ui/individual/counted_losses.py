"""Everybody's losses from a statistic of a table in parts: counted. CONFIDENTIAL.

Nobody's loss is held. Counts on a grid, the largest losses with their rows, groups, and
one person who is looked up are found by reading the parts twice.

Everybody's losses from a model of a table in parts: counted. CONFIDENTIAL.

Nobody's loss is held. Counts on a grid, the most exposed with their reasons, and one
person who is looked up are found by reading the parts, with the fit of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.model import ModelRequest
from dpcore.analyses.reading import StatisticRequest
from dpcore.data.columns import Column
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import InPartsError
from dpcore.figures.attackers import belief_text
from dpcore.figures.individual.people import counted_picture, groups_picture
from dpcore.figures.theme import Picture
from dpcore.formatting import epsilon_text, in_full, percent, rounded, significant
from dpcore.individual.explanation import explain_alone
from dpcore.individual.losses import ExposedPerson, GuaranteeLadder, Losses
from dpcore.individual.model_losses import audited_moves, counted_model_losses, model_loss
from dpcore.individual.per_instance_loss import counted_losses, person_of_row
from dpcore.models.glm_influence import AuditedRemovals
from dpcore.models.question import Fit
from dpcore.relations import NeighboringRelation
from ui import controls, layout, partwise, results, session
from ui.individual import everybody, model_losses, statistic_losses
from ui.models import modelling
from ui.study import Study
from ui.text import literal

_TWICE: Final = 2
_EVERYBODY: Final = "Computing everybody's loss"
NOT_THERE: Final = (
    "This row has no value of what is asked for, so it is not part of the release. "
    "Choose another one."
)
_LEFT_OUT: Final = (
    "People are counted in bins of a thousandth of the guarantee. The largest and average "
    "loss are exact, other quantiles lie within a bin. The other views need all losses in "
    "memory. Upload a sample of the rows to see them."
)


def views(
    asked: StatisticRequest | ModelRequest, study: Study, relation: NeighboringRelation
) -> None:
    """Show everybody's loss, or one person's, from the side that is open.

    Raises:
        InPartsError: Losses of this kind of release are not counted in parts.

    """
    table = study.parts
    if table is None or not isinstance(asked, Request):
        raise InPartsError("Losses from this release are not computed of a table in parts.")
    sides = {"All people": _everybody, "One person": _one_person}
    layout.show(sides, asked, study, table, relation, key="individual-view")


def _everybody(
    asked: Request, study: Study, table: PartitionedDataset, relation: NeighboringRelation
) -> None:
    losses = partwise.found(
        "counted-losses",
        f"{relation} {asked.analysis(study.fingerprint)}",
        table,
        lambda read: counted_losses(
            asked.plan, asked.query, read, delta=asked.used_delta, relation=relation
        ),
        doing=_EVERYBODY,
        passes=_TWICE,
    )
    if losses is None:
        return
    everybody.in_short(losses.worst_case, losses.maximum, losses.mean)
    alike = relation is asked.relation
    if (relation, asked.relation) == everybody.REPLACED_NOT_PROMISED:
        st.info(everybody.REPLACED)
    results.show(_picture(losses, asked.mechanism_key, alike=alike), "exposure")
    tell_threshold(losses)
    st.markdown("**Most exposed**")
    first = losses.most[0]
    st.markdown(literal(_reason(first, asked, relation)))
    tell_ties(losses)
    results.table(
        {"rank": everybody.ranks(losses.most)} | _listed(losses.most, asked),
        column_config={"moves the answer by": results.THREE_DIGITS, **everybody.OWN_DIGITS},
        key="most-exposed",
    )
    _groups(asked, study, table, relation)
    st.caption(_LEFT_OUT)
    everybody.why_not_publish(relation, model=False)


def _picture(losses: Losses, key: str, *, alike: bool) -> Picture:
    return counted_picture(losses, key=key, alike=alike, unit=session.unit())


def tell_threshold(losses: Losses) -> None:
    """Say how many lose more than a number."""
    limit = everybody.ask_threshold(losses.worst_case)
    least, most = (percent(share) for share in losses.exceeding(limit))
    share = least if least == most else f"Between {least} and {most}"
    everybody.tell_exceeding(share, limit, losses.maximum)


def tell_ties(losses: Losses) -> None:
    """Say how many lose as much as the most exposed person, if others do."""
    people = losses.most
    tied = sum(math.isclose(one.epsilon, losses.maximum) for one in people)
    if tied > 1:
        least = "At least " if tied == len(people) else ""
        st.markdown(f"{least}{tied} {session.unit().with_losses} are tied at rank 1.")


def _reason(person: ExposedPerson, asked: Request, relation: NeighboringRelation) -> str:
    replaced = relation is NeighboringRelation.SUBSTITUTION
    return explain_alone(person, asked.query, replaced=replaced)


def _listed(people: Sequence[ExposedPerson], asked: Request) -> dict[str, list[object]]:
    values = np.array([person.values for person in people])
    if values.shape[1] == 1:
        values = values[:, 0]
    shown: dict[str, list[object]] = {"row": [person.entry + 1 for person in people]}
    shown |= statistic_losses.in_use(asked, values)
    if not asked.query.kind.of_places:
        shown["moves the answer by"] = [person.shift for person in people]
    own = np.array([person.epsilon for person in people])
    return shown | {everybody.OWN: [*rounded(own)]}


def _groups(
    asked: Request, study: Study, table: PartitionedDataset, relation: NeighboringRelation
) -> None:
    """Show who bears the loss, by a category."""
    column = everybody.ask_group(study)
    if column is None:
        return
    losses = partwise.found(
        "counted-groups",
        f"{relation} {asked.analysis(study.fingerprint)} {column}",
        table,
        partial(_grouped, asked=asked, relation=relation, by=study.dataset.column(column)),
        doing="Comparing groups",
        passes=_TWICE,
    )
    if losses is not None:
        picture = groups_picture(
            losses.groups, by=column, key=asked.mechanism_key, unit=session.unit()
        )
        results.show(picture, "groups")


def _grouped(
    table: PartitionedDataset, asked: Request, relation: NeighboringRelation, by: Column
) -> Losses:
    return counted_losses(
        asked.plan, asked.query, table, delta=asked.used_delta, relation=relation, by=by
    )


def _one_person(
    asked: Request, study: Study, table: PartitionedDataset, relation: NeighboringRelation
) -> None:
    """Look one person up, by the row of the table."""
    row = ask_row(table)
    person = partwise.found(
        "looked-up",
        f"{relation} {asked.analysis(study.fingerprint)} {row}",
        table,
        lambda read: _Looked(
            person_of_row(
                asked.plan, asked.query, read, row - 1, delta=asked.used_delta, relation=relation
            )
        ),
        doing=f"Looking this {session.unit().noun} up",
    )
    if person is not None:
        _tell(person.place, row, asked, relation)


def ask_row(table: PartitionedDataset) -> int:
    """Ask whom to look up, by the row of the table, from 1."""
    row = controls.row([1, 2])[0].number(
        f"Row, from 1 to {table.rows:,}",
        1,
        (1, table.rows),
        key=f"one-person-row-{session.generation()}",
        kept="page",
        note="Rows are counted over all files of the table, in the order of their names.",
    )
    return int(row)


class _Looked(NamedTuple):
    """Somebody who was looked for. CONFIDENTIAL."""

    place: ExposedPerson | None


def _tell(
    person: ExposedPerson | None, row: int, asked: Request, relation: NeighboringRelation
) -> None:
    if person is None:
        st.info(NOT_THERE)
        return
    delta = asked.used_delta
    at = f" at δ = {in_full(delta)}" if delta else ""
    st.markdown(
        f"Row {row}: own privacy loss ε = {significant(person.epsilon)}{at}, where the "
        f"guarantee is ε = {epsilon_text(asked.effective_epsilon)}. About this "
        f"{session.unit().noun}, "
        f"{belief_text(person.epsilon, delta=delta)}."
    )
    st.markdown(literal(_reason(person, asked, relation)))
    results.table(
        _listed([person], asked),
        column_config={"moves the answer by": results.THREE_DIGITS, **everybody.OWN_DIGITS},
        key="looked-up",
    )
    st.caption(_LEFT_OUT)


_LEAVING: Final = NeighboringRelation.ADD_REMOVE
_LEFT_OUT_OF_MODEL: Final = (
    "People are counted in bins of a thousandth of the guarantee. The largest and average "
    "loss are as exact as in memory, other quantiles lie within a bin. The other views need "
    "all losses in memory. Upload a sample of the rows to see them."
)
_GIVEN_AWAY: Final = (
    "No finite ε holds for this person: some releases reveal them with certainty. Raise the "
    "penalty or the noise."
)


class _Subject(NamedTuple):
    """A model with its fit, and the audit of one that is not linear. CONFIDENTIAL."""

    asked: ModelRequest
    study: Study
    fit: Fit
    audited: AuditedRemovals | None

    @property
    def key(self) -> str:
        """Return what results about it are kept by."""
        return self.asked.analysis(self.study.fingerprint)


def model_views(asked: ModelRequest, study: Study) -> None:
    """Show everybody's loss, or one person's, from the side that is open.

    Raises:
        DPCoreError: There is no fit, or losses from such a release are not known.
        InPartsError: The table is in memory.

    """
    table = study.parts
    if table is None:
        raise InPartsError("Losses are counted of a table in parts.")
    fit = modelling.fitted(study, asked)
    if fit is None:
        return
    audited = None
    if not fit.linear:
        audited = modelling.found(
            "model-audited",
            f"{study.about(asked.question)} {asked.matrix}",
            study,
            fit,
            lambda fit: audited_moves(asked, fit),
            doing=f"Fitting again without the most exposed {session.unit().nouns}, and some others",
        )
        if audited is None:
            return
    sides = {"All people": _everybody_of_model, "One person": _one_person_of_model}
    subject = _Subject(asked, study, fit, audited)
    layout.show(sides, subject, table, key="individual-view")


def _everybody_of_model(subject: _Subject, table: PartitionedDataset) -> None:
    del table
    asked, study, fit, audited = subject
    losses = modelling.found(
        "model-losses",
        subject.key,
        study,
        fit,
        lambda fit: counted_model_losses(asked, fit, audited=audited),
        doing="Computing everybody's loss",
    )
    if losses is None:
        return
    everybody.chain(
        GuaranteeLadder(
            guarantee=losses.worst_case,
            for_all=losses.for_all,
            certificate=losses.certificate,
            maximum=losses.maximum,
            mean=losses.mean,
            relation=losses.relation,
            promised=asked.relation,
            upper=losses.upper,
        ),
        key=asked.mechanism_key,
    )
    model_losses.tell_audit(losses, fit, audited)
    if losses.infinite:
        st.warning(
            "No finite ε holds, and no bar of the figure shows it: "
            f"{session.unit().number(losses.infinite)}."
        )
    alike = asked.relation is _LEAVING
    picture = _picture(losses, asked.mechanism_key, alike=alike)
    results.show(picture, "exposure")
    tell_threshold(losses)
    st.markdown("**Most exposed**")
    if losses.upper:
        st.markdown(model_losses.BOUNDED)
    tell_ties(losses)
    _list(losses.most, upper=losses.upper)
    st.caption(_LEFT_OUT_OF_MODEL)
    everybody.why_not_publish(_LEAVING, model=True)


def _list(reasons: Sequence[ExposedPerson], *, upper: bool) -> None:
    """List people by row with their losses, and what decides these where it is known.

    Of bounds nothing but a person's own record does.
    """
    shown: dict[str, list[float]] = {"row": [one.entry + 1 for one in reasons]}
    if not upper:
        shown["leverage"] = [one.leverage for one in reasons]
        shown["residual"] = [one.residual for one in reasons]
        shown["moves the model by"] = [one.shift for one in reasons]
    own = np.array([one.epsilon for one in reasons])
    name = everybody.OWN_LIMIT if upper else everybody.OWN
    results.table(
        shown | {name: [*rounded(own, up=upper)]},
        column_config={
            **dict.fromkeys(list(shown)[1:], results.THREE_DIGITS),
            **everybody.OWN_DIGITS,
        },
        key="most-exposed",
    )


def _one_person_of_model(subject: _Subject, table: PartitionedDataset) -> None:
    """Look one person up, by the row of the table."""
    asked, study, fit, audited = subject
    row = ask_row(table)
    looked = modelling.found(
        "model-person",
        f"{row} {subject.key}",
        study,
        fit,
        lambda fit: _LookedUp(model_loss(asked, fit, row - 1, audited=audited)),
        doing=f"Looking this {session.unit().noun} up",
    )
    if looked is None:
        return
    if looked.person is None:
        st.info(NOT_THERE)
        return
    _tell_of_model(looked.person, asked, upper=asked.law.for_fit(fit).upper)
    st.caption(_LEFT_OUT_OF_MODEL)


class _LookedUp(NamedTuple):
    """Somebody who was looked for. CONFIDENTIAL."""

    person: ExposedPerson | None


def _tell_of_model(person: ExposedPerson, asked: ModelRequest, *, upper: bool) -> None:
    limit = "at most " if upper else ""
    promised = asked.guarantee
    guarantee = (
        f"the guarantee is ε = {epsilon_text(promised)}"
        if math.isfinite(promised)
        else "no guarantee is known"
    )
    st.markdown(
        f"Row {person.entry + 1}: own privacy loss {limit}ε = "
        f"{significant(person.epsilon, up=upper)} at δ = {in_full(asked.delta)}, where "
        f"{guarantee}."
    )
    if math.isfinite(person.epsilon):
        st.markdown(
            f"About this {session.unit().noun}, {belief_text(person.epsilon, delta=asked.delta)}."
        )
    else:
        st.warning(_GIVEN_AWAY)
    if upper:
        st.markdown(model_losses.BOUNDED)
    else:
        st.markdown(
            f"The model fitted to everybody else misses this {session.unit().noun}'s target by "
            f"{significant(abs(person.residual))} (on the scale of the model). The record "
            f"makes up {significant(person.leverage)} of its own prediction (the leverage). Both "
            f"determine how far the coefficients move if the {session.unit().noun} leaves, "
            "which the noise has to hide."
        )
    _list([person], upper=upper)
