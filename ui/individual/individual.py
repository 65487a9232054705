"""The views of the Individual privacy page: one subject, looked at from several sides.

Only the view that is open is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.model import ModelRequest
from dpcore.analyses.reading import StatisticRequest
from dpcore.formatting import epsilon_text, significant
from dpcore.individual.model_losses import known_relations
from dpcore.models.loss_functions import ModelKind
from dpcore.relations import NeighboringRelation
from ui import controls, exposures, layout, partwise, question_form, session
from ui.individual import (
    counted_losses,
    counterfactuals,
    model_losses,
    one_person,
    publishing,
    resampled,
    statistic_losses,
)
from ui.individual import ledger_totals as person_totals
from ui.individual import subject as subject_of
from ui.individual.subject import (
    AnySubject,
    ModelSubject,
    ResampledSubject,
    StatisticSubject,
    SubjectKind,
)
from ui.models import modelling
from ui.study import Study

_WORLDS = {
    NeighboringRelation.ADD_REMOVE: "the table without the record",
    NeighboringRelation.SUBSTITUTION: "another record in its place",
}


_EARLIER_WORLDS = {
    "the person had not been there": NeighboringRelation.ADD_REMOVE,
    "the table without the person": NeighboringRelation.ADD_REMOVE,
    "another record in their place": NeighboringRelation.SUBSTITUTION,
    "the person's record had been another": NeighboringRelation.SUBSTITUTION,
}
_EARLIER_VIEWS = {
    "Move somebody": "What-if",
    "Why not publish, and what may be": "Publishing losses",
    "Over the whole ledger": "All releases",
}
"""What older links call them."""
_LEAVING_ONLY = (
    "The guarantee is about replacing a record. Losses from replacing are computed only for "
    "linear models with noise of a public shape. For this release losses are about leaving."
)
_LEAVING_IN_PARTS = (
    "The guarantee is about replacing a record. For a model and a table that stays in its files, "
    "losses are computed about leaving only."
)
_FURTHER = (one_person.show, counterfactuals.show, publishing.show)
_SIDES: dict[type, tuple[Callable[..., None], ...]] = {
    StatisticSubject: (statistic_losses.show, *_FURTHER),
    ModelSubject: (model_losses.show, *_FURTHER),
    ResampledSubject: (
        resampled.show,
        resampled.person,
        resampled.no_what_if,
        resampled.no_publishing,
    ),
}
"""What shows everybody, one person, somebody moved, and what may be published."""


def ask(kind: SubjectKind, study: Study) -> StatisticRequest | ModelRequest:
    """Show the controls of what is released, and return it."""
    if kind is SubjectKind.MODEL:
        return modelling.ask(study)
    if kind is SubjectKind.RESAMPLES:
        if not partwise.in_memory(study, "A number from resamples"):
            session.end_page()
        return resampled.ask(study)
    return question_form.ask(study)


def show(
    study: Study,
    asked: StatisticRequest | ModelRequest,
    relation: NeighboringRelation,
    unit_column: int | None,
) -> None:
    """Show everybody's loss from what is asked, from the side that is open."""
    if study.parts is not None:
        counted_losses.show(asked, study, relation)
    else:
        views(subject(study, asked, relation, unit_column), study)


def definitions(kind: SubjectKind) -> str:
    """Define what is shown of what kind of thing."""
    more = {
        SubjectKind.MODEL: model_losses.definitions,
        SubjectKind.RESAMPLES: resampled.definitions,
    }
    about = [more[kind]()] if kind in more else []
    return "\n\n".join([statistic_losses.definitions(), *about])


def ask_change(asked: StatisticRequest | ModelRequest, study: Study) -> NeighboringRelation:
    """Show the control of which change of a record losses are about; return it."""
    if not isinstance(asked, Request | ModelRequest):
        st.caption(resampled.compared(asked))
        return asked.query.relation
    if isinstance(asked, ModelRequest):
        known = _known(asked, study)
        # Options differ between releases, and each has its own default.
        key, usual = f"model-what-if-{len(known)}", known[0]
        if study.terms.relation in known:
            usual = study.terms.relation
        else:
            st.caption(_LEAVING_ONLY if study.parts is None else _LEAVING_IN_PARTS)
    else:
        known = (NeighboringRelation.ADD_REMOVE, NeighboringRelation.SUBSTITUTION)
        key, usual = "what-if", study.terms.relation
        if asked.query.kind.pooled:
            # Nobody can leave a table whose groups have public sizes.
            key = "what-if-pooled"
    controls.read_older(key, _EARLIER_WORLDS)
    return controls.HERE.radio(
        "Compared with",
        known,
        index=known.index(usual),
        format_func=_WORLDS.__getitem__,
        key=key,
        kept="table",
        declared=study.terms.relation,
        note=f"The same table without the {session.unit().noun}, or with the most revealing "
        "other record in their place.",
    )


def _known(asked: ModelRequest, study: Study) -> tuple[NeighboringRelation, ...]:
    """Return which changes of a record losses from a model are known for."""
    if study.parts is not None:
        return (NeighboringRelation.ADD_REMOVE,)
    linear = asked.question.model is ModelKind.LINEAR
    return known_relations(asked.law, linear=linear)


def ask_units(
    asked: StatisticRequest | ModelRequest, study: Study, relation: NeighboringRelation
) -> int | None:
    """Ask which column says whose rows belong together, for a model."""
    if not isinstance(asked, ModelRequest):
        return None
    return model_losses.ask_units(study, asked, relation)


def guarantee(asked: StatisticRequest | ModelRequest) -> str:
    """Return the guarantee over all tables, in a few characters."""
    real, delta = subject_of.guarantee(asked)
    if not math.isfinite(real):
        return "none is known"
    also = f", δ = {significant(delta, up=True)}" if delta else ""
    return f"ε = {epsilon_text(real)}{also}"


def subject(
    study: Study,
    asked: StatisticRequest | ModelRequest,
    relation: NeighboringRelation,
    unit_column: int | None = None,
) -> AnySubject | None:
    """Return what is asked for with everybody's loss from it. CONFIDENTIAL.

    ``None`` while an audit goes on.
    """
    if isinstance(asked, ModelRequest):
        session.let_go(exposures.COLUMNS)
        return model_losses.losses_of_model(study, asked, relation, unit_column)
    session.let_go(model_losses.COLUMNS)
    if not isinstance(asked, Request):
        return resampled.subject(study, asked)
    exposure = exposures.exposed(study, asked, relation)
    return StatisticSubject(request=asked, exposure=exposure, relation=relation)


def views(subject: AnySubject | None, study: Study) -> None:
    """Show the subject, from the side that is open; nothing while it is computed."""
    if subject is None:
        return
    if isinstance(subject, ModelSubject) and subject.codes is not None:
        model_losses.tell_units(subject.request, subject.codes)
    everybody, one, moved, published = _SIDES[type(subject)]
    unit = session.unit()
    everyone, single = f"All {unit.nouns}", f"One {unit.noun}"
    sides = {
        everyone: everybody,
        single: one,
        "What-if": moved,
        "Publishing losses": published,
        "All releases": person_totals.show,
    }
    older = {"Everybody": everyone, "All people": everyone, "One person": single}
    layout.show(sides, subject, study, key="individual-view", older=older | _EARLIER_VIEWS)
