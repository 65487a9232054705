"""The regression model on screen with everybody's loss from it. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import streamlit as st

from dpcore.individual.models.exposure import expose_model
from dpcore.models.glm.audit import Audit
from ui import session, work
from ui.individual.models import units
from ui.individual.subject import ModelSubject

if TYPE_CHECKING:
    from dpcore.individual.models.exposure import ModelExposure
    from dpcore.models.glm.audit import AuditedRemovals
    from dpcore.models.glm.fit import GlmFit
    from dpcore.relations import NeighboringRelation
    from dpcore.releases.models.request import ModelRequest
    from ui.study import Study

_AT_ONCE: Final = 10_000_000
"""Rows that are gone over in a fraction of a second."""
_FEWEST, _MOST = 4, 100


def of(
    study: Study,
    asked: ModelRequest,
    relation: NeighboringRelation,
    unit_column: int | None,
) -> ModelSubject | None:
    """Return the model with everybody's loss; ``None`` while an audit goes on."""
    question = study.about(asked.question)
    fit = session.remember(
        "model-fit", question, lambda: asked.question.fit(study.dataset)
    )
    audited = None
    if not fit.linear:
        audited = _audited(asked, fit, question)
        if audited is None:
            return None
    codes = units.codes_of(study, asked, unit_column)

    def compute() -> ModelExposure:
        with st.spinner("Looking at everybody …", show_time=True):
            return expose_model(
                asked,
                fit,
                relation=relation,
                rows=asked.question.rows(study.dataset),
                codes=codes,
                audited=audited,
            )

    done = 0 if audited is None else len(audited.refitted) + len(audited.stepped_twice)
    exposure = session.remember(
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
    metric = fit.law_of(asked.law).metric
    key, copies = f"{question} {asked.matrix}", asked.unit.rows
    audit = session.remember(
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
        doing="Fitting again without the most exposed people, and some others …",
    )
    if pieces is None:
        return None
    return session.remember(
        "model-audited", f"{key} {len(pieces)}", lambda: audit.result(pieces)
    )
