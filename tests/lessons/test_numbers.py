"""Numbers in the words of lessons: one number has one value, here and on its page."""

from __future__ import annotations

import ast
import itertools
import math
import re

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.formatting import epsilon_text, significant
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.lessons import survey
from dpcore.lessons.paths import LESSONS
from dpcore.relations import NeighboringRelation
from dpcore.studies.individual.crowd import StatisticCrowd
from dpcore.studies.teaching.laboratory import PUBLISHED, Setup, measure, redrawing_limit
from tests.conftest import ROOT

EVERY = pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))
MODULES = sorted(
    path for path in (ROOT / "dpcore/lessons").glob("*.py") if "LESSON = " in path.read_text()
)


def words(lesson):
    """Return all that a lesson says, at the settings that it begins with."""
    lesson_text, shown = lesson.text(), lesson.view(lesson.first)
    return "\n".join((lesson_text.text, *lesson_text.notes, shown.picture.title, shown.sentence))


def literals(path):
    """Return the text of a module with the words around, without its docstrings."""
    tree = ast.parse(path.read_text())
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]


SETTINGS = (
    r"ε (is |= )?(0\.1|0|1|2)(?![\d.]\d)",
    r"95 (of 100|times of 100)|95%",
    r"(about )?5 of 100",
    r"50%|50 of 100|^50: |in 50\.$",
    r"^(99 of 100|9 of 10), at most",
    r"^(0|50|100|4 times|50: learned nothing)$",
    r"^(1|0|100): ",
    r"100 worlds| of 100$",
    r"0%|100%|−7%|exactly 0|[Aa] share of 0",
    r"(0 and|0 or|below 0 or above|aged|is|by|^) ?100( years)?\b|0 or less|such as 50",
    r"where 1 was promised|instead of 1|further 1",
    r"log\(1 \+ q \(e\^ε - 1\)\)",
    r"^2 asks for half",
    r"(anes96|\.0f)",
)
"""Numbers that a text sets, as a story or a level does; all others are computed."""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_result_is_written_by_hand(path):
    for text in literals(path):
        rest = text
        for setting in SETTINGS:
            rest = re.sub(setting, "", rest)
        assert not re.search(r"\d", rest), text


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_questions_and_losses_are_those_of_the_pages(path):
    # `survey` asks as the Release page does, and looks as Individual privacy does.
    imported = {
        alias.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert not imported & {"Query", "TableSize", "Laplace", "Sensitivity", "expose"}
    if path.stem != "one_guest":
        assert "Request" not in imported


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


def test_what_the_trick_finds_is_off_by_the_exact_usual_error():
    # Two averages, each with noise that the range over epsilon scales: 2 * 82 years.
    lesson, width = LESSONS["why-noise"], survey.bounds("age").width
    for epsilon, people in itertools.product((0.1, 0.5, 1.0), (24, 944)):
        shown = lesson.view({"epsilon": epsilon, "people": people})
        exact = significant(2 * width / epsilon)
        assert f"usually off by about {exact} years" in shown.sentence
        assert f"off by about {exact} years" in shown.picture.title
        rng, size = np.random.default_rng(1), 20_000
        before, after = (
            n * survey.noise_of_mean(epsilon, n).simulate(0.0, rng=rng, size=(size,))
            for n in (people - 1, people)
        )
        drawn = float(np.sqrt(np.mean((after - before) ** 2)))
        assert drawn == pytest.approx(2 * width / epsilon, rel=0.03)
    assert "is off by about 164." in words(lesson)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_redrawing_stays_below_its_limit_at_every_step(epsilon):
    steps = (1.0, 0.5, 0.2, 0.1, 0.01, 1e-4)
    real = [
        measure(Setup(key=PUBLISHED, epsilon=epsilon, place=0.0, shift=step)).real for step in steps
    ]
    assert real == sorted(real)
    assert real[0] == pytest.approx(epsilon)
    assert real[-1] <= redrawing_limit(epsilon) * (1 + 1e-9)
    assert real[-1] == pytest.approx(redrawing_limit(epsilon), rel=1e-6)
    assert redrawing_limit(epsilon) < 2 * epsilon


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
    "a third way",
    "The third way",
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


def test_the_limit_of_redrawing_is_told_as_it_is():
    text = words(LESSONS["near-a-bound"])
    assert "twice" not in text
    assert text.count(f"ε = {epsilon_text(redrawing_limit(1.0))}") >= 2
