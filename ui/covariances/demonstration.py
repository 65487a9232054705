"""Study 1: one sanitized matrix, before and after its repair. Simulated data."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st

from dpcore.figures.covariances.matrices import covariance_picture, ellipses_picture
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.covariances.demo import SIZES, demonstrate
from dpcore.wording import percent
from ui import results, session

if TYPE_CHECKING:
    from dpcore.studies.covariances.demo import Demonstration
    from dpcore.studies.covariances.design import Design

_DRAWS = "_s1_draws"


@st.fragment
def show(design: Design, seed: int) -> None:
    """Show one sanitized matrix with its ellipses, before and after the repair."""
    first, second, third, fourth = st.columns(4)
    columns = first.selectbox(
        "Variables", list(SIZES), index=1, key="s1-columns", bind="query-params"
    )
    key = second.selectbox(
        "Released by",
        list(design.keys),
        index=design.keys.index("bit") if "bit" in design.keys else 0,
        format_func=lambda name: CATALOG[name].label,
        key="s1-demo-mechanism",
    )
    correlation = third.selectbox(
        "True correlation of neighbors",
        list(design.correlations),
        index=design.correlations.index(max(design.correlations, key=abs)),
        format_func=lambda rho: f"{rho:g}",
        key="s1-demo-correlation",
    )
    people = fourth.selectbox(
        "People",
        list(design.people),
        index=design.people.index(max(design.people)),
        key="s1-demo-people",
    )
    st.button("Draw again", on_click=_draw_again, key="s1-draw")
    shown = demonstrate(
        design,
        key=key,
        correlation=correlation,
        people=people,
        columns=columns,
        # Counting from 1 lets the first one shown need a repair that can be seen.
        rng=np.random.default_rng([seed, _draws() + 1]),
    )
    labels = ("first", "second", "third")[:columns]
    fixed = shown.repaired
    left, right = st.columns(2)
    with left:
        picture = covariance_picture(labels, fixed.before, fixed.after)
        results.show(picture, "s1-map", simulated=True)
        st.caption("Colors are correlations: blue -1, pale 0, orange 1.")
    with right:
        picture = ellipses_picture(labels, fixed.before, fixed.after, truth=shown.truth)
        results.show(picture, "s1-ellipses", simulated=True)
        st.caption("Each axis is scaled to what is drawn.")
    st.markdown(_explained(shown, columns))


def _explained(shown: Demonstration, columns: int) -> str:
    text = (
        f"Of 1,000 such releases {percent(shown.undefined)} have a variance of exactly "
        "0. Then the covariance can only be 0, the correlation is not defined, and the "
        "ellipse shrinks to a line or a point; nothing is redrawn, because redrawing "
        "would depend on the secret."
    )
    if columns == SIZES[0]:
        return text + (
            " Two variables never contradict each other: the covariance is released "
            "within the range that the two variances leave for it."
        )
    return text + (
        f" {percent(shown.broken)} are impossible as released: three pairs that fit "
        "one by one may not fit together (a negative eigenvalue). The repair takes the "
        "nearest possible correlations and keeps the variances. It looks at released "
        "numbers only, so that it costs no privacy."
    )


def _draw_again() -> None:
    session.set_public(_DRAWS, _draws() + 1)


def _draws() -> int:
    return cast("int", session.public(_DRAWS) or 0)
