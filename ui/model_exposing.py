"""Everybody's loss from a regression model. CONFIDENTIAL, all but the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from ui.study import Study
    from ui.subject import ModelSubject


def show(subject: ModelSubject, study: Study) -> None:
    """Show everybody's loss from the release of a model."""
    st.metric("Most exposed person here", subject.exposure.maximum)
