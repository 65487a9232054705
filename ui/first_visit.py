"""A first visit in four steps, on the studio's own pages: a table, bounds, a question.

It begins on Home, goes on where somebody really is, whatever was done meanwhile, and
can be ended and begun anew at any time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import streamlit as st

from ui import session

_ON: Final = "_first_visit"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """What to do, and on which page."""

    title: str
    words: str
    page: str
    label: str


_TABLE = _Step(
    title="Choose a table",
    words="Take a survey from “Example data”, or upload a file with one line for each "
    "person. It stays in the memory of the computer that runs this program.",
    page="pages/data.py",
    label="Go to Data",
)
_BOUNDS = _Step(
    title="Say what everybody may know",
    words="For each column the least and the largest value that can occur, from common "
    "knowledge and not from the table; below, who is protected, and how much may be "
    "given away in all. A survey comes with all that. Then press “Use this data”.",
    page="pages/data.py",
    label="Go to Data",
)
_QUESTION = _Step(
    title="Ask a question",
    words="Choose a column and a statistic. Before anything leaves, the page says what "
    "the answer costs and how far off it will be; change ε and watch both. Then press "
    "“Release”.",
    page="pages/release.py",
    label="Go to Release",
)
_ANSWER = _Step(
    title="Read the answer",
    words="The number with noise may leave, with its interval: how far off it may be. "
    "The budget at the side has become smaller, and the ledger knows what for. "
    "“Individual privacy” shows what this means for each person of the table, “Plan” "
    "shares a budget among several questions.",
    page="pages/privacy_loss.py",
    label="Go to Individual privacy",
)
_STEPS: Final = (_TABLE, _BOUNDS, _QUESTION, _ANSWER)


def offer() -> None:
    """Show the button that begins the visit, on Home."""
    if not is_on():
        st.button(
            "First time here? Be led through four steps",
            on_click=session.set_public,
            args=(_ON, True),
        )


def is_on() -> bool:
    """Tell whether the visit was begun, and not ended."""
    return session.public(_ON) is not None


def show(here: str) -> None:
    """Show on the page ``here`` the step that comes next, if the visit was begun."""
    if not is_on():
        return
    step = _next()
    with st.container(border=True, key="first-visit"):
        place = _STEPS.index(step) + 1
        st.markdown(f"**First visit, step {place} of {len(_STEPS)}: {step.title}.**")
        st.markdown(step.words)
        with st.container(horizontal=True, vertical_alignment="center"):
            if step.page != here:
                st.page_link(step.page, label=step.label, width="content")
            st.button(
                "End the first visit" if step is _ANSWER else "Skip the first visit",
                on_click=session.set_public,
                args=(_ON, None),
            )


def _next() -> _Step:
    """Return what comes next, from what was done, in whatever order."""
    study = session.study()
    if study is None:
        return _TABLE if session.draft() is None else _BOUNDS
    asked = session.ledger().releases(study.fingerprint)
    return _ANSWER if asked else _QUESTION
