"""Everybody's loss from a regression model. CONFIDENTIAL.

The regression model on screen with everybody's loss from it. CONFIDENTIAL.

Which column says what rows belong together, of households or of people with several,
is public; what follows from its values is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.analyses.model import ModelRequest
from dpcore.data.preparation.aggregation import unit_codes
from dpcore.errors import ParameterError
from dpcore.figures.individual.guarantees import (
    LossCauses,
    audit_text,
    iso_epsilon_picture,
    split_picture,
)
from dpcore.formatting import epsilon_text, people, percent
from dpcore.individual.losses import MOST_KEPT, ExposedPerson, Losses
from dpcore.individual.model_losses import ModelLosses, model_losses
from dpcore.models.glm import GlmFit
from dpcore.models.glm_influence import Audit, AuditedRemovals
from dpcore.models.loss_functions import ModelKind
from dpcore.models.question import Fit
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.studies.individual.leverage_map import Causes, LeverageMap, causes, leverage_map
from ui import layout, results, session, work
from ui.individual import everybody, model_details, one_person
from ui.individual.subject import ModelSubject
from ui.models import modelling
from ui.study import Study
from ui.text import literal

BOUNDED = (
    "For this release only an upper bound on each loss is known, from the length of "
    "the person's own features and public numbers. How unusual somebody is among the "
    "others, or how badly predicted, plays no part in it."
)
_TOLERATED = 0.05


def show(subject: ModelSubject, study: Study) -> None:
    """Show everybody's loss from the release of a model."""
    everybody.show(
        subject.exposure,
        subject.request,
        remarks=partial(_remarks, subject),
        most_exposed=partial(_why, subject, study),
        groups=partial(everybody.groups, subject, study),
        closer=partial(_closer, subject, study),
    )


def _remarks(subject: ModelSubject) -> None:
    exposure, asked = subject.exposure, subject.request
    tell_audit(exposure, subject.fit, subject.audited)
    if subject.relation is NeighboringRelation.SUBSTITUTION:
        st.markdown(_replaced_text(exposure, asked.relation, asked.unit))


def _closer(subject: ModelSubject, study: Study) -> None:
    """Offer what else can be read from the losses."""
    analysis = subject.identity(study)
    layout.folded(
        "People with several rows (households)",
        "closer-households",
        partial(model_details.households, subject, study),
    )
    everybody.moments(subject, study)
    layout.folded(
        "What this says about overfitting",
        "closer-overfitting",
        lambda: model_details.overfitting(subject, analysis, _causes(subject, analysis)),
    )
    layout.folded(
        "Published bounds beside the exact loss",
        "closer-bounds",
        lambda: model_details.bounds(subject, analysis, _causes(subject, analysis)),
    )
    layout.folded(
        "Privacy against accuracy",
        "closer-frontier",
        partial(model_details.privacy_against_accuracy, subject, study),
    )


def tell_audit(losses: Losses, fit: Fit, audited: AuditedRemovals | None) -> None:
    """Say how exact losses are, and how well an approximation did."""
    if losses.note:
        st.caption(literal(f"Losses here are {losses.note}."))
        return
    if fit.linear:
        st.badge("Exact for everybody", icon=":material/check:", color="green")
        return
    error = losses.error
    good = error <= _TOLERATED
    checked = 0 if audited is None else len(audited.refitted)
    if checked == 0:
        st.badge(
            "Approximation not audited: it was stopped", icon=":material/warning:", color="orange"
        )
        return
    st.badge(
        f"Approximation audited: {percent(error)} off at most"
        if np.isfinite(error)
        else "Approximation audited: not everybody has a fit without them",
        icon=":material/check:" if good else ":material/warning:",
        color="green" if good else "orange",
    )
    st.caption(
        audit_text(error, people=losses.people, refitted=checked, unit=session.unit())
        + " Those who were fitted again count with their exact loss."
    )


