"""The five steps of a lesson, of which the open one is drawn."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dpcore.figures.theme import Picture
from dpcore.glossary import mentioned
from dpcore.lessons.lesson import (
    Choice,
    Knob,
    Lesson,
    LessonStep,
    LessonText,
    QuizQuestion,
    Settings,
)
from ui import controls, glossary_links, results, session
from ui.lessons import classroom, teaching
from ui.lessons.lesson_choice import LessonPlace
from ui.text import literal

_LOW, _HIGH = 380, 480


def show(place: LessonPlace) -> None:
    """Draw the open step."""
    lesson_text = place.lesson.text()
    classroom.gathered(place)
    _DRAWN[place.step](place, lesson_text)
    if not place.projected:
        glossary_links.offer(mentioned(lesson_text.text), "Glossary for this lesson")


def _predict(place: LessonPlace, lesson_text: LessonText) -> None:
    st.markdown(literal(lesson_text.situation))
    chosen = classroom.ask(place.lesson, lesson_text.predict)
    if chosen is not None:
        st.caption("Press Next to see the answer.")


def _reveal(place: LessonPlace, lesson_text: LessonText) -> None:
    lesson, question = place.lesson, lesson_text.predict
    chosen = classroom.known(lesson)
    if chosen is None and not classroom.predicted_counts(lesson, question) and not _opened(lesson):
        st.info("Choose an answer first.")
        st.markdown(literal(lesson_text.situation))
        classroom.ask(lesson, question)
        st.button(
            "Skip the prediction",
            on_click=session.set_public,
            args=(_opening(lesson), True),
            key=f"open-{lesson.key}",
        )
        return
    if not place.projected:
        st.markdown(f"**{literal(question.text)}**")
    if chosen is None:
        _tell(question)
    else:
        _judged(question.choices[chosen])
        _right_one(question, chosen)
    predictions = classroom.predictions(lesson, question)
    if predictions is not None:
        _draw(place, predictions, f"votes-{lesson.key}", most=_LOW)
    _picture(place, lesson.first, beside=predictions is not None)


def _play(place: LessonPlace, lesson_text: LessonText) -> None:
    del lesson_text
    lesson = place.lesson
    if not place.projected:
        st.markdown("Move each control to both ends. Which numbers below the picture change?")
    cells = controls.row(len(lesson.knobs))
    settings = {
        knob.key: _set(cell, knob, lesson) for cell, knob in zip(cells, lesson.knobs, strict=True)
    }
    _picture(place, settings)


def _questions(place: LessonPlace, lesson_text: LessonText) -> None:
    for number, question in enumerate(lesson_text.questions, start=1):
        chosen = classroom.choose(question, f"quiz-{place.lesson.key}-{number}")
        if chosen is not None:
            _judged(question.choices[chosen])
            _right_one(question, chosen)


def _home(place: LessonPlace, lesson_text: LessonText) -> None:
    with st.container(border=True):
        st.markdown(f"**{literal(lesson_text.recall)}**")
        st.markdown(literal(lesson_text.home))
    if place.path.after(place.lesson.key, place.step) is None:
        _recap(place)
    st.markdown(f"**“So is it safe?”** {literal(lesson_text.safe)}")


def _recap(place: LessonPlace) -> None:
    """Say at the end of a path what can be answered now, a sentence a lesson."""
    st.subheader("The whole path", anchor=False)
    for lesson in place.path.lessons.values():
        lesson_text = lesson.text()
        st.markdown(f"**{literal(lesson_text.recall)}**  \n{literal(lesson_text.home)}")


def _picture(place: LessonPlace, settings: Settings, *, beside: bool = False) -> None:
    """Show the picture of a lesson; one beside another is lower on a projector."""
    shown = place.lesson.view(settings)
    name = f"lesson-{place.lesson.key}-{place.step.value}"
    _draw(place, shown.picture, name, most=_LOW if beside else _HIGH)
    if not place.projected:
        st.markdown(literal(shown.sentence))


def _draw(place: LessonPlace, picture: Picture, name: str, *, most: int) -> None:
    """Show a picture, on a projector with large words and at most so many pixels high."""
    if place.projected:
        picture = teaching.enlarged(picture, most=most)
    results.show(picture, name, simulated=True)


def _judged(choice: Choice) -> None:
    if choice.right:
        said = f"Correct: **{literal(choice.text)}.** {literal(choice.why)}"
        st.success(said, icon=":material/check:")
    else:
        said = f"Not “{literal(choice.text)}”. {literal(choice.why)}"
        st.warning(said, icon=":material/close:")


def _right_one(question: QuizQuestion, chosen: int) -> None:
    """Say the right answer to whoever chose another one."""
    if not question.choices[chosen].right:
        _tell(question)


def _tell(question: QuizQuestion) -> None:
    right = question.right
    st.markdown(f"Correct answer: **{literal(right.text)}.** {literal(right.why)}")


def _set(cell: controls.Cell, knob: Knob, lesson: Lesson) -> float:
    """Show one control of a lesson."""
    key = f"{lesson.key}-{knob.key}"
    if knob.options:
        names = knob.options
        chosen = cell.selectbox(
            knob.label, names, index=int(knob.value), key=key, note=knob.note or None
        )
        return float(names.index(chosen))
    note = knob.note or None
    if knob.whole:
        least, most, step = (int(number) for number in knob.within)
        return cell.slider(knob.label, int(knob.value), (least, most, step), key=key, note=note)
    return cell.slider(knob.label, knob.value, knob.within, key=key, note=note)


def _opened(lesson: Lesson) -> bool:
    return session.public(_opening(lesson)) is True


def _opening(lesson: Lesson) -> str:
    return f"_opened-{lesson.key}"


_DRAWN: dict[LessonStep, Callable[[LessonPlace, LessonText], None]] = {
    LessonStep.PREDICT: _predict,
    LessonStep.REVEAL: _reveal,
    LessonStep.PLAY: _play,
    LessonStep.QUESTIONS: _questions,
    LessonStep.HOME: _home,
}
