"""Tabs of which only the open one is drawn, and the few rules that the theme cannot say.

A control redraws the whole page, and a picture that nobody looks at costs as long as
one that somebody does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, TypeVarTuple

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from dpcore.errors import DPCoreError
from ui import controls, session
from ui.text import sentence_of

_About = TypeVarTuple("_About")
_Drawn = TypeVar("_Drawn")


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
[data-variant="segmented_control"][data-selected="true"],
[data-variant="segmented_control"][data-selected="true"] p {
  color: inherit !important; font-weight: 600;
}
/* Until it is confirmed, a pressed button steps back; as one of another kind it would be drawn
   anew, and lose the focus. */
:has(+ [data-testid="stLayoutWrapper"] > [class*="st-key-confirm-"]) button[kind="primary"] {
  background: transparent; color: inherit; border-color: rgba(127, 127, 127, 0.5);
}
[data-testid="stTabs"] [role="tab"][aria-selected="true"] p { color: inherit; }
[data-testid="stTabs"] [role="tab"][aria-selected="true"] {
  color: inherit; font-weight: 600;
}
/* Opening a popover replaces its arrow. A slow browser takes the click on an arrow that is gone
   for one outside, and closes it at once: so the button itself is what is clicked. */
[data-testid="stPopoverButton"] * { pointer-events: none; }
/* It would lie over the buttons above the grid of columns. */
[class*="st-key-grid-"] [data-testid="stElementToolbar"] { display: none; }
/* Units are whatever a curator calls them: a tile breaks, and cuts nothing. */
[data-testid="stMetricLabel"] *, [data-testid="stMetricValue"] * {
  white-space: normal !important; overflow-wrap: anywhere;
}
[data-testid="stMainBlockContainer"] { padding: 4rem 2rem 3rem; max-width: 1180px; }
[data-testid="stHeading"] h1 { font-size: 2rem; padding: 0.25rem 0; }
[data-testid="stHeading"] h2 { font-size: 1.375rem; padding: 0.5rem 0 0.75rem; }
[data-testid="stHeading"] h3 { font-size: 1.1rem; padding: 0.25rem 0 0.75rem; }
/* Sections of a place, and views of a section: lines of links that wrap. */
.st-key-sections, .st-key-views { gap: 0 0.75rem !important; }
.st-key-sections { border-bottom: 1px solid rgba(127, 127, 127, 0.35); }
.st-key-sections [data-testid="stPageLink"] a, .st-key-views [data-testid="stPageLink"] a {
  padding: 0.15rem 0.4rem; margin: 0;
}
.st-key-sections .stElementContainer, .st-key-views .stElementContainer {
  margin: 0 !important;
}
.st-key-views [data-testid="stPageLink"] p { font-size: 0.9rem; }
/* A link in the text looks like one. */
[data-testid="stPageLink"] p { text-decoration: underline; }
:is(.st-key-sections, .st-key-views) [data-testid="stPageLink"] p { text-decoration: none; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: 0.7rem; }
.st-key-card [data-testid="stMetricValue"] { font-size: 2.6rem; }
.st-key-card [data-testid="stColumn"] [data-testid="stMetricValue"] { font-size: 1.5rem; }
/* A small table of numbers beside an answer. */
.st-key-beside table { font-size: 0.85rem; width: 100%; }
.st-key-beside table th, .st-key-beside table td {
  padding: 0.15rem 0.3rem !important; border-width: 0 0 1px !important;
}
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding: 4rem 1rem 2rem; }
  [data-testid="stHorizontalBlock"] { row-gap: 0.7rem; }
  /* On a phone controls and numbers stand in two columns, so that the answer is in view. */
  [data-testid="stHorizontalBlock"]:has(
    > [data-testid="stColumn"] :is(
      [data-testid="stNumberInput"], [data-testid="stSelectbox"], [data-testid="stTextInput"],
      [data-testid="stMetric"]
    )
  ):not(:has(
    [data-testid="stBidiComponentRegular"], [data-testid="stDataFrame"],
    [data-testid="stExpander"], [data-testid="stMarkdown"], [data-testid="stAlert"],
    [data-testid="stButtonGroup"], [data-testid="stRadio"]
  )) {
    display: grid; grid-template-columns: 1fr 1fr; gap: 0.7rem 0.5rem;
    > [data-testid="stColumn"] { min-width: 0; width: auto; }
    > [data-testid="stColumn"]:has([data-testid="stMultiSelect"], [data-testid="stPopover"]) {
      grid-column: span 2;
    }
  }
}
@media (max-width: 640px) {
  /* On a phone the controls of a question stand in one grid: its result is in view. */
  .st-key-question {
    display: grid !important; grid-template-columns: 1fr 1fr; gap: 0.7rem 0.5rem !important;
  }
  .st-key-question > *, .st-key-question [data-testid="stHorizontalBlock"] {
    display: contents !important;
  }
  .st-key-question [data-testid="stColumn"] { grid-column: auto !important; min-width: 0; }
  .st-key-question [data-testid="stColumn"]:has([data-testid="stPopover"]) { align-self: end; }
  .st-key-question [data-testid="stPopoverButton"] * { white-space: normal; line-height: 1.15; }
}
.st-key-plan-rows { gap: 0.25rem !important; }
/* Beside a long question its margin of error stays in its column. */
@media (min-width: 641px) {
  [class*="st-key-plan-asked-"] { flex-wrap: nowrap !important; }
  [class*="st-key-plan-asked-"] > :first-child { min-width: 0 !important; }
}
/* On a phone a row of the plan takes two lines, and names its cells itself. */
@media (max-width: 640px) {
  .st-key-plan-heading { display: none; }
  [class*="st-key-plan-wanted-"]::before, [class*="st-key-plan-epsilon-"]::before,
  [class*="st-key-plan-weight-"]::before { font-size: 0.8rem; opacity: 0.7; }
  [class*="st-key-plan-wanted-"]::before { content: "target"; }
  [class*="st-key-plan-epsilon-"]::before { content: "ε"; }
  [class*="st-key-plan-weight-"]::before { content: "weight"; }
}
</style>
"""


