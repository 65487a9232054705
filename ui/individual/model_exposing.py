"""Everybody's loss from a regression model. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.individual.chain import Chain
from dpcore.figures.individual.iso_epsilon import iso_epsilon_picture
from dpcore.figures.individual.model_exposures import (
    Split,
    audit_text,
    split_picture,
)
from dpcore.figures.wording import people, percent, rounded_up
from dpcore.models.glm import GlmFit
from dpcore.models.release_laws import SampledFit
from dpcore.relations import NeighboringRelation
from dpcore.studies.individual.leverage_map import leverage_map
from dpcore.studies.individual.model_causes import causes
from ui import results, session
from ui.individual import exposure_details as details
from ui.individual import (
    exposure_words,
    frontier,
    groups,
    model_closer,
    model_groups,
    model_words,
    persons,
)
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.studies.individual.leverage_map import LeverageMap
    from dpcore.studies.individual.model_causes import Causes
    from ui.individual.subject import ModelSubject
    from ui.study import Study

_MOST = 10
_TOLERATED = 0.05


def show(subject: ModelSubject, study: Study) -> None:
    """Show everybody's loss from the release of a model."""
    exposure, asked = subject.exposure, subject.request
    key = asked.mechanism_key
    analysis = persons.identity(subject, study)
    steps = Chain(
        guarantee=exposure.worst_case,
        for_all=exposure.for_all_found,
        certificate=exposure.for_all_certificate,
        maximum=exposure.maximum,
        mean=exposure.mean,
        relation=subject.relation,
        promised=asked.relation,
        upper=exposure.upper,
    )
    details.chain(steps, key=key)
    _audit(subject)
    if exposure.note:
        st.caption(literal(f"Losses here are {exposure.note}."))
    if subject.relation is NeighboringRelation.SUBSTITUTION:
        st.markdown(model_words.replaced_text(exposure, asked.relation))
    details.distribution(exposure, key=key)
    _why(subject, analysis)
    groups.by_column(
        subject.exposure,
        study,
        rows=subject.exposure.rows,
        mechanism_key=subject.request.mechanism_key,
    )
    details.folded(
        "People with several rows (households)",
        "closer-households",
        lambda: model_groups.households(subject, study),
    )
    details.folded(
        "From the average person to the most exposed: moments",
        "closer-moments",
        lambda: details.moments(exposure, analysis, key=key),
    )
    details.folded(
        "What this says about overfitting",
        "closer-overfitting",
        lambda: model_closer.overfitting(subject, analysis, _causes(subject, analysis)),
    )
    details.folded(
        "Published bounds beside the exact loss",
        "closer-bounds",
        lambda: model_closer.bounds(subject, analysis, _causes(subject, analysis)),
    )
    details.folded(
        "Privacy against accuracy",
        "closer-frontier",
        lambda: frontier.show(subject, study),
    )
    exposure_words.why_not_publish(subject.relation, model=True)


def _audit(subject: ModelSubject) -> None:
    """Say how well the approximation of a nonlinear model did."""
    if not subject.exposure.exact:
        return
    if not isinstance(subject.fit, GlmFit):
        st.badge("Exact for everybody", icon=":material/check:", color="green")
        return
    error = subject.exposure.audit
    good = error <= _TOLERATED
    checked = 0 if subject.audited is None else len(subject.audited.refitted)
    if checked == 0:
        st.badge(
            "Approximation not audited: it was stopped",
            icon=":material/warning:",
            color="orange",
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
        audit_text(error, people=subject.exposure.people, refitted=checked)
        + " Those who were fitted again count with their exact loss."
    )


def _causes(subject: ModelSubject, analysis: str) -> Causes:
    exposure, asked = subject.exposure, subject.request
    return session.remember(
        "model-causes",
        analysis,
        lambda: causes(
            asked.law,
            subject.fit,
            leverage=exposure.leverage,
            residual=exposure.residual,
            shift=exposure.shift_lengths,
            delta=asked.delta,
            leaves=subject.relation is NeighboringRelation.ADD_REMOVE,
        ),
    )


def _map(subject: ModelSubject, analysis: str) -> LeverageMap:
    why = _causes(subject, analysis)
    return session.remember(
        "model-map",
        analysis,
        lambda: leverage_map(
            why.leverage,
            why.residual,
            subject.exposure.epsilon,
            loss_at=why.loss_at,
            most=_MOST,
        ),
    )


