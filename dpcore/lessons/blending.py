"""Blending in: with the same noise, a person's loss falls as the crowd grows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.lessons import falling_picture
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
from dpcore.studies.individual.crowd import StatisticCrowd, sizes, slope

_ENDS = (0.001, 10.0)
_MOST = 15_104


@lru_cache(maxsize=16)
def _losses(epsilon: float, people: tuple[int, ...]) -> FloatArray:
    """Return the loss of the oldest voter in tables of so many, with today's noise."""
    crowd = StatisticCrowd(
        request=survey.mean_request(epsilon),
        exposure=survey.exposure(epsilon),
        entry=int(np.argmax(survey.ages())),
    )
    return crowd.people(people, rng=survey.generator())


def _sizes() -> tuple[int, ...]:
    return tuple(n for n in sizes(survey.table().people) if n <= _MOST)


def _at(epsilon: float, people: int) -> float:
    return float(_losses(epsilon, (people,))[0])


def _lesson_view(settings: Settings) -> LessonView:
    epsilon, people = settings["epsilon"], int(settings["people"])
    known = _sizes()
    losses = _losses(epsilon, known)
    here = _at(epsilon, people)
    title = (
        f"Among {people:,} people with the same noise, the oldest loses "
        f"{significant(here)}: twice the crowd, half the loss"
    )
    fall = slope(known, losses)
    return LessonView(
        picture=falling_picture(
            title,
            np.array(known, dtype=np.float64),
            losses,
            what="privacy loss, ε",
            ends=_ENDS,
            marked=(("your crowd", float(people), here),),
        ),
        sentence=f"The noise is made for ε = {in_full(epsilon)} and "
        f"{survey.table().people} people, and stays the same. The loss falls as the "
        "number of people to the power "
        f"{significant(fall, 2)}.",
    )


def _lesson_text() -> LessonText:
    few = _sizes()[0]
    now = _at(1.0, survey.table().people)
    later = _at(1.0, 10 * survey.table().people)
    oldest = significant(float(survey.ages().max()))
    return LessonText(
        situation=f"Olga is {oldest} and the oldest of {survey.table().people} people "
        "whose average age is published with noise. Her town grows, and the same "
        "amount of noise is used again.",
        predict=ask(
            "Ten times as many people, the same noise. What happens to Olga's privacy loss?",
            wrong(
                "It stays: she is still the oldest",
                "She is, but she moves the average ten times less.",
            ),
            right(
                "A tenth",
                f"It falls from ε = {significant(now)} to ε = {significant(later)}. In the "
                "larger town one person moves the average a tenth as far.",
            ),
            wrong(
                "It grows: more people look for her",
                "The number of attackers does not matter. What the answer reveals does.",
            ),
        ),
        questions=(
            ask(
                "What choice does a larger town have?",
                wrong(
                    "None: more people always mean more risk",
                    "For an average it is the other way round.",
                ),
                right(
                    "The same noise and less loss, or the same loss and less noise",
                    "A larger town can choose more privacy or more accuracy.",
                ),
            ),
            ask(
                "Does a large town protect Olga if exact counts of small groups are also "
                "published?",
                wrong("Yes: the town is large", "Her own group is still small."),
                right(
                    "No: the size of her group counts",
                    "A group of five gives the protection of five people, in a town of any size.",
                ),
            ),
            ask(
                "May the noise of a large town be used for a small one, because it looks "
                "just as safe?",
                right(
                    "No: noise is made for the table's own size",
                    f"With the same noise Olga loses ε = {significant(_at(1.0, few))} "
                    f"among {few} people, instead of ε = {significant(now)}.",
                ),
                wrong(
                    "Yes: noise is noise", "In a small table each person moves the average more."
                ),
            ),
        ),
        recall="What does a larger crowd do for a person?",
        home="Among more people each person moves the answer less. Ten times the people "
        "means a tenth of the loss at the same noise.",
        notes=(
            (
                "Smaller datasets are sampled from the survey. Larger ones repeat everybody. "
                "Olga is in all of them."
            ),
            ("A maximum does not behave like this. Ask the class for other such statistics."),
        ),
        safe="A large crowd helps, but without noise it promises nothing. Two exact averages "
        "can expose one person in any crowd.",
    )


LESSON = Lesson(
    key="blending",
    title="Blending in",
    text=_lesson_text,
    knobs=(
        epsilon_knob(within=(0.1, 3.0, 0.1)),
        Knob(
            key="people",
            label="People",
            value=944,
            within=(44, _MOST, 100),
            note="How many there are, with the same noise.",
        ),
    ),
    view=_lesson_view,
)
