"""What a teacher needs, in one popover: class, projector, link, print, clock; and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path as File
from typing import Any, cast
from urllib.parse import urlencode, urlsplit, urlunsplit

import segno
import streamlit as st

from dpcore.documents.handout import answer_key, handout
from dpcore.figures.theme import Picture
from dpcore.lessons.lesson import LessonStep
from dpcore.lessons.paths import Pace, Path
from ui import session
from ui.lessons import classroom, phones
from ui.lessons.lesson_choice import LessonPlace
from ui.text import literal

PROJECTOR = "projector"
_BEGAN, _CLOCK = "_lessons_began", "clock"
_DIGITS = 10
"""Of the seconds in the address, by which the clock goes on after a reload."""
_SECONDS = 20
_SCALE, _WIDTH = 8, 300
_KEYS = File(__file__).with_name("keys.js").read_text(encoding="utf-8")
_PAPERS = {"handout": ("Handout", handout), "answers": ("Answer key", answer_key)}


def show(place: LessonPlace) -> bool:
    """Show the popover with all tools; return whether the lesson is projected."""
    with st.popover("Teach", icon=":material/school:", key="lesson-teach"):
        classroom.offer(code, _WIDTH)
        if place.step is LessonStep.PREDICT:
            classroom.count_hands(place.lesson, place.lesson.text().predict)
        projected = st.toggle(
            "Projector view",
            key=PROJECTOR,
            bind="query-params",
            help="Large type and nothing beside the lesson.",
        )
        label = "Start the clock" if _began() is None else "Restart the clock"
        st.button(label, on_click=_start_clock, key="lesson-clock")
        with st.container(horizontal=True):
            for name, (label, page) in _PAPERS.items():
                st.download_button(
                    label,
                    partial(_file, page, place.path),
                    file_name=f"lessons-{place.path.key}-{name}.html",
                    mime="text/html",
                    icon=":material/print:",
                    key=f"lesson-print-{name}",
                    on_click="ignore",
                )
        with st.expander("Teacher’s notes"):
            notes = place.lesson.text().notes
            st.markdown("\n".join(f"- {literal(note)}" for note in notes))
        with st.expander("Link to this step"):
            address = phones.page_for_devices() or str(st.context.url or "")
            st.code(link(address, place.settings), language=None, wrap_lines=True)
        st.caption("Keys: Page Down or → goes on, Page Up or ← goes back.")
    return projected


def listen() -> None:
    """Let keys lead through the lesson, wherever the focus is."""
    st.html(f"<script>{_KEYS}</script>", unsafe_allow_javascript=True)


def show_clock(place: LessonPlace) -> None:
    """Show what is left; once the clock runs, it goes on by itself."""
    began = _began()
    if began is not None:
        st.query_params[_CLOCK] = str(int(began.timestamp()))

    def tick() -> None:
        passed = None if began is None else (datetime.now(UTC) - began).total_seconds() / 60
        pace = Pace(
            minutes=place.path.minutes,
            reserve=place.path.reserve,
            needed=place.path.minutes_from(place.lesson.key, place.step),
            passed=passed,
        )
        st.caption(f"{place.number} · {pace.text}")

    st.fragment(tick, run_every=None if began is None else _SECONDS)()


def _began() -> datetime | None:
    """Return when the clock was started, also before a reload."""
    began = cast("datetime | None", session.public(_BEGAN))
    written = st.query_params.get(_CLOCK, "")
    if began is None and written.isdecimal() and len(written) == _DIGITS:
        began = datetime.fromtimestamp(int(written), UTC)
        session.set_public(_BEGAN, began)
    return began


def _start_clock() -> None:
    session.set_public(_BEGAN, datetime.now(UTC))


def code(address: str) -> str:
    """Return a QR code of an address, an SVG picture: dark on light on any page.

    >>> code("http://127.0.0.1:8501/lessons")[:4]
    '<svg'
    """
    drawn = BytesIO()
    segno.make(address, micro=False, error="m").save(
        drawn, kind="svg", scale=_SCALE, light="white", xmldecl=False
    )
    return drawn.getvalue().decode()


def link(page: str, settings: dict[str, str]) -> str:
    """Return the address of a page with these settings and no others.

    >>> link("http://127.0.0.1:8501/lessons?mode=x#top", {"path": "class"})
    'http://127.0.0.1:8501/lessons?path=class'
    """
    return urlunsplit(urlsplit(page)._replace(query=urlencode(settings), fragment=""))


def _file(page: Callable[[Path], str], path: Path) -> bytes:
    return page(path).encode()


_LETTERS, _WORDS = 20, 17
_AXES = 60
_STAGE = """
<style>
/* The stage fills the window, so that Back and Next stay where they are. */
.st-key-lesson-stage { min-height: calc(100dvh - 10.5rem); }
[data-testid="stLayoutWrapper"]:has(> .st-key-lesson-foot) {
  position: sticky; bottom: 0; z-index: 90; background: Canvas;
  border-top: 1px solid rgba(127, 127, 127, 0.35); padding: 0.5rem 0;
}
@media (max-width: 640px) {
  .st-key-lesson-foot { gap: 0.4rem; }
  .st-key-lesson-foot :is(button, a) { padding-inline: 0.45rem; }
  .st-key-lesson-foot > :has([data-testid="stCaptionContainer"]) { display: none; }
}
[data-testid="stMainBlockContainer"]:has(.st-key-lesson-foot) { padding-bottom: 0; }
</style>
"""
_PROJECTED = """
<style>
html { font-size: 20px !important; }
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"],
[data-testid="stHeader"], .st-key-sections, .st-key-views,
[class*="st-key-lesson-choosing"], [class*="st-key-twin-"] {
  display: none !important;
}
[data-testid="stMainBlockContainer"] {
  padding: 0.75rem 1.5rem 0 !important; max-width: 60rem; margin: 0 auto;
}
.st-key-lesson-stage { min-height: calc(100dvh - 6rem); }
[data-testid="stMain"] h2 { padding: 0 !important; font-size: 1.7rem; }
[data-testid="stMain"] [data-testid="stVerticalBlock"] { gap: 0.5rem; }
[class*="st-key-predict-"] [data-testid="stWidgetLabel"] p,
[class*="st-key-quiz-"] [data-testid="stWidgetLabel"] p {
  font-size: 1.15rem; font-weight: 600;
}
[class*="st-key-predict-"] [role="radiogroup"] p { font-size: 1.1rem; }
</style>
"""


def apply_stage(*, projected: bool) -> None:
    """Add the rules of the stage, and those of the projector view, to the page."""
    st.html(_STAGE + (_PROJECTED if projected else ""))


def enlarged(picture: Picture, *, most: int) -> Picture:
    """Return a picture whose words can be read from the last row; ``most`` is its height.

    A picture without axes is no higher than before.
    """
    layout = picture.spec["layout"]
    more: dict[str, Any] = {"font": {"size": _LETTERS}, "height": min(layout["height"], most)}
    if "annotations" in layout:
        more["annotations"] = [_with_size(note, "font") for note in layout["annotations"]]
    # A picture with axes has the margins of the house, and needs wider ones.
    if layout["margin"]["l"] >= _AXES:
        more |= {"margin": layout["margin"] | {"l": 90, "b": 84, "t": 40}, "height": most}
    traces = [
        _with_size(trace, "textfont") if "size" in trace.get("textfont", ()) else trace
        for trace in picture.spec["data"]
    ]
    return replace(picture, spec={"data": traces, "layout": layout | more})


def _with_size(drawn: dict[str, Any], font: str) -> dict[str, Any]:
    return drawn | {font: drawn.get(font, {}) | {"size": _WORDS}}
