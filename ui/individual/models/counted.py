"""Everybody's losses from a model of a table in parts: counted. CONFIDENTIAL.

Nobody's loss is held. Counts on a grid, the most exposed with their reasons, and one
person who is looked up are found by reading the parts, with the fit of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import streamlit as st

from dpcore.analyses.model import ModelRequest
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import InPartsError
from dpcore.figures.attackers import belief_text
from dpcore.figures.individual.people import counted_picture
from dpcore.formatting import epsilon_text, in_full, rounded, significant
from dpcore.individual.guarantee_ladder import GuaranteeLadder
from dpcore.individual.losses import ExposedPerson, Losses
from dpcore.individual.model_losses import audited_moves, counted_model_losses, model_loss
from dpcore.models.glm_influence import AuditedRemovals
from dpcore.models.question import Fit
from dpcore.relations import NeighboringRelation
from ui import layout, results, session
from ui.individual import counted, everybody
from ui.individual.models import exposing
from ui.models import fitting
from ui.study import Study

_LEAVING: Final = NeighboringRelation.ADD_REMOVE
_LEFT_OUT_OF_MODEL: Final = (
    "Counted are people in cells of a thousandth of the guarantee: the largest loss, "
    "the average and the most exposed are as exact as in memory, other shares of "
    "people lie in a cell. Groups, rows that belong together by a column, another "
    "record in a person's place, moments, published bounds, moving somebody and what "
    "may be published need everybody's loss at once; a sample of the rows, uploaded as "
    "a file, shows them."
)
_GIVEN_AWAY: Final = (
    "No finite ε holds for this person: there are releases that give them away for "
    "certain. Raise the penalty or the noise."
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
    fit = fitting.fitted(study, asked)
    if fit is None:
        return
    audited = None
    if not fit.linear:
        audited = fitting.found(
            "model-audited",
            f"{study.about(asked.question)} {asked.matrix}",
            study,
            fit,
            lambda fit: audited_moves(asked, fit),
            doing=f"Fitting again without the most exposed {session.unit().nouns}, and some others",
        )
        if audited is None:
            return
    sides = {"Everybody": _everybody_of_model, "One person": _one_person_of_model}
    subject = _Subject(asked, study, fit, audited)
    layout.show(sides, subject, table, key="individual-view")


def _everybody_of_model(subject: _Subject, table: PartitionedDataset) -> None:
    del table
    asked, study, fit, audited = subject
    losses = fitting.found(
        "model-losses",
        subject.key,
        study,
        fit,
        lambda fit: counted_model_losses(asked, fit, audited=audited),
        doing="Working out everybody's loss",
    )
    if losses is None:
        return
    everybody.chain(_model_ladder(losses, asked), key=asked.mechanism_key)
    exposing.tell_audit(losses, fit, audited)
    if losses.infinite:
        st.warning(
            f"{session.unit().number(losses.infinite)} given away: no finite ε holds "
            "for them, and "
            "they are in no bar of the picture."
        )
    alike = asked.relation is _LEAVING
    picture = counted_picture(losses, key=asked.mechanism_key, alike=alike)
    results.show(picture, "exposure")
    counted.tell_threshold(losses)
    st.markdown("**Who is most exposed, and why**")
    if losses.upper:
        st.markdown(exposing.BOUNDED)
    counted.tell_ties(losses)
    _list(losses.most, upper=losses.upper)
    st.caption(_LEFT_OUT_OF_MODEL)
    everybody.why_not_publish(_LEAVING, model=True)


def _model_ladder(losses: Losses, asked: ModelRequest) -> GuaranteeLadder:
    return GuaranteeLadder(
        guarantee=losses.worst_case,
        for_all=losses.for_all,
        certificate=losses.certificate,
        maximum=losses.maximum,
        mean=losses.mean,
        relation=losses.relation,
        promised=asked.relation,
        upper=losses.upper,
    )


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
    row = counted.ask_row(table)
    looked = fitting.found(
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
        st.info(counted.NOT_THERE)
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
        f"the guarantee is ε {epsilon_text(promised)}"
        if math.isfinite(promised)
        else "no guarantee is known"
    )
    st.markdown(
        f"Row {person.entry + 1}: own privacy loss {limit}ε "
        f"{significant(person.epsilon, up=upper)} at δ {in_full(asked.delta)}, where "
        f"{guarantee}."
    )
    if math.isfinite(person.epsilon):
        st.markdown(
            f"About this {session.unit().noun}, {belief_text(person.epsilon, delta=asked.delta)}."
        )
    else:
        st.warning(_GIVEN_AWAY)
    if upper:
        st.markdown(exposing.BOUNDED)
    else:
        st.markdown(_model_reason(person))
    _list([person], upper=upper)


def _model_reason(person: ExposedPerson) -> str:
    """Return in a sentence what decides a loss."""
    return (
        f"The model fitted to everybody else misses this {session.unit().noun}'s "
        "target by "
        f"{significant(abs(person.residual))} (on the scale of the model), and the "
        f"record is {significant(person.leverage)} of its own prediction (the "
        "leverage): the two decide how far the coefficients move when the "
        f"{session.unit().noun} "
        "leaves, which the noise has to hide."
    )
