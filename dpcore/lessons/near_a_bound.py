"""Truncated against BIT: both are biased near a bound, one breaks its promise."""

from __future__ import annotations

import math

from dpcore.figures.attackers import surest
from dpcore.figures.teaching.laboratory import worlds_picture
from dpcore.lessons.lesson import (
    Knob,
    Lesson,
    Settings,
    Shown,
    Telling,
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
    two_worlds,
)
from dpcore.wording import epsilon_text, percent, significant

_SHIFT = 0.2
_WAYS = (PUBLISHED, CLAMPED, REPAIRED)
_NAMES = (
    "redraw until inside (truncated, as published)",
    "move to the bound (BIT)",
    "redraw, with more noise (truncated, repaired)",
)


def _setup(key: str, epsilon: float = 1.0) -> Setup:
    return Setup(key=key, epsilon=epsilon, place=0.0, shift=_SHIFT)


def _bias(key: str, epsilon: float = 1.0) -> float:
    """Return how far too high answers are on average, as a share of the range."""
    return float(_setup(key, epsilon).mechanism().bias(0.0))


def _shown(settings: Settings) -> Shown:
    epsilon, way = settings["epsilon"], int(settings["way"])
    setup = _setup(_WAYS[way], epsilon)
    meter = measure(setup)
    kept = (
        "The promise is kept"
        if meter.holds
        else f"ε {epsilon:g} was promised, and {epsilon_text(meter.real)} is given away"
    )
    return Shown(
        picture=worlds_picture(two_worlds(setup), meter, setup=setup),
        sentence=f"{kept}. With the true value on the lower bound, answers are too "
        f"high by {percent(_bias(_WAYS[way], epsilon))} of the range on average.",
    )


def _telling() -> Telling:
    published, clamped = (measure(_setup(key)) for key in (PUBLISHED, CLAMPED))
    repaired = measure(_setup(REPAIRED))
    real = epsilon_text(published.real)
    kept, beside = (
        percent(float(acceptance(at, published.scale, UNIT))) for at in (0.0, _SHIFT)
    )
    extra = published.real - published.nominal
    more_odds, promised_odds = (
        significant(math.exp(epsilon)) for epsilon in (extra, published.nominal)
    )
    biases = {key: percent(_bias(key)) for key in _WAYS}
    more = significant(repaired.scale / published.scale)
    return Telling(
        situation="Noor publishes a share, which must lie between 0 and 100 %, but "
        "noise sometimes lands at -7 %. She can draw again until the number is "
        "possible, or move it to 0 %.",
        predict=ask(
            "Noor promised ε 1, and the true share may be 0 %. Which way breaks her "
            "promise?",
            wrong(
                "Moving it to 0 % (called BIT): all those zeros give the truth away",
                "It looks at the noisy number only, which gives away no more than it "
                "did before.",
            ),
            right(
                "Drawing again",
                f"How often one has to draw depends on the secret itself: a draw is "
                f"kept in {kept} of cases if the share is 0, and in {beside} if it is "
                f"{percent(_SHIFT)}. The more is thrown away, the more counts what is "
                f"left: {more_odds} times in the odds, on top of the {promised_odds} "
                f"times that ε 1 allows. Together that is ε {real}.",
            ),
            wrong(
                "Neither: both only tidy up",
                "Tidying up is free when it looks at the published number alone. "
                "Drawing again asks the secret a second time.",
            ),
        ),
        questions=(
            ask(
                "Which of the two is biased near a bound?",
                wrong(
                    "Only moving to the bound (BIT)",
                    f"It is too high by {biases[CLAMPED]} of the range at the bound. "
                    f"Drawing again is too high by {biases[PUBLISHED]}.",
                ),
                wrong(
                    "Neither",
                    "Both cut off what lies below, so that what is left is too high.",
                ),
                right(
                    "Both, and drawing again more",
                    f"At the bound, at ε 1: {biases[CLAMPED]} of the range with BIT, "
                    f"{biases[PUBLISHED]} with redrawing.",
                ),
            ),
            ask(
                "By how much does redrawing break a promise of ε 1 here?",
                wrong(
                    "Not at all; the bias is its only fault",
                    "Bias is about the answer. This is about the person.",
                ),
                right(
                    f"It gives ε {real} instead of 1",
                    f"An undecided reader may become {surest(published.real)} sure, "
                    f"and not {surest(clamped.nominal)} as promised. BIT gives "
                    f"{epsilon_text(clamped.real)}, as promised.",
                ),
                wrong(
                    "It gives everything away",
                    "No: never more than twice the ε that was promised.",
                ),
            ),
            ask(
                "Can redrawing be repaired?",
                right(
                    "Yes, with more noise from the start",
                    f"With {more} times the noise it gives ε 1 after all. Its bias at "
                    f"the bound grows to {biases[REPAIRED]} of the range.",
                ),
                wrong(
                    "Yes, by redrawing at most ten times",
                    "How often it was redrawn still depends on the secret.",
                ),
                wrong(
                    "No",
                    "More noise does it. It is only that moving to the bound is "
                    "cheaper.",
                ),
            ),
        ),
        home="Tidying up a published number is free; drawing it again is not, because "
        f"that asks the secret again: ε 1 becomes {real}.",
        notes=(
            (
                "BIT is short for boundary-inflated truncation: what falls outside is "
                "counted on the bound, which is why exactly 0 comes out so often."
            ),
            (
                f"One person moves the share by up to {percent(_SHIFT)} here. The "
                "smaller "
                "that step, the closer redrawing comes to twice the promised ε; where "
                "one "
                "person can move it from bound to bound, nothing is lost."
            ),
            (
                "The whole story is on the page Mechanism lab, where the broken "
                "promise can "
                "be caught by counting."
            ),
        ),
        safe="A correct-looking number is no sign of a kept promise. Ask which way of "
        "bounding was used, and what it gives away by proof.",
    )


LESSON = Lesson(
    key="near-a-bound",
    title="Near a bound: redraw or move",
    telling=_telling,
    knobs=(
        Knob(
            key="way",
            label="What is done with impossible numbers",
            value=0,
            options=_NAMES,
            within=(0, 2, 1),
        ),
        epsilon_knob(),
    ),
    shown=_shown,
)
