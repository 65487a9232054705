"""The view for a projector: large type, and nothing beside the lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from dpcore.figures.theme import Picture

_LETTERS = 20
_RULES = """
<style>
html { font-size: 20px !important; }
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"],
[data-testid="stHeader"], [class*="st-key-lesson-around"],
[class*="st-key-lesson-choosing"], [class*="st-key-twin-"] {
  display: none !important;
}
[data-testid="stMainBlockContainer"] {
  padding: 0.75rem 1.5rem 1rem !important; max-width: 60rem; margin: 0 auto;
}
[data-testid="stMain"] h2 { padding: 0 !important; font-size: 1.7rem; }
[data-testid="stMain"] [data-testid="stVerticalBlock"] { gap: 0.5rem; }
</style>
"""


def apply() -> None:
    """Add the rules of the view to the page."""
    st.html(_RULES)


def enlarge(picture: Picture) -> None:
    """Let the words of a picture be read from the last row."""
    figure = picture.figure
    figure.update_layout(font={"size": _LETTERS}, margin={"l": 90, "b": 84, "t": 40})
