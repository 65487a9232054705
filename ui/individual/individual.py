"""The views of the Individual privacy page: one subject, looked at from several sides.

Only the view that is open is computed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.figures.wording import epsilon_text
from dpcore.individual.model_exposure import known_relations
from dpcore.models.kinds import ModelKind
from dpcore.relations import NeighboringRelation
from dpcore.releases.request import Request
from ui.individual import (
    exposing,
    model_exposing,
    one_person,
    person_totals,
    publishing,
    what_if,
)
from ui.individual.subject import StatisticSubject

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.releases.model_request import ModelRequest
    from ui.individual.subject import Subject
    from ui.study import Study


def relations(asked: Request | ModelRequest) -> tuple[NeighboringRelation, ...]:
    """Return which changes of a record losses are known for."""
    if isinstance(asked, Request):
        return (NeighboringRelation.ADD_REMOVE, NeighboringRelation.SUBSTITUTION)
    linear = asked.question.model is ModelKind.LINEAR
    return known_relations(asked.law, linear=linear)


def promise(asked: Request | ModelRequest) -> str:
    """Return the guarantee over all tables, in a few characters."""
    real = asked.real_epsilon if isinstance(asked, Request) else asked.guarantee
    return f"ε {epsilon_text(real)}" if math.isfinite(real) else "none is known"


def subject(
    study: Study, asked: Request | ModelRequest, relation: NeighboringRelation
) -> Subject:
    """Return what is asked for with everybody's loss from it. CONFIDENTIAL."""
    if not isinstance(asked, Request):
        return model_exposing.subject(study, asked, relation)
    exposure = exposing.everybody(study, asked, relation)
    return StatisticSubject(request=asked, exposure=exposure, relation=relation)


def views(subject: Subject, study: Study) -> None:
    """Show the subject, from the side that is open."""
    sides: dict[str, Callable[[Subject, Study], None]] = {
        "Everybody": _everybody,
        "One person": one_person.show,
        "What if": what_if.show,
        "Why not publish, and what may be": publishing.show,
        "Over the whole ledger": person_totals.show,
    }
    tabs = st.tabs(list(sides), key="individual-view", bind="query-params")
    for tab, show in zip(tabs, sides.values(), strict=True):
        if tab.open:
            with tab:
                show(subject, study)


def _everybody(subject: Subject, study: Study) -> None:
    if isinstance(subject, StatisticSubject):
        exposing.show(subject, study)
    else:
        model_exposing.show(subject, study)
