"""The published constants of the adaptive posterior sample beside those that hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.models.laws.adaptive import AdaptivePosterior
from dpcore.models.posterior import published_adaptive as published
from dpcore.wording import significant
from ui import results

if TYPE_CHECKING:
    from dpcore.releases.models.request import ModelRequest


def beside(asked: ModelRequest) -> None:
    """Show what the published constants claim, and what they really give. Public.

    The table is that of a bound of 0 on the eigenvalue, which assumes nothing.
    """
    law = AdaptivePosterior.of(
        asked.question, epsilon=asked.epsilon, delta=asked.delta, share=asked.share
    )
    tuning = law.tune(0.0)
    floor, residual = tuning.penalty, tuning.residual
    epsilon, delta = law.epsilon, law.delta
    gamma = published.gamma(epsilon, delta, floor=floor, residual=residual)
    claimed = significant(delta / 3)
    sample = (
        significant(
            published.sample_delta(epsilon, delta, floor=floor, residual=residual),
            up=True,
        )
        if gamma > 0
        else "no sample"
    )
    eigenvalue = published.eigenvalue_delta(epsilon, delta)
    st.markdown(
        "**The published constants beside these** (a reconstruction from the author's "
        "later program; they are never used for a release)."
    )
    results.table(
        {
            "step": ["noise of the eigenvalue", "precision γ of the sample"],
            "published": [
                significant(published.eigenvalue_noise(epsilon, delta)),
                significant(gamma),
            ],
            "δ it claims": [claimed, claimed],
            "δ it gives": [significant(eigenvalue, up=True), sample],
            "used here": [significant(law.noise), significant(tuning.gamma)],
        },
        key="published-adaptive",
    )
