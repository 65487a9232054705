"""The regression model on screen with everybody's loss from it. CONFIDENTIAL.

Which column says what rows belong together, of households or of people with several,
is public; what follows from its values is not.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.analyses.model import ModelRequest
from dpcore.data.preparation.identifiers import unit_codes
from dpcore.formatting import people
from dpcore.individual.model_losses import ModelLosses, model_losses
from dpcore.models.glm import GlmFit
from dpcore.models.glm_influence import Audit, AuditedRemovals
from dpcore.models.loss_functions import ModelKind
from dpcore.relations import NeighboringRelation
from ui import session, work
from ui.individual.subject import ModelSubject
from ui.models import fitting
from ui.study import Study

COLUMNS: Final = ("model-exposure", "moved-base")
"""Slots with many numbers a person, which are quickly found again."""
_AT_ONCE: Final = 10_000_000
"""Rows that are gone over in a fraction of a second."""
_FEWEST, _MOST = 4, 100


def losses_of_model(
    study: Study, asked: ModelRequest, relation: NeighboringRelation, unit_column: int | None
) -> ModelSubject | None:
    """Return the model with everybody's loss; ``None`` while an audit goes on."""
    question = study.about(asked.question)
    fit = fitting.fitted(study, asked)
    if fit is None:
        return None
    audited = None
    if not fit.linear:
        audited = _audited(asked, fit, question)
        if audited is None:
            return None
    codes = _codes(study, asked, unit_column)

    def compute() -> ModelLosses:
        with st.spinner("Looking at everybody …", show_time=True):
            return model_losses(
                asked,
                fit,
                relation=relation,
                rows=asked.question.rows(study.in_memory),
                codes=codes,
                audited=audited,
            )

    done = 0 if audited is None else len(audited.refitted) + len(audited.stepped_twice)
    exposure = session.while_shown(
        "model-exposure",
        f"{relation} {unit_column} {done} {asked.analysis(study.fingerprint)}",
        compute,
    )
    return ModelSubject(
        request=asked,
        exposure=exposure,
        relation=relation,
        fit=fit,
        unit_column=unit_column,
        codes=codes,
        audited=audited,
    )


def _audited(asked: ModelRequest, fit: GlmFit, question: str) -> AuditedRemovals | None:
    """Return the audit of a nonlinear model, as far as it was carried out."""
    metric = asked.law.for_fit(fit).metric
    key, copies = f"{question} {asked.matrix}", asked.unit.rows
    audit = session.while_shown(
        "model-audit",
        key,
        lambda: Audit.of(fit, metric, rng=np.random.default_rng(0), copies=copies),
    )
    together = int(np.clip(_AT_ONCE // fit.people, _FEWEST, _MOST))
    pieces = work.follow(
        "model_refits",
        key,
        -(-len(audit.chosen) // together),
        lambda: audit.pieces(together),
        doing=f"Fitting again without the most exposed {session.unit().nouns}, and some others …",
    )
    if pieces is None:
        return None
    return session.while_shown(
        "model-audited", f"{key} {len(pieces)}", lambda: audit.result(pieces)
    )


def ask_units(study: Study, asked: ModelRequest, relation: NeighboringRelation) -> int | None:
    """Ask which column numbers the units; ``None`` where rows stand for themselves."""
    unit = asked.question.unit
    assumed = (
        "Every row counts as a unit of its own."
        if unit.rows == 1
        else f"Every row stands for a unit of {unit.rows} rows like it, the most that "
        f"one {unit.noun} may own (declared on “Data”)."
    )
    if study.parts is not None:
        st.caption(
            f"{assumed} Which rows really belong together is not asked of a table that "
            "stays in its files: all of them would have to be in memory."
        )
        return None
    linear = asked.question.model is ModelKind.LINEAR
    leaves = relation is NeighboringRelation.ADD_REMOVE
    if not (leaves and linear and asked.law.units_known):
        if unit.rows > 1:
            st.caption(
                f"{assumed} Which rows really belong together can be taken into "
                "account for linear models, released with noise of a public shape or "
                "as posterior samples, when units leave."
            )
        return None
    names = [column.name for column in study.dataset.columns]
    position = st.selectbox(
        "Rows with the same value belong together: by",
        range(len(names)),
        index=None,
        format_func=names.__getitem__,
        placeholder="the column that numbers households, if there is one",
        key=f"households-{session.generation()}",
        persist_state="session",
        help=f"{assumed} With a column, all rows of a household leave together. The "
        "guarantee stays what it is: about the number of rows declared on “Data”.",
    )
    return int(position) if position is not None else None


def _codes(study: Study, asked: ModelRequest, position: int | None) -> NDArray[np.intp] | None:
    """Return everybody's unit. CONFIDENTIAL."""
    if position is None:
        return None
    name = study.dataset.columns[position].name
    return session.while_shown(
        "model-units",
        f"{position} {study.about(asked.question)}",
        lambda: unit_codes(study.in_memory, name, asked.question.rows(study.in_memory)),
    )


def tell_units(asked: ModelRequest, codes: NDArray[np.intp]) -> None:
    """Say how many units there are, and whether the guarantee covers them."""
    rows, allowed = np.bincount(codes), asked.question.unit.rows
    st.caption(
        f"{people(len(rows), 'unit')} with up to {people(int(rows.max()), 'row')}: "
        "every row below shows what its whole unit loses."
    )
    more = int(np.count_nonzero(rows > allowed))
    if more:
        st.warning(
            f"The guarantee covers {people(allowed, 'row')} of a unit, and {more:,} "
            "here have more. Declare on “Data” how many rows one may own."
        )
