"""Numbers in the words of lessons: one number has one value, here and on its page."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.formatting import significant
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.lessons import survey
from dpcore.lessons.paths import LESSONS
from dpcore.relations import NeighboringRelation
from dpcore.studies.individual.crowd import StatisticCrowd

EVERY = pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))


def words(lesson):
    """Return all that a lesson says, at the settings that it begins with."""
    lesson_text, shown = lesson.text(), lesson.view(lesson.first)
    return "\n".join((lesson_text.text, *lesson_text.notes, shown.picture.title, shown.sentence))


DRAWN = {
    "interval": "says how many of the simulated answers on the picture were near",
    "clamping": "is about people who were drawn from the survey once and for all",
    "blending": "draws the people of smaller towns from the survey",
}


@pytest.mark.parametrize("key", [key for key in LESSONS if key not in DRAWN])
def test_no_number_in_words_hangs_on_the_draws(key, monkeypatch):
    first = words(LESSONS[key])
    monkeypatch.setattr(survey, "SEED", survey.SEED + 1)
    assert words(LESSONS[key]) == first


def test_a_person_loses_as_much_in_a_lesson_as_on_individual_privacy():
    # As `tests/app/test_one_number.py` finds on the page.
    for key, name, lesson, loss in (
        (survey.PATIENTS, "visits", "exposed", "0.741"),
        (survey.VOTERS, "age", "blending", "0.537"),
    ):
        request = survey.mean_request(1.0, name=name, key=key)
        query = request.query
        found = per_instance_losses(
            request.plan,
            query.statistic,
            query.values(survey.table(key)),
            relation=NeighboringRelation.ADD_REMOVE,
        )
        assert significant(found.maximum) == loss
        assert f"ε = {loss}" in words(LESSONS[lesson])


def noise(epsilon, people=944, **more):
    return survey.half_width(survey.mean_request(epsilon, people=people, **more))


def visits(upper):
    bounds = Interval(lower=0.0, upper=upper)
    return noise(1.0, 500, name="visits", key=survey.PATIENTS, bounds=bounds)


def averaged(times):
    return survey.usual_error(0.1) / math.sqrt(times)


def oldest(people):
    crowd = StatisticCrowd(
        request=survey.mean_request(1.0),
        exposure=survey.exposure(1.0),
        entry=int(np.argmax(survey.ages())),
    )
    (loss,) = crowd.people((people,), rng=survey.generator())
    return float(loss)


def near(ratio, value):
    return math.isclose(ratio, value, rel_tol=0.02)


CLAIMS = {
    "Twice as many people, half the noise": lambda: near(noise(1, 472), 2 * noise(1)),
    "ten times as many guests": lambda: near(noise(1, 40), noise(1, 400) * 10),
    "ten times as noisy as with ε = 1": lambda: near(noise(0.1), 10 * noise(1)),
    "With half as many people": lambda: near(noise(1, 472), 2 * noise(1)),
    "of 100 answers a tenth of it is left": lambda: near(averaged(1), 10 * averaged(100)),
    "ten times the ε one answer becomes ten times": lambda: near(noise(0.1), 10 * noise(1)),
    "only about three times": lambda: round(averaged(1) / averaged(10)) == 3,
    "is about twice as large": lambda: round(noise(0.1) / averaged(1)) == 2,
    "alf the price": lambda: near(noise(0.5), 2 * noise(1)),
    "is twice the noise": lambda: near(noise(0.5), 2 * noise(1)),
    "wants everything twice as exact": lambda: near(noise(2) * 2, noise(1)),
    "in inverse proportion": lambda: near(noise(4) * 4, noise(1)),
    "or twice the people": lambda: near(noise(1, 472), 2 * noise(1)),
    "Half the noise is twice the price": lambda: near(noise(2) * 2, noise(1)),
    "times fewer people, as many times the noise": lambda: near(noise(1, 10), 19.1 * noise(1, 191)),
    "Ten times as many people, a tenth of it": lambda: near(noise(1, 50), 10 * noise(1, 500)),
    "made for a hundred visits": lambda: near(visits(100.0), 100 * visits(1.0)),
    "A tenth It falls from": lambda: near(oldest(944), 10 * oldest(9440)),
    "the average a tenth as far": lambda: near(oldest(944), 10 * oldest(9440)),
    "moves the average ten times less": lambda: near(oldest(944), 10 * oldest(9440)),
    "a tenth of the loss": lambda: near(oldest(944), 10 * oldest(9440)),
    "twice the crowd, half the loss": lambda: near(oldest(944), 2 * oldest(1888)),
}
"""What lessons say in words of numbers, and whether the pages' functions agree."""
STORY = (
    "Imagine 100 worlds, and you took part in half of them",
    "You are in the table in half of the worlds",
    "is only five times ε = 1",
    "five times less private",
    "A hundred draws",
    "asking twice",
    "Asking twice with fresh noise",
    "Twice as much:",
    "Half as much again",
    "a hundred of them not",
    "Four times the ε",
    "twice.",
    "There is no third way",
    "might go a hundred times",
    "Sara gets ten times as many people",
    "drawing at most ten times",
    "Ask eight times",
    "About half Much less",
    "alf of the people lose at most",
    "alf of them lose at most",
    "for half of the people",
    "Ten times as many people, the same noise",
    "several times",
    "less than once in a million times",
    "one in a million",
    "once in a million:",
)
"""Words for numbers that are set, asked, wrong answers, or said with their number."""
NUMBERS = (
    r"\b(twice|half|third|quarter|tenth|double|hundreds?|million|thousand"
    r"|(two|three|four|five|six|seven|eight|nine|ten|several) times)\b"
)


@EVERY
def test_every_number_in_a_word_is_checked_or_part_of_the_story(lesson):
    for sentence in re.split(r"(?<=[.?;])\s|(?<!\d):\s|\n", words(lesson)):
        if re.search(NUMBERS, sentence, re.IGNORECASE):
            known = (*CLAIMS, *STORY)
            assert any(each.rstrip(":") in f"{sentence}." for each in known), sentence


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_number_in_a_word_is_that_of_the_pages(claim):
    assert any(claim in words(lesson) for lesson in LESSONS.values())
    assert CLAIMS[claim]()
