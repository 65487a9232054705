"""What a class takes along from a path of lessons, and the key to its questions.

>>> from dpcore.lessons.paths import PATHS
>>> board = PATHS["board"]
>>> "Take home" in handout(board).html(), "Take home" in answer_key(board).html()
(False, True)
"""

from __future__ import annotations

from dpcore.documents.page import Facts, Items, Page, PageTable, Paragraph, Piece, Section
from dpcore.lessons.lesson import Lesson, LessonText, QuizQuestion
from dpcore.lessons.paths import Path

_FOOT = "Made by Epsilon Studio. The tables behind it are public surveys."
_LETTERS = "ABCDEFGH"


def handout(path: Path) -> Page:
    """Return the situations and questions of a path, to answer on paper."""
    return Page(
        title=f"Lessons: {path.title.lower()}, {path.minutes} minutes",
        pieces=(
            _schedule(path),
            *(
                _section(number, lesson, _asked(lesson.text()))
                for number, lesson in enumerate(path.lessons.values(), start=1)
            ),
        ),
        foot=_FOOT,
    )


def answer_key(path: Path) -> Page:
    """Return right answers with their reasons, and notes for whoever teaches."""
    return Page(
        title=f"Answers and notes: {path.title.lower()}, {path.minutes} minutes",
        pieces=tuple(
            _section(number, lesson, _answered(lesson.text()))
            for number, lesson in enumerate(path.lessons.values(), start=1)
        ),
        mark="For whoever teaches: hand it out afterwards.",
        foot=_FOOT,
    )


def _schedule(path: Path) -> Piece:
    rows, begun = [], 0
    for key, minutes in path.stops:
        rows.append((path.lessons[key].title, f"{begun}", f"{minutes}"))
        begun += minutes
    return PageTable(
        title="What comes when",
        head=("lesson", "begins after, minutes", "takes, minutes"),
        rows=tuple(rows),
        numbers=frozenset((1, 2)),
    )


def _section(number: int, lesson: Lesson, pieces: tuple[Piece, ...]) -> Piece:
    return Section(title=f"{number}. {lesson.title}", pieces=pieces)


def _asked(lesson_text: LessonText) -> tuple[Piece, ...]:
    return (
        Paragraph(lesson_text.situation, "lead"),
        _boxes("Predict first", lesson_text.predict),
        *(
            _boxes(f"Question {number}", question)
            for number, question in enumerate(lesson_text.questions, start=1)
        ),
        Facts(pairs=((lesson_text.recall, ""),)),
    )


def _boxes(title: str, question: QuizQuestion) -> Piece:
    texts = tuple(
        f"{letter}: {choice.text}"
        for letter, choice in zip(_LETTERS, question.choices, strict=False)
    )
    return Section(
        title=f"{title}. {question.text}", pieces=(Items(texts, ticked=True),), whole=True
    )


def _answered(lesson_text: LessonText) -> tuple[Piece, ...]:
    asked = {"Prediction": lesson_text.predict} | {
        f"Question {number}": question
        for number, question in enumerate(lesson_text.questions, start=1)
    }
    return (
        Facts(pairs=tuple((name, _reason(asked[name])) for name in asked)),
        Facts(
            pairs=(
                (f"Take home. {lesson_text.recall}", lesson_text.home),
                ("“So is it safe?”", lesson_text.safe),
            )
        ),
        Items(lesson_text.notes),
    )


def _reason(question: QuizQuestion) -> str:
    right = question.right
    letter = _LETTERS[question.choices.index(right)]
    return f"{letter}: {right.text.rstrip('.')}. {right.why}"
