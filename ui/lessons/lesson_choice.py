"""Which step of which lesson is open, and the buttons to the next and the one before."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import streamlit as st

from dpcore.lessons.lesson import Lesson, LessonStep
from dpcore.lessons.paths import LESSONS, PATHS, Path
from ui import controls, session

_PATH, _LESSON, _STEP = "path", "lesson", "step"
_KEYS = (_PATH, _LESSON, _STEP)
_WRITTEN = "_lessons_address"


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPlace:
    """Where somebody is: a step of a lesson of a path, projected or not."""

    path: Path
    lesson: Lesson
    step: LessonStep
    projected: bool = False

    @property
    def settings(self) -> dict[str, str]:
        """Return what an address says to lead here."""
        return {_PATH: self.path.key, _LESSON: self.lesson.key, _STEP: self.step.value}

    @property
    def number(self) -> str:
        """Return which lesson of its path it is, in words."""
        return f"Lesson {self.path.place(self.lesson.key)} of {len(self.path.lessons)}"


def ask() -> LessonPlace:
    """Show what is chosen; what an address says wrongly is as if it said nothing."""
    _follow()
    with st.container(key="lesson-choosing"):
        title, first, second = st.columns([1, 1.1, 1.5], vertical_alignment="center")
    title.title("Lessons", width="content")
    path = PATHS[
        controls.Cell(place=first).selectbox(
            "Path",
            list(PATHS),
            format_func=lambda key: PATHS[key].label,
            key=_PATH,
            kept="session",
            label_visibility="collapsed",
        )
    ]
    lessons = path.lessons
    lesson = controls.Cell(place=second).selectbox(
        "Lesson",
        list(lessons),
        format_func=lambda key: f"{path.place(key)}. {lessons[key].title}",
        key=_LESSON,
        kept="session",
        label_visibility="collapsed",
        on_change=_start,
    )
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-head"):
        st.header(lessons[lesson].title, anchor=False, width="content")
        st.segmented_control(
            "Step",
            [step.value for step in LessonStep],
            required=True,
            format_func=lambda key: LessonStep(key).label,
            key=_STEP,
            label_visibility="collapsed",
            persist_state="session",
        )
    step = LessonStep(str(session.public(_STEP)))
    found = LessonPlace(path=path, lesson=lessons[lesson], step=step)
    _write(found.settings)
    return found


def _follow() -> None:
    """Take over what the address says, unless this page wrote it there.

    The names in it are those of the lessons, not what their titles happen to be. A
    lesson that its path does not have is opened in one that has it.
    """
    asked = {key: st.query_params.get(key, "") for key in _KEYS}
    if asked != session.public(_WRITTEN):
        known: dict[str, Collection[str]]
        known = {_PATH: PATHS, _LESSON: LESSONS, _STEP: list(LessonStep)}
        for key in _KEYS:
            if asked[key] in known[key]:
                session.set_public(key, asked[key])
        if asked[_LESSON] in LESSONS:
            session.set_public(_PATH, _path_with(asked[_LESSON]).key)
    path = _path()
    if session.public(_LESSON) not in path.lessons:
        session.set_public(_LESSON, next(iter(path.lessons)))
    if session.public(_STEP) is None:
        _start()


def _path() -> Path:
    return PATHS.get(str(session.public(_PATH)), next(iter(PATHS.values())))


def _path_with(lesson: str) -> Path:
    """Return the path that is chosen, or else one that has the lesson."""
    return next(path for path in (_path(), *PATHS.values()) if lesson in path.lessons)


def _write(settings: dict[str, str]) -> None:
    """Let the address say what is on screen."""
    if any(st.query_params.get(key) != value for key, value in settings.items()):
        st.query_params.update(settings)
    session.set_public(_WRITTEN, settings)


def go_on(place: LessonPlace) -> None:
    """Show the buttons to the step before and the next."""
    before = place.path.before(place.lesson.key, place.step)
    after = place.path.after(place.lesson.key, place.step)
    st.button("Back", disabled=before is None, on_click=_go, args=(before,), key="lesson-back")
    if after is None:
        st.page_link("pages/data.py", label="Continue with your own table")
        return
    same = after[0] == place.lesson.key
    st.button(
        f"Next: {after[1].label if same else place.path.lessons[after[0]].title}",
        type="primary",
        on_click=_go,
        args=(after,),
        key="lesson-next",
    )


def _start() -> None:
    """Begin a lesson that was chosen with its first step: predict, then see."""
    session.set_public(_STEP, next(iter(LessonStep)).value)


def _go(leads: tuple[str, LessonStep] | None) -> None:
    if leads is not None:
        session.set_public(_LESSON, leads[0])
        session.set_public(_STEP, leads[1].value)