def show(
    panes: Mapping[str, Callable[[*_About], None]],
    *about: *_About,
    key: str,
    shared: bool = True,
    older: Mapping[str, str] | None = None,
) -> None:
    """Show a tab for each pane, and call the open one, which may be in the address.

    ``older`` addresses call panes otherwise.
    """
    controls.read_older(key, older or {})
    heard: dict[str, Any] = {"bind": "query-params"} if shared else {"on_change": "rerun"}
    tabs = st.tabs(list(panes), key=key, **heard)
    for tab, draw in zip(tabs, panes.values(), strict=True):
        if tab.open:
            with tab:
                draw(*about)


def opened(
    place: ExpanderContainer | PopoverContainer, draw: Callable[[], _Drawn]
) -> _Drawn | None:
    """Draw into a place while it is open; return what that returns, or say why it cannot."""
    if not place.open:
        return None
    with place:
        try:
            return draw()
        except DPCoreError as error:
            st.info(sentence_of(error))
    return None


def folded(label: str, key: str, draw: Callable[[], object]) -> None:
    """Show an expander that draws only while it is open."""
    opened(st.expander(label, key=key, on_change="rerun"), draw)


def methods(text: str, key: str | None = None) -> None:
    """Offer definitions, assumptions and sources."""
    with st.expander("Methods", key=key):
        st.markdown(text)


def own_first(
    panes: Mapping[str, Callable[[*_About], None]], own: str
) -> Mapping[str, Callable[[*_About], None]]:
    """Return the panes; that of the table in use comes first, if there is one."""
    return panes if session.study() is None else {own: panes[own], **panes}


def apply_style() -> None:
    """Add the rules to the page."""
    st.html(_RULES)
