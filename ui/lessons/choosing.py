"""Which lesson of which path is open, and at which step: all of it in the address."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import streamlit as st

from dpcore.lessons.lesson import Lesson, LessonStep
from dpcore.lessons.paths import LESSONS, PATHS, Path
from ui import controls, session

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
            _button(_forward(place, after), after, "PageDown", place, primary=True)


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


def _forward(place: LessonPlace, after: tuple[str, LessonStep]) -> str:
    lesson, step = after
    same = lesson == place.lesson.key
    return f"Next: {step.label if same else place.path.lessons[lesson].title}"


def _go(leads: tuple[str, LessonStep] | None) -> None:
    if leads is not None:
        session.set_public(_LESSON, leads[0])
        session.set_public(_STEP, leads[1].value)
