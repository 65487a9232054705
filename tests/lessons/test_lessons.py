"""Every lesson can be told and shown, and holds together."""

from __future__ import annotations

import itertools

import pytest

from dpcore.errors import ParameterError
from dpcore.formatting import epsilon_text
from dpcore.lessons.lesson import LessonStep, ask, right, wrong
from dpcore.lessons.paths import LESSONS, PATHS

EVERY = pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))


def questions(lesson_text):
    return (lesson_text.predict, *lesson_text.questions)


@EVERY
def test_a_lesson_is_shown_at_every_end_of_its_knobs(lesson):
    lesson.view(lesson.first)
    assert 1 <= len(lesson.knobs) <= 2
    for end in itertools.product(*(knob.within[:2] for knob in lesson.knobs)):
        shown = lesson.view(dict(zip([knob.key for knob in lesson.knobs], end, strict=True)))
        assert shown.sentence.endswith(".")
        assert shown.picture.alt
        told = f"{shown.sentence} {shown.picture.title} {shown.picture.alt}"
        assert "nan" not in told.split()
        # A number that was forgotten to be filled in.
        assert not {"{", "}"} & set(told), told


@EVERY
def test_a_lesson_is_the_same_for_every_class(lesson):
    first, again = (lesson.view(lesson.first) for _ in range(2))
    assert first.sentence == again.sentence
    assert first.picture.figure == again.picture.figure


@EVERY
def test_the_words_of_a_lesson_are_whole(lesson):
    lesson_text = lesson.text()
    texts = [lesson_text.situation, lesson_text.home, lesson_text.safe, *lesson_text.notes]
    for question in questions(lesson_text):
        assert question.text.endswith("?")
        texts += [choice.why for choice in question.choices]
    assert lesson_text.recall.endswith("?")
    for text in texts:
        assert text.rstrip("”").endswith((".", "?")), text
        assert not {"nan", "None"} & set(text.split()), text
        assert not {"{", "}"} & set(text), text
    # One or two sentences more is a wall of text on a projector.
    assert len(lesson_text.situation) < 330


def test_the_right_answer_has_no_place_of_its_own():
    places = [
        question.choices.index(question.right)
        for lesson in LESSONS.values()
        for question in questions(lesson.text())
    ]
    for place in (0, 1):
        assert 0.2 < places.count(place) / len(places) < 0.6


def test_a_question_has_one_right_answer_and_explains_all():
    good, bad = right("yes", "because."), wrong("no", "since.")
    assert ask("so?", bad, good).right == good
    for choices in ((good,), (bad, wrong("maybe", "x")), (good, right("aye", "x"))):
        with pytest.raises(ParameterError):
            ask("so?", *choices)
    for other in (wrong("yes", "x"), wrong("no", "")):
        with pytest.raises(ParameterError):
            ask("so?", good, other)


def test_paths_take_the_time_that_they_say():
    assert {key: path.minutes for key, path in PATHS.items()} == {
        "class": 45,
        "board": 15,
        "seminar": 90,
    }
    assert set(PATHS["seminar"].lessons) == set(LESSONS)
    assert len(LESSONS) >= 12


@pytest.mark.parametrize("path", PATHS.values(), ids=list(PATHS))
def test_a_path_leads_through_every_step_and_back(path):
    (first, *_), (*_, last) = path.lessons, path.lessons
    place = (first, LessonStep.PREDICT)
    assert path.before(*place) is None
    assert path.minutes_from(*place) == path.minutes - path.reserve
    walked = [place]
    while (after := path.after(*walked[-1])) is not None:
        assert path.before(*after) == walked[-1]
        assert path.minutes_from(*after) < path.minutes_from(*walked[-1])
        walked.append(after)
    assert walked[-1] == (last, LessonStep.HOME)
    assert len(walked) == len(set(walked)) == len(LessonStep) * len(path.lessons)


def test_the_class_is_told_by_how_much_drawing_again_breaks_its_promise():
    asked = LESSONS["near-a-bound"].text()
    shown = LESSONS["near-a-bound"].view({"epsilon": 1.0})
    real = float(shown.picture.table["epsilon given away"].max())
    assert 1 < real <= 2
    assert f"its actual ε is {epsilon_text(real)}" in asked.home


@pytest.mark.parametrize("people", [3, 20, 100])
def test_no_bar_of_what_is_given_away_leaves_its_axis(people):
    for epsilon in (0.1, 1.0, 3.0):
        picture = LESSONS["public-numbers"].view({"epsilon": epsilon, "people": people}).picture
        (bars,) = picture.figure.data
        assert max(bars.x) < picture.figure.layout.xaxis.range[1]
