"""A closer look at losses from a model: overfitting, published bounds. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.individual.variation import sampled_variation
from dpcore.studies.individual.bound_check import gaussian_checks, posterior_checks
from dpcore.wording import people
from ui import session
from ui.individual import details

if TYPE_CHECKING:
    from dpcore.studies.individual.bound_check import BoundCheck
    from dpcore.studies.individual.model_causes import Causes
    from ui.individual.subject import ModelSubject


def overfitting(subject: ModelSubject, analysis: str, why: Causes) -> None:
    """Show what losses say about overfitting, where need be from some people."""
    exposure, law = subject.exposure, subject.request.law
    if why.variation is not None:
        details.overfitting(exposure, subject.request.delta, why.variation)
        return
    with st.spinner("Comparing the two laws of some people …"):
        found = session.remember(
            "model-variation",
            analysis,
            lambda: sampled_variation(
                law,
                subject.fit,
                epsilon=exposure.epsilon,
                delta=subject.request.delta,
                rng=np.random.default_rng(1),
            ),
        )
    details.overfitting(
        exposure, subject.request.delta, None if found is None else found.variation
    )
    if found is not None and found.sampled:
        st.caption(
            f"The first number is from {people(len(found.variation))} drawn at random "
            f"out of {found.people:,}."
        )
    if found is not None and not found.exact:
        st.caption(
            "Of this release only upper bounds on losses are known, and so the first "
            "number is at most that."
        )


def bounds(subject: ModelSubject, analysis: str, why: Causes) -> None:
    """Show Lemma 4 or Theorem 14 beside the exact losses."""
    law = subject.request.law
    if not law.public and why.loss_at is None:
        st.info("No bound is published for this kind of release.")
        return
    scale = 1 / law.noise

    def compute() -> tuple[BoundCheck, ...]:
        if law.public:
            shifts = subject.exposure.shift_lengths
            return gaussian_checks(scale * shifts, subject.request.delta)
        return posterior_checks(
            why.leverage, scale * why.residual, subject.request.delta
        )

    details.bounds(session.remember("bound-checks", analysis, compute))
