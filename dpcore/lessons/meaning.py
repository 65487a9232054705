"""What epsilon means, as counts of worlds."""

from __future__ import annotations

import math

from dpcore.figures.attackers import AttackerView, Sides, counted, worlds_picture
from dpcore.formatting import percent, significant
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
        sentence=f"You are in the table in half of the worlds. At ε {epsilon:g} the "
        f"best attacker is right in at most {_of_100(epsilon)} worlds on average. "
        f"Without any answer it would be {percent(0.5)}, by tossing a coin.",
    )


def _lesson_text() -> LessonText:
    one, small, large = (_of_100(epsilon) for epsilon in (1.0, 0.1, _HIGH))
    return LessonText(
        situation="Your neighbour wonders whether you took part in a survey about "
        "debts, and would toss a coin over it. Then the results are published with ε "
        "1, and she knows everything else about everybody.",
        predict=ask(
            "Imagine 100 worlds, and you took part in half of them. In how many is her "
            "guess right, at most?",
            wrong(
                "50: the answer tells nothing about one person",
                "That would be ε 0. Then the answer could not depend on anybody.",
            ),
            right(
                one.replace(" of 100", ""),
                "That is the most that ε 1 allows on average, for the best attacker there is.",
            ),
            wrong("100: she knows everything else", "Knowing all else does not remove the noise."),
        ),
        questions=(
            ask(
                "And with ε 0.1?",
                right(
                    f"{small}",
                    "Hardly more than tossing a coin. The answer is ten times as noisy "
                    "as with ε 1.",
                ),
                wrong(f"{large}", f"That is ε {_HIGH:g}: a larger ε lets her be right more often."),
                wrong(f"{one}, as before", "ε is exactly what changes that."),
            ),
            ask(
                "What does ε not protect from?",
                wrong(
                    "Clever attackers with large computers",
                    "The promise holds for any attacker, whatever they know or compute.",
                ),
                right(
                    "What is learned about everybody: that smoking harms is true of you, too",
                    "Such a finding does not depend on whether you took part.",
                ),
                wrong(
                    "Attackers who know all the others",
                    "Even those: that is the case which is counted here.",
                ),
            ),
            ask(
                f"Somebody says: “ε {_HIGH:g} is only five times ε 1.” What do you answer?",
                right(
                    f"It is {large} worlds instead of {one}",
                    "Each further 1 of ε multiplies the odds by "
                    f"{significant(math.e)}. Say the worlds, and people can decide.",
                ),
                wrong(
                    "Right, five times less private",
                    f"Odds do not grow like that: each further 1 multiplies them by "
                    f"{significant(math.e)}.",
                ),
            ),
        ),
        recall="What does ε say?",
        home="ε is a limit on odds: at ε 1 the best attacker is right in at most "
        f"{one} worlds, where a coin is in 50.",
        notes=(
            (
                "Counts are what people understood best in a study, better than "
                "percentages or a wording without a number."
            ),
            (
                "A different belief before gives a different one after; the page "
                "Meaning has the whole curve, and what real publications chose."
            ),
            "The number by which odds are multiplied at most is e to the ε.",
        ),
        safe=f"At ε 1, {one} instead of 50 of 100, for the best attacker, about "
        "anybody. Whether that is enough is a choice, not a computation.",
    )


LESSON = Lesson(
    key="meaning",
    title="What ε means",
    text=_lesson_text,
    knobs=(epsilon_knob(),),
    view=_lesson_view,
)