def _causes(subject: ModelSubject, analysis: str) -> Causes:
    exposure, asked = subject.exposure, subject.request
    return session.while_shown(
        "model-causes",
        analysis,
        lambda: causes(
            asked.law,
            subject.fit,
            leverage=exposure.influence.leverage,
            residual=exposure.influence.residual,
            shift=exposure.influence.move,
            delta=asked.delta,
            leaves=subject.relation is NeighboringRelation.ADD_REMOVE,
        ),
    )


def _why(subject: ModelSubject, study: Study) -> None:
    """List who is most exposed, and offer what each cause has to do with it.

    Of bounds nothing but a person's own record is a cause.
    """
    exposure = subject.exposure
    bounded = exposure.upper and subject.codes is None
    if bounded:
        st.markdown(BOUNDED)
        if exposure.tied > MOST_KEPT:
            st.markdown(f"{session.unit().number(exposure.tied)} are tied at the top.")
            return
    listed = exposure.most_exposed()
    most = [person.entry for person in listed]
    who = one_person.who(exposure.rows[most], study)
    if bounded:
        everybody.list_people(listed, who, upper=True)
        return
    leverage = {"leverage": exposure.influence.leverage[most]}
    everybody.list_people(listed, who, leverage, upper=exposure.upper)
    layout.folded(
        "Why: leverage against residual", "model-why", lambda: _mapped(subject, study, listed, who)
    )


def _mapped(
    subject: ModelSubject,
    study: Study,
    listed: Sequence[ExposedPerson],
    who: Mapping[str, Sequence[object]],
) -> None:
    """Show leverage against residual, and the causes for the most exposed."""
    exposure, analysis = subject.exposure, subject.identity(study)
    why = _causes(subject, analysis)
    try:
        found = session.remember(
            "model-map",
            analysis,
            lambda: leverage_map(
                why.leverage, why.residual, exposure.epsilon, loss_at=why.loss_at, most=MOST_KEPT
            ),
        )
    except ParameterError:
        st.info(
            f"There is nothing to draw: no {session.unit().noun} has leverage, or no fit exists "
            "without one of them. With a penalty such a fit exists."
        )
    else:
        _explained(subject, why, found, analysis)
    most = [person.entry for person in listed]
    causes = {why.short: why.leverage[most], "residual": why.residual[most]}
    everybody.list_people(
        listed, who, causes, upper=exposure.upper, ranked=False, key="most-exposed-why"
    )


def _explained(subject: ModelSubject, why: Causes, found: LeverageMap, analysis: str) -> None:
    """Show the map, and for the most exposed how much each cause adds."""
    rows = (subject.exposure.rows[found.top] + 1).tolist()
    picture = iso_epsilon_picture(
        found,
        rows=rows,
        leverage=why.name,
        residual=f"residual without the {session.unit().noun}",
        unit=session.unit(),
    )
    results.show(picture, "leverage-map")
    if found.left_out:
        st.caption(
            f"{session.unit().number(found.left_out)} not on the map: without leverage, or "
            "without a finite ε because there is no fit without them."
        )
    if np.isfinite(found.floor):
        st.markdown(_floor_text(found.floor, sampled=subject.request.mechanism_key == "posterior"))
    split = session.remember("model-split", analysis, lambda: _split(why, found, rows))
    results.show(split_picture(split), "split")


def _split(why: Causes, found: LeverageMap, rows: list[int]) -> LossCauses:
    known = np.isfinite(why.leverage) & np.isfinite(why.residual)
    pull = float(np.median(why.leverage[known]))
    miss = float(np.median(np.abs(why.residual[known])))
    with np.errstate(divide="ignore", invalid="ignore"):
        return LossCauses(
            rows=rows,
            pull=found.top_leverage / pull,
            cause=why.short,
            miss=np.abs(found.top_residual) / miss,
            epsilon=found.top_epsilon,
            unit=session.unit(),
        )


