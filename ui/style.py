"""The few rules of style that the theme cannot say: colored edges."""

from __future__ import annotations

import streamlit as st

_RULES = """
<style>
/* Edges of areas, not of controls, whose keys may begin alike. */
.stVerticalBlock[class*="st-key-confidential-"] {
  border-left: 6px solid #E69F00 !important;
}
.stVerticalBlock[class*="st-key-public-"] {
  border-left: 6px solid #0072B2 !important;
}
.stVerticalBlock[class*="st-key-classroom-"] {
  border-left: 6px solid #7F7F7F !important;
}
/* The primary color is made for white text on it, and too dark for text itself. */
[data-testid="stSliderThumbValue"], [data-testid="stSliderThumbValue"] p {
  color: inherit !important;
}
[data-testid="stTabs"] [role="tab"][aria-selected="true"] p { color: inherit; }
[data-testid="stTabs"] [role="tab"][aria-selected="true"] {
  color: inherit; font-weight: 600;
}
/* Units are whatever a curator calls them: a tile breaks, and cuts nothing. */
[data-testid="stMetricLabel"] *, [data-testid="stMetricValue"] * {
  white-space: normal !important; overflow-wrap: anywhere;
}
[data-testid="stMainBlockContainer"] { padding-top: 4.5rem; }
</style>
"""


def apply() -> None:
    """Add the rules to the page."""
    st.html(_RULES)
