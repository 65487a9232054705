"""What is predicted before anything is shown: by one reader, and by a class."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import streamlit as st

from dpcore.figures.lessons import votes_picture
from dpcore.lessons.lesson import Lesson, QuizQuestion
from ui import controls, results, session
from ui.lessons import classroom

_MOST = 999


def ask(lesson: Lesson, question: QuizQuestion) -> int | None:
    """Ask what the reader expects, and return which answer was chosen, if any."""
    key = f"predict-{lesson.key}"
    return choose(question, key, lambda: _note(lesson, key))


def choose(question: QuizQuestion, key: str, heard: Callable[[], None] | None = None) -> int | None:
    """Show a question with its answers, none of them chosen at first.

    ``heard`` is called before the page is drawn anew with the answer that was chosen.
    """
    texts = [choice.text for choice in question.choices]
    found = controls.HERE.radio(
        question.text,
        list(range(len(texts))),
        format_func=lambda place: texts[place],
        index=None,
        on_change=heard,
        key=key,
        kept="session",
        horizontal=False,
    )
    return cast("int | None", found)


def known(lesson: Lesson) -> int | None:
    """Return what the reader has predicted, if anything."""
    return cast("int | None", session.public(_noted(lesson)))


def collect(lesson: Lesson, question: QuizQuestion) -> None:
    """Let whoever teaches type how many of a class expect what."""
    area = st.expander("Collect what a class expects", key=f"class-{lesson.key}", on_change="rerun")
    if not area.open:
        return
    with area:
        classroom.offer()
        st.caption(
            "Or count raised hands and type the counts. They stay in this tab and are "
            "shown as bars with the answer."
        )
        cells = controls.row(len(question.choices))
        counts = [
            cell.number(
                choice.text, 0, (0, _MOST), key=f"votes-{lesson.key}-{place}", kept="session"
            )
            for place, (cell, choice) in enumerate(zip(cells, question.choices, strict=True))
        ]
    session.set_public(_counted(lesson), counts)


def predicted_counts(lesson: Lesson, question: QuizQuestion) -> list[int]:
    """Return how many of the class chose each answer; empty if nobody was counted.

    Hands that were typed and phones add up.
    """
    typed = cast("list[int] | None", session.public(_counted(lesson)))
    sent = classroom.counts(lesson.key, question)
    found = [sum(pair) for pair in zip(typed or [0] * len(sent), sent, strict=True)]
    return found if any(found) else []


def compare(lesson: Lesson, question: QuizQuestion) -> None:
    """Show what the class expected beside what is true, if it was counted."""
    found = predicted_counts(lesson, question)
    if found:
        picture = votes_picture(
            [choice.text for choice in question.choices],
            found,
            right=question.choices.index(question.right),
        )
        results.show(picture, f"votes-{lesson.key}", simulated=True)


def _note(lesson: Lesson, key: str) -> None:
    session.set_public(_noted(lesson), session.public(key))


def _noted(lesson: Lesson) -> str:
    return f"_predicted-{lesson.key}"


def _counted(lesson: Lesson) -> str:
    return f"_counted-{lesson.key}"
