"""What epsilon means, as counts of worlds."""

from __future__ import annotations

import math

from dpcore.figures.attackers import AttackerView, Sides, counted, worlds_picture
from dpcore.formatting import in_full, percent, significant
from dpcore.lessons.lesson import (
    Lesson,
    LessonText,
    LessonView,
    Settings,
    ask,
    epsilon_knob,
    right,
    wrong,
)
from dpcore.relations import NeighboringRelation
from dpcore.studies.meaning.attacker import Guarantee

_HIGH = 5.0


def _told(epsilon: float) -> AttackerView:
    return AttackerView(
        guarantee=Guarantee(epsilon=epsilon), sides=Sides.of(NeighboringRelation.ADD_REMOVE)
    )


def _of_100(epsilon: float) -> str:
    count, of = counted(float(_told(epsilon).guarantee.best_guess(0.5)))
    return f"{count} of {of}"


def _lesson_view(settings: Settings) -> LessonView:
    epsilon = settings["epsilon"]
    return LessonView(
        picture=worlds_picture(_told(epsilon)),
        sentence=f"You are in the table in half of the worlds. At ε = {in_full(epsilon)} the "
        f"best attacker is right in at most {_of_100(epsilon)} worlds on average. "
        f"Without any answer it would be {percent(0.5)}, by tossing a coin.",
    )


def _lesson_text() -> LessonText:
    one, small, large = (_of_100(epsilon) for epsilon in (1.0, 0.1, _HIGH))
    return LessonText(
        situation="Your neighbour wonders whether you took part in a survey about debts. Her "
        "guess is a coin toss. Then the results are published with ε = 1. She "
        "knows everything else about everybody.",
        predict=ask(
            "Imagine 100 worlds, and you took part in half of them. In how many is her "
            "guess right, at most?",
            wrong(
                "50: the answer reveals nothing about one person",
                "That would be ε = 0. Then the answer could not depend on anybody.",
            ),
            right(
                one.replace(" of 100", ""),
                "That is the most that ε = 1 allows on average, for the best attacker there is.",
            ),
            wrong(
                "100: she knows everything else",
                "Knowing everything else does not remove the noise.",
            ),
        ),
        questions=(
            ask(
                "And with ε = 0.1?",
                right(
                    f"{small}",
                    "Hardly more than tossing a coin. The answer is ten times as noisy "
                    "as with ε = 1.",
                ),
                wrong(
                    f"{large}",
                    f"That is ε = {in_full(_HIGH)}: a larger ε lets her be right more often.",
                ),
                wrong(f"{one}, as before", "ε is exactly what changes that."),
            ),
            ask(
                "What does ε not protect against?",
                wrong(
                    "Clever attackers with large computers",
                    "The promise holds for any attacker, whatever they know or compute.",
                ),
                right(
                    "Findings about everybody: that smoking harms is true for you, too",
                    "Such a finding does not depend on whether you took part.",
                ),
                wrong(
                    "Attackers who know all the others",
                    "It protects even against those. This case is the one counted here.",
                ),
            ),
            ask(
                f"Somebody says: “ε = {in_full(_HIGH)} is only five times ε = 1.” "
                "What do you answer?",
                right(
                    f"It is {large} worlds instead of {one}",
                    f"Each further 1 of ε multiplies the odds by {significant(math.e)}. Give "
                    "the number of worlds, and people can decide.",
                ),
                wrong(
                    "Right, five times less private",
                    f"Odds do not grow like that: each further 1 multiplies them by "
                    f"{significant(math.e)}.",
                ),
            ),
        ),
        recall="What does ε mean?",
        home=f"ε is a limit on odds. At ε = 1 the best attacker is right in at most {one} "
        "worlds. A coin toss is right in 50.",
        notes=(
            (
                "In a study people understood counts better than percentages or words "
                "without a number."
            ),
            (
                "A different prior gives a different posterior. The view What ε means shows "
                "the whole curve and the choices of real publications."
            ),
            "Odds are multiplied by at most e to the power of ε.",
        ),
        safe=f"At ε = 1, {one} instead of 50 of 100, for the best attacker, about anybody. "
        "Whether that is enough is a decision. No computation can make it.",
    )


LESSON = Lesson(
    key="meaning",
    title="What ε means",
    text=_lesson_text,
    knobs=(epsilon_knob(),),
    view=_lesson_view,
)
