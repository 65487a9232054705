"""Typing a question into the plan, by the controls of the Release page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.planning.item import Item
from dpcore.wording import significant
from ui import plans, session
from ui.asking import inputs
from ui.text import after_number, literal

if TYPE_CHECKING:
    from ui.study import Study


def typed(study: Study) -> None:
    """Ask for a question by the controls of the Release page, and offer to plan it.

    Where it cannot be asked yet, the page ends here.
    """
    st.header("Add a question")
    st.caption(
        "Every page that offers a release has the same button: models, samples and "
        "bootstraps can be planned from there."
    )
    request = inputs.ask(study)
    st.markdown(f"**{literal(request.title)}**")
    width = Item.of(request).width
    if math.isfinite(width.half):
        of = f", of {width.of}" if width.of else ""
        st.caption(
            f"At this ε 95 of 100 answers would fall within "
            f"± {significant(width.half)}{after_number(width.unit)}{literal(of)}."
        )
    plans.button(request, session.require_study(), key="typed")