def _why(subject: ModelSubject, analysis: str) -> None:
    """Show leverage against residual, and the causes for the most exposed."""
    st.markdown("**Who is most exposed, and why**")
    if subject.exposure.upper and subject.codes is None:
        _bounded(subject)
        return
    why = _causes(subject, analysis)
    try:
        found = _map(subject, analysis)
    except ParameterError:
        st.info(
            "There is nothing to draw: nobody has leverage, or there is no fit without "
            "any of the people. A penalty gives everybody a fit without them."
        )
    else:
        _explained(subject, why, found, analysis)
    most = [person.entry for person in subject.exposure.most_exposed(_MOST)]
    st.dataframe(
        pd.DataFrame(
            {
                "row": subject.exposure.rows[most] + 1,
                "leverage": why.leverage[most],
                "residual": why.residual[most],
                "own epsilon": rounded_up(subject.exposure.epsilon[most]),
            }
        ),
        column_config={
            "leverage": results.THREE_DIGITS,
            "residual": results.THREE_DIGITS,
            "own epsilon": results.THREE_DIGITS,
        },
        hide_index=True,
        key="most-exposed",
    )


def _bounded(subject: ModelSubject) -> None:
    """List the largest bounds: nothing but a person's own record decides them."""
    exposure = subject.exposure
    st.markdown(
        "For this release only an upper bound on each loss is known, from the length "
        "of the person's own features and public numbers. How unusual somebody is "
        "among the others, or how badly predicted, plays no part in it."
    )
    if exposure.tied > _MOST:
        st.markdown(f"{people(exposure.tied)} are tied at the top.")
        return
    most = [person.entry for person in exposure.most_exposed(_MOST)]
    st.dataframe(
        pd.DataFrame(
            {
                "row": exposure.rows[most] + 1,
                "own epsilon at most": rounded_up(exposure.epsilon[most]),
            }
        ),
        column_config={"own epsilon at most": results.THREE_DIGITS},
        hide_index=True,
        key="most-exposed",
    )


def _explained(
    subject: ModelSubject, why: Causes, found: LeverageMap, analysis: str
) -> None:
    """Show the map, and for the most exposed how much each cause adds."""
    rows = (subject.exposure.rows[found.top] + 1).tolist()
    results.show(
        iso_epsilon_picture(
            found,
            rows=rows,
            leverage=why.name,
            residual="what the prediction without the person misses",
            watermark=details.watermark(),
        ),
        "leverage-map",
    )
    if found.left_out:
        st.caption(
            f"{people(found.left_out)} not on the map: without leverage, or given away "
            "because there is no fit without them."
        )
    if np.isfinite(found.floor):
        st.markdown(
            model_words.floor_text(
                found.floor, sampled=isinstance(subject.request.law, SampledFit)
            )
        )
    split = session.remember("model-split", analysis, lambda: _split(why, found, rows))
    results.show(split_picture(split, watermark=details.watermark()), "split")


def _split(why: Causes, found: LeverageMap, rows: list[int]) -> Split:
    known = np.isfinite(why.leverage) & np.isfinite(why.residual)
    pull = float(np.median(why.leverage[known]))
    miss = float(np.median(np.abs(why.residual[known])))
    with np.errstate(divide="ignore", invalid="ignore"):
        return Split(
            rows=rows,
            pull=found.top_leverage / pull,
            miss=np.abs(found.top_residual) / miss,
            epsilon=found.top_epsilon,
        )


def definitions() -> None:
    """Define the loss from a model and what decides it."""
    st.markdown(
        "**Leverage** says how unusual a person's features are: how strongly the "
        "record pulls the model towards itself. The **leave-one-out residual** is what "
        "the model fitted to everybody else misses this person's target by. Their "
        "product decides how far the coefficients move when the person leaves, and so "
        "what the noise has to hide.\n\n"
        "For linear models all of this is exact. For logistic, Poisson and Huber "
        "regression the move is approximated by one Newton step, and checked by "
        "fitting again without the people who are most exposed and some at random.\n\n"
        "Source: Y.-X. Wang, Per-instance Differential Privacy, 2019: equation 4 and "
        "lemma 13 (moves), lemma 4 and theorem 14 (published bounds), definition 7 "
        "(moments), propositions 9 and 16 (overfitting, accuracy). Losses are exact "
        "profiles, not these bounds."
    )
