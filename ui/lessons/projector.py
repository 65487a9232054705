"""The view for a projector: large type, and nothing beside the lesson."""

from __future__ import annotations

import streamlit as st

from dpcore.figures.theme import Picture

_LETTERS, _WORDS = 20, 17
_AXES = 60
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
[class*="st-key-predict-"] [data-testid="stWidgetLabel"] p,
[class*="st-key-quiz-"] [data-testid="stWidgetLabel"] p {
  font-size: 1.15rem; font-weight: 600;
}
[class*="st-key-predict-"] [role="radiogroup"] p { font-size: 1.1rem; }
/* Made to be overlooked; here it is what the keys are read from. */
[data-testid="stMain"] .stButton kbd { color: inherit; opacity: 1; }
</style>
"""


def apply_projector() -> None:
    """Add the rules of the view to the page."""
    st.html(_RULES)


def enlarge(picture: Picture) -> None:
    """Let the words of a picture be read from the last row."""
    figure = picture.figure
    figure.update_layout(font={"size": _LETTERS})
    figure.for_each_annotation(lambda note: note.update(font={"size": _WORDS}))
    figure.for_each_trace(
        lambda trace: trace.update(textfont={"size": _WORDS}),
        selector=lambda trace: "textfont" in trace and trace.textfont.size is not None,
    )
    # A picture with axes has the margins of the house, and needs wider ones.
    if figure.layout.margin.l >= _AXES:
        figure.update_layout(margin={"l": 90, "b": 84, "t": 40})
