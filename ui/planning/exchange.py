"""A plan as a file: to hand on, and to load."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.plan_files import to_json
from ui import downloads, plans
from ui.planning import loading


def show(basket: AnalysisPlan) -> None:
    """Offer the plan as a file, and take one."""
    left, right = st.columns(2)
    with left:
        downloads.button(
            "Download the plan (JSON)",
            downloads.File(
                name="plan.json", mime="application/json", content=partial(to_json, basket)
            ),
            key="plan-json",
            note="Questions, bounds, ε and what must be seen: all of it public, and "
            "nothing computed from the table. Loaded again it is the same plan.",
        )
        st.button("Empty the plan", key="plan-clear", on_click=plans.clear)
    with right:
        take()


def take() -> None:
    """Take the plan of a file into use."""
    loading.box("Load a plan (JSON)", name="plan-file", use=plans.load)
