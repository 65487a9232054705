"""Typing a question into the plan, by the controls of the Release page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui import plans, session
from ui.asking import inputs
from ui.text import literal

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
    plans.button(request, session.require_study(), key="typed")
