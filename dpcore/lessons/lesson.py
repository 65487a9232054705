"""What a lesson is: words made of computed numbers, and a picture of its settings.

A lesson has one idea. Whoever takes it predicts first; then the picture is shown, may
be played with, and three questions follow. Every number in the words is computed when
the lesson is told, by the functions that releases use: no text can be wrong alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from zlib import crc32

from dpcore.errors import ParameterError
from dpcore.figures.theme import Picture

Settings = Mapping[str, float]
"""What the controls of a lesson are set to, by their keys."""
MINUTES = 5
"""How long a lesson takes where a path says nothing else."""
_FEWEST = 2


class LessonStep(StrEnum):
    """The five steps of every lesson, in their order."""

    PREDICT = "predict"
    REVEAL = "reveal"
    PLAY = "play"
    QUESTIONS = "questions"
    HOME = "home"

    @property
    def label(self) -> str:
        """Return what the step is called on the page."""
        return _LABELS[self]

    @property
    def number(self) -> int:
        """Return its place in the lesson, from 1."""
        return list(LessonStep).index(self) + 1


_LABELS = {
    LessonStep.PREDICT: "Predict",
    LessonStep.REVEAL: "See",
    LessonStep.PLAY: "Play",
    LessonStep.QUESTIONS: "Check",
    LessonStep.HOME: "Takeaway",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One answer to choose.

    Attributes:
        text: The answer.
        why: What is said to whoever chooses it: why it is right, or what it overlooks.
        right: Whether it is the right one.

    """

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuizQuestion:
    """A question with its answers, exactly one of which is right.

    Raises:
        ParameterError: There are fewer than two answers, not exactly one right one, two
            alike, or one without an explanation.

    """

    text: str
    choices: tuple[Choice, ...]

    def __post_init__(self) -> None:
        texts = {choice.text for choice in self.choices}
        if len(self.choices) < _FEWEST or len(texts) < len(self.choices):
            raise ParameterError(f"a question needs different answers: {self.text}")
        if sum(choice.right for choice in self.choices) != 1:
            raise ParameterError(f"exactly one answer must be right: {self.text}")
        if not all(choice.why for choice in self.choices):
            raise ParameterError(f"every answer needs an explanation: {self.text}")

    @property
    def right(self) -> Choice:
        """Return the right answer."""
        return next(choice for choice in self.choices if choice.right)


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonText:
    """The words of a lesson.

    Attributes:
        situation: Somebody and what they want, in two sentences without jargon.
        predict: What is asked before anything is shown.
        questions: What is asked at the end.
        recall: What one should be able to answer afterwards.
        home: The answer to it, to take home.
        notes: What whoever teaches it should know, a thought each.
        safe: What to say to "so is it safe?".

    """

    situation: str
    predict: QuizQuestion
    questions: tuple[QuizQuestion, QuizQuestion, QuizQuestion]
    recall: str
    home: str
    notes: tuple[str, ...]
    safe: str

    @property
    def text(self) -> str:
        """Return all that whoever takes it reads, in the order in which they do."""
        asked = (self.predict, *self.questions)
        told = (
            text
            for question in asked
            for text in (question.text, *(f"{one.text} {one.why}" for one in question.choices))
        )
        return "\n".join((self.situation, *told, self.recall, self.home, self.safe))


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonView:
    """What a lesson shows at some settings: a picture, and it in a sentence."""

    picture: Picture
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A control of a lesson: a slider, or a choice among named options.

    Attributes:
        key: Its name among the settings.
        label: What it is called, in plain words.
        value: What it starts from; of options, the place of one.
        within: Least, most and step of a slider.
        note: What it means.
        options: Names to choose from, in place of a slider.

    """

    key: str
    label: str
    value: float
    within: tuple[float, float, float] = (0.0, 1.0, 1.0)
    note: str = ""
    options: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Tell whether it counts something."""
        return all(float(number).is_integer() for number in (self.value, *self.within))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One idea in five minutes.

    Attributes:
        key: Its name in addresses.
        title: Its name on the page.
        text: Makes its words.
        knobs: What may be played with, one or two.
        view: Makes its picture of what the knobs are set to.

    """

    key: str
    title: str
    text: Callable[[], LessonText]
    knobs: tuple[Knob, ...]
    view: Callable[[Settings], LessonView]

    @property
    def first(self) -> Settings:
        """Return the settings that it begins with."""
        return {knob.key: knob.value for knob in self.knobs}


def epsilon_knob(value: float = 1.0, within: tuple[float, float, float] = (0.1, 5.0, 0.1)) -> Knob:
    """Return the slider that most lessons have."""
    return Knob(
        key="epsilon",
        label="Privacy parameter ε",
        value=value,
        within=within,
        note="Small: much noise, and one person hardly matters. Large: little noise, "
        "and one person may be seen.",
    )


def right(text: str, why: str) -> Choice:
    """Return the right answer to a question."""
    return Choice(text=text, why=why, right=True)


def wrong(text: str, why: str) -> Choice:
    """Return an answer that is not right."""
    return Choice(text=text, why=why)


def ask(text: str, *choices: Choice) -> QuizQuestion:
    """Return a question; its answers stand in an order that their words fix.

    So the right one has no place of its own, whoever wrote the question.
    """
    ordered = sorted(choices, key=lambda choice: crc32((text + choice.why).encode()))
    return QuizQuestion(text=text, choices=tuple(ordered))
