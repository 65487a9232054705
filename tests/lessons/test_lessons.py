"""Every lesson can be told and shown, and holds together."""

from __future__ import annotations

import itertools

import pytest

from dpcore.lessons.lesson import LessonStep
from dpcore.lessons.paths import LESSONS, PATHS

EVERY = pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))


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
