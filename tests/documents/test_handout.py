"""Handouts of paths ask, and their keys answer."""

from __future__ import annotations

import html

import pytest

from dpcore.documents.handout import answer_key, handout
from dpcore.lessons.paths import PATHS
from tests.conftest import few


@pytest.mark.parametrize("path", few(1, *PATHS.values()), ids=list(PATHS))
def test_the_answers_are_in_the_key_alone(path):
    asked, answered = (
        html.unescape(one(path)).replace("\xa0", " ") for one in (handout, answer_key)
    )
    for lesson in path.lessons.values():
        lesson_text = lesson.text()
        assert lesson_text.home not in asked
        assert lesson_text.home in answered
        for question in (lesson_text.predict, *lesson_text.questions):
            assert question.text in asked
            assert all(choice.text in asked for choice in question.choices)
            assert question.right.why in answered
            assert not any(choice.why in asked for choice in question.choices)
