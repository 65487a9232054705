"""Truncated against BIT: both are biased near a bound, one breaks its promise."""

from __future__ import annotations

import math

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import Fault, faults_picture
from dpcore.formatting import epsilon_text, in_full, percent, significant
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
_NAMES = {PUBLISHED: "draw again", CLAMPED: "move to the bound"}


def _setup(key: str, epsilon: float = 1.0) -> Setup:
    return Setup(key=key, epsilon=epsilon, place=0.0, shift=_SHIFT)


def _bias(key: str, epsilon: float = 1.0) -> float:
    """Return how far too high answers are on average, as a share of the range."""
    return float(_setup(key, epsilon).mechanism().bias(0.0))


def _points(share: float) -> str:
    """Return a part of the range from 0% to 100%, as a difference of percentages."""
    return f"{percent(share).removesuffix('%')} percentage points"


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
        sentence=f"The upper bars show the actual ε. The promise was ε = {in_full(epsilon)}: "
        f"someone who was 50% sure becomes at most {surest(epsilon)} sure. Drawing again has "
        f"an actual ε = {epsilon_text(real[PUBLISHED])}: {surest(real[PUBLISHED])} "
        f"sure. Moving to the bound (BIT) has ε = {epsilon_text(real[CLAMPED])}, as "
        "promised. The lower bars show the bias: how much too high the "
        "answers are on average, if the true share is 0%. Drawing again: "
        f"{high[PUBLISHED]}. Moving to the bound: {high[CLAMPED]}.",
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
    biases = {key: _points(_bias(key)) for key in (*_NAMES, REPAIRED)}
    limit = epsilon_text(redrawing_limit(published.nominal))
    more = significant(repaired.scale / published.scale)
    return LessonText(
        situation="Noor publishes the share of smokers in her five-member club. A share lies "
        "between 0% and 100%: these are its bounds. But with noise her number is "
        "−7%. She can draw the noise again until the number is possible. Or she "
        "can move it to the nearest bound, 0%.",
        predict=ask(
            "Noor promised ε = 1. Which of the two ways breaks her promise?",
            wrong(
                "Moving it to the bound",
                "Moving uses only the noisy number, so it reveals nothing new.",
            ),
            right(
                "Drawing again",
                "Which draws are rejected depends on the people. If none of the five smokes, "
                f"{kept} of the draws are possible shares. If one smokes, {beside} are. So "
                f"the number reveals more about that person than she promised: ε = {real} "
                "instead of 1. Drawing again is called truncated noise. Moving to the bound is "
                "called BIT, boundary-inflated truncation.",
            ),
            wrong(
                "Neither: both only tidy up",
                "Moving is harmless. But which draws are rejected depends on the people.",
            ),
        ),
        questions=(
            ask(
                "The true share is 0%. Which way gives biased answers, too high on average?",
                wrong(
                    "Only moving to the bound (BIT)",
                    f"It is too high by {biases[CLAMPED]} on average. Drawing again is too "
                    f"high by {biases[PUBLISHED]}.",
                ),
                wrong(
                    "Neither: noise goes in both directions",
                    "Here it cannot, because nothing below 0% is published. So the average "
                    "is too high.",
                ),
                right(
                    "Both, and drawing again has more bias",
                    f"At ε = 1 drawing again is too high by {biases[PUBLISHED]}. Moving to "
                    f"the bound (BIT) is too high by {biases[CLAMPED]}.",
                ),
            ),
            ask(
                "By how much does drawing again break a promise of ε = 1 here?",
                wrong(
                    "Not at all: it is only biased",
                    "Bias concerns the answer. The promise concerns the person.",
                ),
                right(
                    f"The actual ε is {real} instead of 1",
                    "Someone who was 50% sure about a person may become "
                    f"{surest(published.real)} sure. The promise was at most "
                    f"{surest(clamped.nominal)}. BIT has ε = {epsilon_text(clamped.real)}, as "
                    "promised.",
                ),
                wrong(
                    "It reveals everything",
                    f"No: a promise of ε = 1 becomes at most ε = {limit}, in a club of any size.",
                ),
            ),
            ask(
                "Can drawing again be repaired?",
                right(
                    "Yes, with more noise from the start",
                    f"With {more} times the noise it has ε = 1, as promised. But then its "
                    f"answers are too high by {biases[REPAIRED]}.",
                ),
                wrong(
                    "Yes, by drawing at most ten times",
                    "The number of draws still depends on the people.",
                ),
                wrong(
                    "No",
                    "More noise repairs it. But moving to the bound keeps the promise with "
                    "less noise.",
                ),
            ),
        ),
        recall="Which way is biased near a bound, and which breaks its promise?",
        home="Near a bound, drawing again (truncated noise) and moving to the bound (BIT) "
        "are both biased. Only drawing again breaks its promise. At ε = 1 its actual ε "
        f"is {real}.",
        notes=(
            (
                "BIT is short for boundary-inflated truncation. Values outside are moved to "
                "the bound, so exactly 0 comes out often."
            ),
            (
                f"Drawing again multiplies the odds by {more_odds}, on top of the "
                f"{promised_odds} times that ε = 1 allows. Together that is ε = {real}."
            ),
            (
                f"One person moves the share by up to {percent(_SHIFT)} here. In a larger "
                "club one person moves it less, and the actual ε of drawing again is larger, "
                f"up to ε = {limit}. In a club of one it would keep its promise."
            ),
            (
                "The Mechanism lab has the details, and detects the broken promise by "
                "counting. Audit tests any mechanism this way."
            ),
        ),
        safe="A plausible number does not mean the promise was kept. Ask how it was kept "
        "within its bounds, and what that reveals.",
    )


LESSON = Lesson(
    key="near-a-bound",
    title="Near a bound: redraw or move",
    text=_lesson_text,
    knobs=(epsilon_knob(),),
    view=_lesson_view,
)
