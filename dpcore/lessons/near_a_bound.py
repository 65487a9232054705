"""Truncated against BIT: both are biased near a bound, one breaks its promise."""

from __future__ import annotations

import math

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import Fault, faults_picture
from dpcore.formatting import epsilon_text, percent, significant
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
from dpcore.studies.teaching.laboratory import (
    CLAMPED,
    PUBLISHED,
    REPAIRED,
    UNIT,
    Setup,
    acceptance,
    measure,
    redrawing_limit,
)

_SHIFT = 0.2
_NAMES = {PUBLISHED: "draw again", CLAMPED: "move to the bound", REPAIRED: "more noise, draw again"}


def _setup(key: str, epsilon: float = 1.0) -> Setup:
    return Setup(key=key, epsilon=epsilon, place=0.0, shift=_SHIFT)


def _bias(key: str, epsilon: float = 1.0) -> float:
    """Return how far too high answers are on average, as a share of the range."""
    return float(_setup(key, epsilon).mechanism().bias(0.0))


def _points(share: float) -> str:
    """Return a part of the range from 0 % to 100 %, as a difference of percentages."""
    return f"{percent(share).removesuffix(' %')} percentage points"


def _lesson_view(settings: Settings) -> LessonView:
    epsilon = settings["epsilon"]
    real = {key: measure(_setup(key, epsilon)).real for key in _NAMES}
    faults = [
        Fault(name=name, epsilon=real[key], bias=_bias(key, epsilon), key=key)
        for key, name in _NAMES.items()
    ]
    high = {key: _points(_bias(key, epsilon)) for key in _NAMES}
    return LessonView(
        picture=faults_picture(faults, promised=epsilon),
        sentence=f"Upper bars: what is given away about a person. ε {epsilon:g} was "
        f"promised: who was 50 % sure becomes at most {surest(epsilon)} sure. Drawing "
        f"again gives away ε {epsilon_text(real[PUBLISHED])}: "
        f"{surest(real[PUBLISHED])} sure. Moving to the bound (BIT) gives away "
        f"{epsilon_text(real[CLAMPED])}, as promised. So does a third way, “more "
        "noise, draw again”, which makes the noise larger before it draws. Lower bars: "
        "how far too high the answers are on average (biased), if the true share is 0 "
        f"%. Drawing again: by {high[PUBLISHED]}. Moving to the bound: by "
        f"{high[CLAMPED]}. The third way: by {high[REPAIRED]}.",
    )


def _lesson_text() -> LessonText:
    published, clamped = (measure(_setup(key)) for key in (PUBLISHED, CLAMPED))
    repaired = measure(_setup(REPAIRED))
    real = epsilon_text(published.real)
    kept, beside = (percent(float(acceptance(at, published.scale, UNIT))) for at in (0.0, _SHIFT))
    extra = published.real - published.nominal
    more_odds, promised_odds = (
        significant(math.exp(epsilon)) for epsilon in (extra, published.nominal)
    )
    biases = {key: _points(_bias(key)) for key in _NAMES}
    limit = epsilon_text(redrawing_limit(published.nominal))
    more = significant(repaired.scale / published.scale)
    return LessonText(
        situation="Noor publishes which share of her club of five smokes. A share lies "
        "between 0 % and 100 %: these are its bounds. But with noise her number is −7 "
        "%. She can draw the noise again until the number is possible. Or she can move "
        "it to the nearest bound, 0 %.",
        predict=ask(
            "Noor promised ε 1. Which of the two ways breaks her promise?",
            wrong(
                "Moving it to the bound (called BIT, boundary-inflated truncation)",
                "Moving looks at the noisy number only, not at the people. So it gives "
                "away nothing new.",
            ),
            right(
                "Drawing again (called truncated noise)",
                "Which draws are thrown away depends on the people. If none of the "
                f"five smokes, {kept} of the draws are possible shares and kept; if "
                f"one does, {beside} are. So the number that is kept tells more about "
                f"that one than she promised: ε {real} instead of 1.",
            ),
            wrong(
                "Neither: both only tidy up",
                "Moving only tidies up. Which draws are thrown away depends on the people.",
            ),
        ),
        questions=(
            ask(
                "The true share is 0 %. Whose answers are biased: too high on average, "
                "however often one repeats it?",
                wrong(
                    "Only those of moving to the bound (BIT)",
                    f"They are too high by {biases[CLAMPED]} on average. Those of "
                    f"drawing again are too high by {biases[PUBLISHED]}.",
                ),
                wrong(
                    "Neither's: noise falls to both sides",
                    "Here it cannot: nothing below 0 % is published. So the average is too high.",
                ),
                right(
                    "Those of both ways; of drawing again more strongly",
                    f"At ε 1 they are too high by {biases[PUBLISHED]} with drawing "
                    f"again, and by {biases[CLAMPED]} with moving to the bound (BIT).",
                ),
            ),
            ask(
                "By how much does drawing again break a promise of ε 1 here?",
                wrong(
                    "Not at all: it is only biased",
                    "Bias is about the answer. The promise is about the person.",
                ),
                right(
                    f"It gives away ε {real} instead of 1",
                    f"Somebody who was 50 % sure of a person may become "
                    f"{surest(published.real)} sure. Promised was "
                    f"{surest(clamped.nominal)} at most. BIT gives away "
                    f"{epsilon_text(clamped.real)}, as promised.",
                ),
                wrong(
                    "It gives everything away",
                    f"No: of a promise of ε 1 never more than ε {limit}, in a club of any size.",
                ),
            ),
            ask(
                "Can drawing again be repaired?",
                right(
                    "Yes, with more noise from the start",
                    f"With {more} times the noise it gives away ε 1, as promised. But "
                    f"then its answers are too high by {biases[REPAIRED]}.",
                ),
                wrong(
                    "Yes, by drawing at most ten times",
                    "How often it was drawn still depends on the people.",
                ),
                wrong(
                    "No",
                    "More noise does it. But moving to the bound keeps the promise "
                    "with less noise.",
                ),
            ),
        ),
        recall="Which way is biased near a bound, and which breaks its promise?",
        home="Near a bound drawing again (truncated noise) and moving to the bound "
        "(BIT) are both biased. Only drawing again breaks its promise: at ε 1 it gives "
        f"away {real}. BIT keeps it.",
        notes=(
            (
                "BIT is short for boundary-inflated truncation: what falls outside is "
                "counted on the bound, which is why exactly 0 comes out so often."
            ),
            (
                f"Drawing again multiplies the odds by {more_odds}, on top of the "
                f"{promised_odds} times that ε 1 allows. Together that is ε {real}."
            ),
            (
                f"One person moves the share by up to {percent(_SHIFT)} here. In a "
                "larger club one person moves it less, and drawing again gives away "
                f"more, up to ε {limit}. In a club of one it would keep its promise."
            ),
            (
                "The whole story is on the page Mechanism lab, where the broken "
                "promise can be caught by counting. The page Audit tests any mechanism "
                "this way."
            ),
        ),
        safe="A possible number is no sign of a kept promise. Ask how it was kept "
        "within its bounds, and what that gives away.",
    )


LESSON = Lesson(
    key="near-a-bound",
    title="Near a bound: redraw or move",
    text=_lesson_text,
    knobs=(epsilon_knob(),),
    view=_lesson_view,
)
