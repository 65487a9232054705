"""Privacy against accuracy of the model on screen, with sliders. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.figures.individual.model_exposures import frontier_picture
from dpcore.studies.individual.frontier import frontier, varied
from dpcore.wording import people, significant
from ui import results, session

if TYPE_CHECKING:
    from dpcore.studies.individual.frontier import Frontier
    from ui.individual.subject import ModelSubject
    from ui.study import Study

_TIMES = ("1/100", "1/10", "1/3", "1", "3", "10", "100")
_FACTORS = (0.01, 0.1, 1 / 3, 1.0, 3.0, 10.0, 100.0)
_SHARES = (1, 3, 10, 30, 100)
_SEED = 1


def show(subject: ModelSubject, study: Study) -> None:
    """Show error over loss, for another penalty and fewer people if asked."""
    request, fit = subject.request, subject.fit
    if request.law.precision is None:
        st.info(
            "The frontier is not drawn for an adaptive sample, whose precision depends "
            "on what is released first. Choose another one under “Released by”."
        )
        return
    left, right = st.columns(2)
    factor = left.select_slider(
        "Penalty λ, times the one above",
        _TIMES,
        value="1",
        key="frontier-penalty",
        bind="query-params",
        help="A larger penalty moves everybody's loss down and the error up.",
    )
    share = right.select_slider(
        "People, % of those in the table",
        _SHARES,
        value=100,
        key="frontier-people",
        bind="query-params",
        help="A random part of the table: with fewer people each counts for more.",
    )
    strength = fit.penalty.strength * _FACTORS[_TIMES.index(str(factor))]
    count = max(1, round(fit.people * int(share) / 100))

    def compute() -> Frontier:
        changed = varied(
            request,
            fit,
            strength=strength,
            people=count,
            rng=np.random.default_rng(_SEED),
        )
        return frontier(*changed)

    key = f"{request.analysis(study.fingerprint)} {factor} {share}"
    with st.spinner("Working out losses at many precisions …"):
        found = session.remember("frontier", key, compute)
    results.show(frontier_picture(found, key=request.mechanism_key), "frontier")
    st.markdown(_parts(found, strength))
    if found.sampled < found.people:
        st.caption(
            f"The average is over {people(found.sampled)} of {found.people:,}, evenly "
            "spread from the least to the most exposed; the largest loss is over those "
            "who are exposed most by each cause."
        )
    if not fit.linear and request.mechanism_key == "objective":
        st.caption(
            "For this release losses are upper bounds, and the error that its noise "
            "adds is approximated."
        )


def _parts(found: Frontier, strength: float) -> str:
    """Say what the error is made of, and what cannot be avoided."""
    text = (
        "The same noise stands at the same height on every line. With λ "
        f"{significant(strength)} and {people(found.people)} "
    )
    if np.isnan(found.without_noise):
        return text + (
            "there is no single fit without a penalty to compare with: the error that "
            "the penalty makes cannot be told, and the lines show that of the noise."
        )
    text += (
        f"the error without noise is {significant(found.without_noise)} (of "
        "coefficients of scaled columns), measured from the fit without a penalty. The "
        "parts add up in squares."
    )
    if not np.isfinite(found.cramer_rao):
        return text
    return text + (
        f" No unbiased estimate of {people(found.people)} could err by less than "
        f"{significant(found.cramer_rao)} (Cramér-Rao), whatever the penalty. A "
        "penalized fit is not unbiased, and may."
    )