def definitions() -> str:
    """Define the loss from a model and what decides it."""
    return (
        f"**Leverage** says how unusual {session.unit().indefinite}'s features are: the share "
        "of their prediction that their own record makes, as on “Regression”. **Without the "
        f"{session.unit().noun}** it is h/(1 - h). The **pull** of a record is how far the "
        "model moves for each unit that it misses, in the norm of the noise. The "
        "**leave-one-out residual** is what the model fitted to everybody else misses this "
        f"{session.unit().noun}'s target by. Pull and residual decide how far the "
        f"coefficients move when the {session.unit().noun} leaves, and so what the noise has "
        "to hide.\n\nFor linear models all of this is exact. For logistic, Poisson and Huber "
        "regression the change is approximated by one Newton step. It is checked by fitting "
        f"again without the {session.unit().nouns} who are most exposed and some at "
        "random.\n\nSource: Y.-X. Wang, Per-instance Differential Privacy, 2019: equation 4 "
        "and lemma 13 (moves), lemma 4 and theorem 14 (published bounds). Also definition 7 "
        "(moments), propositions 9 and 16 (overfitting, accuracy). Losses are exact "
        "profiles, not these bounds."
    )


def _replaced_text(exposure: ModelLosses, asked: NeighboringRelation, unit: PrivacyUnit) -> str:
    """Say what other records were found to reveal, and what none can exceed."""
    rows = unit.rows
    found = "Another record in somebody's place was found to reveal ε "
    none, whose = "no record", "no record in anybody's place"
    if rows > 1:
        found = f"{rows} times the move of another record in one row was found to reveal ε "
        none, whose = "no records", f"no other records in the {rows} rows of a unit"
    found += epsilon_text(exposure.maximum)
    guaranteed = asked is NeighboringRelation.SUBSTITUTION
    if guaranteed and exposure.worst_case < exposure.certificate:
        return f"{found}; {none} can reveal more than the guarantee."
    if not np.isfinite(exposure.certificate):
        return f"{found}; no bound on all records is known without a penalty."
    certificate = epsilon_text(exposure.certificate)
    return f"{found}; {whose} can reveal more than {certificate}."


def _floor_text(floor: float, *, sampled: bool) -> str:
    """Say what somebody loses whose target is predicted perfectly."""
    if floor > 0:
        why = (
            "narrows the distribution that the sample is drawn from"
            if sampled
            else "is part of what shapes the noise"
        )
        return (
            f"One {session.unit().noun} whose target is predicted perfectly still "
            "loses: at the median "
            f"leverage ε = {epsilon_text(floor)}. The residual is 0, but the "
            f"{session.unit().noun}'s "
            f"record {why}."
        )
    return (
        f"One {session.unit().noun} whose target is predicted perfectly loses nothing: "
        "the coefficients "
        "are the same with and without them, and the noise has a public shape."
    )


COLUMNS: Final = ("model-exposure", "moved-base")
"""Slots with many numbers a person, which are quickly found again."""
_AT_ONCE: Final = 10_000_000
"""Rows that are gone over in a fraction of a second."""
_FEWEST_REFITS, _MOST_REFITS = 4, 100


def losses_of_model(
    study: Study, asked: ModelRequest, relation: NeighboringRelation, unit_column: int | None
) -> ModelSubject | None:
    """Return the model with everybody's loss; ``None`` while an audit goes on."""
    question = study.about(asked.question)
    fit = modelling.fitted(study, asked)
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
    together = int(np.clip(_AT_ONCE // fit.people, _FEWEST_REFITS, _MOST_REFITS))
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
        else f"Every row represents a unit of {unit.rows} rows like it, the most that one "
        f"{unit.noun} may own (declared on “Data”)."
    )
    if study.parts is not None:
        st.caption(f"{assumed} Rows cannot be grouped by unit in a table that stays in its files.")
        return None
    linear = asked.question.model is ModelKind.LINEAR
    leaves = relation is NeighboringRelation.ADD_REMOVE
    if not (leaves and linear and asked.law.units_known):
        if unit.rows > 1:
            st.caption(
                f"{assumed} Rows can be grouped by unit for linear models with noise of a "
                "public shape or posterior samples, when units are removed."
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
