"""What the Release page shows of a question of each shape, by the plan of its answer.

Every file here that is about a shape has its ``VIEWS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol

from streamlit.delta_generator import DeltaGenerator

from dpcore.analyses.base import Question, Request
from dpcore.analyses.measurement import Plan
from dpcore.arrays import FloatArray
from dpcore.figures.theme import Picture
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind
from ui import answering
from ui.asking.question_controls import QuestionForm

Cells = tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]
"""Where a preview puts its three numbers."""
Form = Callable[[QuestionForm], Question]


class AnswerPicture(Protocol):
    """Draws a release beside what it would be without noise."""

    def __call__(self, answer: Release, asked: Request, *, truth: FloatArray) -> Picture:
        """Return the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """What is shown of a question, before and after its release.

    Attributes:
        plan: The plans that it is about.
        preview: Shows the noise before the release.
        show: Shows the answer.
        picture: Returns the picture of the answer beside the truth, for a class.
        details: Says how much one unit can move the answer.
        kinds: Statistics that ``ask`` asks for.
        ask: Shows the controls of the question, and returns it.

    """

    plan: type[Plan]
    preview: Callable[[Request, Cells], None]
    show: Callable[[Release, Request], None]
    picture: AnswerPicture
    details: Callable[[Request], str]
    kinds: tuple[StatisticKind, ...] = ()
    ask: Form | None = None


def view(asked: Request) -> AnswerView:
    """Return what is shown of a question."""
    return next(one for one in _views() if one.plan is type(asked.plan))


def form(kind: StatisticKind) -> Form:
    """Return what asks for a statistic."""
    return next(one.ask for one in _views() if one.ask and kind in one.kinds)


@lru_cache(maxsize=1)
def _views() -> tuple[AnswerView, ...]:
    files = iter_modules(answering.__path__, f"{answering.__name__}.")
    return tuple(
        found for file in files for found in getattr(import_module(file.name), "VIEWS", ())
    )
