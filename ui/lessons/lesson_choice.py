"""Which lesson is open, and what goes with it: clock, link, handout, projector view."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from typing import cast
from urllib.parse import urlencode, urlsplit, urlunsplit

import segno
import streamlit as st

from dpcore.documents.handout import answer_key, handout
from dpcore.figures.theme import Picture
from dpcore.lessons.lesson import Lesson, LessonStep
from dpcore.lessons.paths import LESSONS, PATHS, Pace, Path
from ui import controls, session
from ui.lessons.phones import explain, page_for_devices

PROJECTOR = "projector"
_PATH, _LESSON, _STEP = "path", "lesson", "step"
_KEYS = (_PATH, _LESSON, _STEP)
_WRITTEN = "_lessons_address"


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPlace:
    """Where somebody is: a step of a lesson of a path, projected or not."""

    path: Path
    lesson: Lesson
    step: LessonStep
    projected: bool

    @property
    def settings(self) -> dict[str, str]:
        """Return what an address says to lead here."""
        return {_PATH: self.path.key, _LESSON: self.lesson.key, _STEP: self.step.value}


def ask(*, projected: bool) -> LessonPlace:
    """Show what is chosen; what an address says wrongly is as if it said nothing."""
    _follow()
    with st.container(key="lesson-choosing"):
        first, second = controls.row([1, 1.4])
        path = PATHS[
            first.selectbox(
                "Path",
                list(PATHS),
                format_func=lambda key: PATHS[key].label,
                key=_PATH,
                kept="session",
                note="Lessons in an order, for a time that is there.",
            )
        ]
        lessons = path.lessons
        lesson = second.selectbox(
            "Lesson",
            list(lessons),
            format_func=lambda key: f"{path.place(key)}. {lessons[key].title}",
            key=_LESSON,
            kept="session",
            on_change=_start,
        )
    place = f"Lesson {path.place(lesson)} of {len(lessons)}"
    st.progress(path.place(lesson) / len(lessons), text=place)
    st.header(lessons[lesson].title, anchor=False)
    step = controls.HERE.radio(
        "Step",
        [step.value for step in LessonStep],
        format_func=lambda key: f"{LessonStep(key).number} {LessonStep(key).label}",
        key=_STEP,
        kept="session",
        label_visibility="collapsed",
    )
    found = LessonPlace(
        path=path, lesson=lessons[lesson], step=LessonStep(step), projected=projected
    )
    _write(found.settings)
    return found


def _follow() -> None:
    """Take over what the address says, unless this page wrote it there.

    The names in it are those of the lessons, not what their titles happen to be.
    """
    asked = {key: st.query_params.get(key, "") for key in _KEYS}
    if asked != session.public(_WRITTEN):
        known: dict[str, Collection[str]]
        known = {_PATH: PATHS, _LESSON: LESSONS, _STEP: list(LessonStep)}
        for key in _KEYS:
            if asked[key] in known[key]:
                session.set_public(key, asked[key])
    path = PATHS.get(str(session.public(_PATH)), next(iter(PATHS.values())))
    if session.public(_LESSON) not in path.lessons:
        session.set_public(_LESSON, next(iter(path.lessons)))


def _write(settings: dict[str, str]) -> None:
    """Let the address say what is on screen."""
    if any(st.query_params.get(key) != value for key, value in settings.items()):
        st.query_params.update(settings)
    session.set_public(_WRITTEN, settings)


def project() -> bool:
    """Show the switch to the projector view."""
    return st.toggle(
        "Projector view",
        key=PROJECTOR,
        bind="query-params",
        help="Large type and nothing beside the lesson. Page Down and Page Up, which "
        "most clickers send, lead to the next step and back; after a click on an "
        "answer, click beside it first.",
    )


def go_on(place: LessonPlace) -> None:
    """Show the buttons to the step before and the next."""
    before = place.path.before(place.lesson.key, place.step)
    after = place.path.after(place.lesson.key, place.step)
    with st.container(horizontal=True, key="lesson-going"):
        _button("Back", before, "PageUp", place, primary=False)
        if after is None:
            st.markdown("This is the end of the path.")
            st.page_link("pages/data.py", label="Go on with a table of your own")
        else:
            lesson, step = after
            same = lesson == place.lesson.key
            _button(
                f"Next: {step.label if same else place.path.lessons[lesson].title}",
                after,
                "PageDown",
                place,
                primary=True,
            )


def _button(
    label: str,
    leads: tuple[str, LessonStep] | None,
    shortcut: str,
    place: LessonPlace,
    *,
    primary: bool,
) -> None:
    st.button(
        label,
        type="primary" if primary else "secondary",
        disabled=leads is None,
        shortcut=shortcut if place.projected else None,
        on_click=_go,
        args=(leads,),
        key=f"lesson-{'next' if primary else 'back'}",
    )


def _start() -> None:
    """Begin a lesson that was chosen with its first step: predict, then see."""
    session.set_public(_STEP, next(iter(LessonStep)).value)


def _go(leads: tuple[str, LessonStep] | None) -> None:
    if leads is not None:
        session.set_public(_LESSON, leads[0])
        session.set_public(_STEP, leads[1].value)


_BEGAN = "_lessons_began"
_SECONDS = 20


def show_clock(place: LessonPlace) -> None:
    """Show what is left; once the clock runs, it goes on by itself."""
    needed = place.path.minutes_from(place.lesson.key, place.step)
    began = cast("datetime | None", session.public(_BEGAN))
    if began is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(Pace(minutes=place.path.minutes, needed=needed).text)
            st.button("Start the clock", on_click=_clock_start, key="lesson-clock")
        return

    def tick() -> None:
        passed = (datetime.now(UTC) - began).total_seconds() / 60
        pace = Pace(minutes=place.path.minutes, needed=needed, passed=passed)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(pace.text)
            st.button("Start anew", on_click=_clock_start, key="lesson-clock")

    st.fragment(tick, run_every=_SECONDS)()


def _clock_start() -> None:
    session.set_public(_BEGAN, datetime.now(UTC))


_SCALE, _WIDTH = 8, 300


def show_sharing(place: LessonPlace) -> None:
    """Show the link once it is asked for."""
    area = st.expander("Link to this step", key="lesson-link", on_change="rerun")
    if not area.open:
        return
    page = page_for_devices()
    address = link(page or str(st.context.url or ""), place.settings)
    with area:
        if page is None:
            explain()
        else:
            st.image(code(address), alt="QR code of the link below", width=_WIDTH)
        st.code(address, language=None, wrap_lines=True)
        st.caption("The link opens this step. It contains nothing of a table.")


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


def show_handout(path: Path) -> None:
    """Offer both, made once they are asked for."""
    area = st.expander("Print this path for a class", key="lesson-handout", on_change="rerun")
    if not area.open:
        return
    with area:
        st.caption(
            "Situations and questions to answer on paper; the key has the right "
            "answers, the reasons, and notes for whoever teaches. Open the file and "
            "print it, or save it as a PDF."
        )
        with st.container(horizontal=True):
            for label, page, name in (
                ("Download the handout", handout, "handout"),
                ("Download the answer key", answer_key, "answers"),
            ):
                st.download_button(
                    label,
                    partial(_file, page, path),
                    file_name=f"lessons-{path.key}-{name}.html",
                    mime="text/html",
                    key=f"lesson-print-{name}",
                    on_click="ignore",
                )


def _file(page: Callable[[Path], str], path: Path) -> bytes:
    return page(path).encode()


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
