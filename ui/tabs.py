"""Tabs of which only the open one is drawn.

A control redraws the whole page, and a picture that nobody looks at costs as long as
one that somebody does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVarTuple

import streamlit as st

_About = TypeVarTuple("_About")


def show(
    panes: Mapping[str, Callable[[*_About], None]], *about: *_About, key: str, shared: bool = True
) -> None:
    """Show a tab for each pane, and call the open one, which may be in the address."""
    heard: dict[str, Any] = {"bind": "query-params"} if shared else {"on_change": "rerun"}
    tabs = st.tabs(list(panes), key=key, **heard)
    for tab, draw in zip(tabs, panes.values(), strict=True):
        if tab.open:
            with tab:
                draw(*about)
