"""What is left of a path: as planned, and by a clock once it was started."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

import streamlit as st

from dpcore.lessons.paths import Pace
from ui import session
from ui.lessons.choosing import LessonPlace

_BEGAN = "_lessons_began"
_SECONDS = 20


def show_clock(place: LessonPlace) -> None:
    """Show what is left; once the clock runs, it goes on by itself."""
    needed = place.path.minutes_from(place.lesson.key, place.step)
    began = cast("datetime | None", session.public(_BEGAN))
    if began is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(Pace(minutes=place.path.minutes, needed=needed).text)
            st.button("Start the clock", on_click=_start, key="lesson-clock")
        return

    def tick() -> None:
        passed = (datetime.now(UTC) - began).total_seconds() / 60
        pace = Pace(minutes=place.path.minutes, needed=needed, passed=passed)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(pace.text)
            st.button("Start anew", on_click=_start, key="lesson-clock")

    st.fragment(tick, run_every=_SECONDS)()


def _start() -> None:
    session.set_public(_BEGAN, datetime.now(UTC))
