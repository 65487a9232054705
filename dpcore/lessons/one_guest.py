"""One guest replaced: what epsilon promises, seen as two curves that nearly agree."""

from __future__ import annotations

import math

from dpcore.analyses.base import Request
from dpcore.data.bounds import Interval
from dpcore.figures.attackers import surest
from dpcore.figures.laboratory import two_worlds_picture
from dpcore.formatting import in_full, significant
from dpcore.lessons import survey
from dpcore.lessons.lesson import (
    Knob,
    Lesson,
    LessonText,
    LessonView,
    Settings,
    ask,
    epsilon_knob,
    right,
    wrong,
)

_BOUNDS = Interval(lower=0.0, upper=100.0)
_GUESTS = 20


def _request(epsilon: float, guests: int) -> Request:
    return survey.mean_request(epsilon, people=guests, bounds=_BOUNDS)


def _means(guests: int) -> tuple[float, float]:
    """Return the mean age with a guest of 100, and with a newborn instead."""
    others = float(survey.ages()[: guests - 1].sum())
    return (others + _BOUNDS.upper) / guests, (others + _BOUNDS.lower) / guests


def _accuracy(epsilon: float, guests: int) -> str:
    """Return how far off the answer is, or that noise can take it across all ages."""
    half = survey.half_width(_request(epsilon, guests))
    if half >= _BOUNDS.width:
        return f"lost in noise that can exceed the whole range of {in_full(_BOUNDS.width)} years"
    return f"within ±{significant(half)} years in 95 of 100 cases"


def _lesson_view(settings: Settings) -> LessonView:
    epsilon, guests = settings["epsilon"], int(settings["guests"])
    there, instead = _means(guests)
    picture = two_worlds_picture(
        _request(epsilon, guests).mechanism,
        key="laplace",
        epsilon=epsilon,
        worlds=(("with Eli, aged 100", there), ("with a newborn instead", instead)),
        window=(_BOUNDS.lower, _BOUNDS.upper),
        answer=f"published mean age of {guests} guests, years",
    )
    return LessonView(
        picture=picture,
        sentence="The higher a curve, the more likely that published average is. "
        f"Replacing Eli moves the average by {significant(there - instead)} years. "
        f"With ε = {in_full(epsilon)} the published average is "
        f"{_accuracy(epsilon, guests)}. A reader "
        f"who was 50% sure becomes at most {surest(epsilon)} sure which of the two "
        "is true.",
    )


def _lesson_text() -> LessonText:
    there, instead = _means(_GUESTS)
    step = significant(there - instead)
    small, one = (_accuracy(epsilon, _GUESTS) for epsilon in (0.1, 1.0))
    times = significant(math.e, up=True)
    return LessonText(
        situation=f"Eli is 100 years old and one of {_GUESTS} guests of a small hotel. The "
        "hotel publishes the average age of its guests. Ages below 0 or above 100 "
        "are treated as 0 or 100: these are the bounds. Eli would rather not be "
        "noticed.",
        predict=ask(
            f"If Eli were replaced by a newborn, by how much would the average of the "
            f"{_GUESTS} move?",
            wrong(
                f"{significant((there - instead) / 10)} years",
                "That would take ten times as many guests.",
            ),
            right(
                f"{step} years",
                f"The sum moves by 100 years, and is divided by {_GUESTS}. Nobody "
                "between 0 and 100 can move the average further. So the hotel adds noise. "
                "The picture shows which published averages are then likely: with Eli, and with "
                "a newborn instead.",
            ),
            wrong(
                "100 years",
                "The sum moves by that much; the average divides it by the number of guests.",
            ),
        ),
        questions=(
            ask(
                "What does a smaller ε do to the answer, and to Eli?",
                wrong(
                    "It makes the answer more exact, and Eli easier to notice",
                    "It is the other way round: a smaller ε means more noise.",
                ),
                right(
                    "It makes the answer less exact, and Eli harder to notice",
                    f"At ε = 1 the answer is {one}, and an undecided reader becomes at most "
                    f"{surest(1.0)} sure. At ε = 0.1 it is {small}, and the reader becomes at "
                    f"most {surest(0.1)} sure.",
                ),
                wrong(
                    "It makes the answer less exact, and does nothing for Eli",
                    "The noise is there for him: it widens both curves, until they nearly agree.",
                ),
            ),
            ask(
                "The two curves overlap, but are not the same. What does that mean?",
                right(
                    "An answer is slightly better evidence for one of the two, never more "
                    "than ε allows",
                    f"At ε = 1 no answer is more than {times} times as likely with Eli as "
                    "with the newborn, or the other way round. That number is e to the power "
                    "of ε. The limit holds for every answer and every guest.",
                ),
                wrong(
                    "The promise is broken",
                    "The promise limits how much can be learned. It does not rule out "
                    "learning anything.",
                ),
                wrong(
                    "Eli can be found with enough patience",
                    "Not from this one answer, however long someone studies it. A further "
                    "answer adds to the privacy cost.",
                ),
            ),
            ask(
                "Are guests protected who are less unusual than Eli?",
                wrong(
                    "No: the noise was made for Eli",
                    "It was made for the largest change that any guest can make. Guests who "
                    "change the average less are hidden better.",
                ),
                right(
                    "Yes: the promise holds for every guest, and most reveal less",
                    "The noise is made for the worst case. A later lesson shows how much "
                    "less the others lose.",
                ),
            ),
        ),
        recall="What does a smaller ε do to the answer, and to a person?",
        home="A smaller ε makes the answer less exact and a person harder to notice. At ε = "
        f"1 the answer is {one}, at ε = 0.1 {small}.",
        notes=(
            (
                "Eli is as old as the bounds allow and the newborn is as young. This is the "
                "worst pair, and the noise is made for it."
            ),
            "Ask who could be replaced without anybody noticing anything: most guests.",
            "The other guests have the ages of voters in an old survey.",
        ),
        safe="At ε = 1, someone who was 50% sure that Eli is the guest becomes at most "
        f"{surest(1.0)} sure. People must decide whether that is enough. No formula can.",
    )


LESSON = Lesson(
    key="one-guest",
    title="One guest replaced",
    text=_lesson_text,
    knobs=(
        epsilon_knob(),
        Knob(
            key="guests",
            label="Guests",
            value=_GUESTS,
            within=(5, 200, 5),
            note="The more guests, the less one of them moves the average.",
        ),
    ),
    view=_lesson_view,
)
