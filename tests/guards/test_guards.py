"""What is stored, charged and computed stays as it was, to the last bit."""

import json

import pytest

from tests.guards.corpus import HASHES, hashes


@pytest.mark.slow
def test_random_questions_are_stored_priced_and_answered_as_before():
    before, now = json.loads(HASHES.read_text("utf-8")), hashes()
    differ = {name: (before.get(name), now.get(name)) for name in before | now}
    assert {name: both for name, both in differ.items() if both[0] != both[1]} == {}
