"""What many releases from samples cost together: a part of the Subsampling page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.figures.wording import epsilon_text, significant
from dpcore.privacy.convolution import rounding
from dpcore.privacy.repeated_samples import MOST_TIMES, repeated
from ui import session

if TYPE_CHECKING:
    from dpcore.privacy.subsampled import Law


def show(ratio: float, rate: float, delta: float) -> None:
    """Show what many releases cost, each from a sample of its own."""
    left, right = st.columns(2)
    times = left.number_input(
        "Releases, each from a fresh sample",
        min_value=1,
        max_value=MOST_TIMES,
        value=100,
        key="ss-times",
        bind="query-params",
    )
    laws: list[Law] = ["gaussian", "laplace"]
    law = right.selectbox(
        "Noise",
        laws,
        format_func=lambda law: {"gaussian": "Gaussian", "laplace": "Laplace"}[law],
        key="ss-law",
        bind="query-params",
    )
    with st.spinner("Composing the releases …"):
        total = session.remember(
            "subsampling-repeated",
            f"{law} {ratio!r} {rate!r} {times} {delta!r}",
            lambda: repeated(law, ratio, rate, times=times, delta=delta),
        )
    cells = st.columns(3)
    cells[0].metric("Added up", f"ε {epsilon_text(total.basic)}")
    cells[1].metric(
        "By Renyi divergences" if law == "gaussian" else "By zCDP",
        f"ε {epsilon_text(total.renyi)}",
    )
    known = math.isfinite(total.pld)
    cells[2].metric(
        "Privacy loss distributions",
        f"ε {epsilon_text(total.pld)}" if known else "not available",
        help="Convolved numerically, rounded up: tight but for the width of the cells.",
    )
    if not known:
        st.caption(
            f"Convolving has rounding errors in δ, here up to "
            f"{significant(rounding(times), up=True)}, and reaches no losses that are "
            "astronomically large: the other two ways of counting hold."
        )
    st.caption(
        f"For {times:,} releases fixed in advance, at δ {significant(delta)}, one "
        "person more or less."
    )
