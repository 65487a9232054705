"""What is stored, charged and computed stays as it was, to the last bit.

A machine that computes other last bits than that of the hashes compares what has none: the bytes
of parameters, and words.
"""

import json

import pytest

from tests.conftest import everything
from tests.guards.corpus import HASHES, arithmetic, hashes

# Questions of the table, and of one with at most two rows a person: the first of them.
FEW = (100, 20)


@pytest.mark.slow
def test_random_questions_are_stored_priced_and_answered_as_before():
    before, now = json.loads(HASHES.read_text("utf-8")), hashes(*(() if everything() else FEW))
    before = before if everything() else {name: before[name] for name in now if name in before}
    if before["arithmetic"] != arithmetic():
        before, now = without_numbers(before), without_numbers(now)
    differ = {name: (before.get(name), now.get(name)) for name in before | now}
    assert {name: both for name, both in differ.items() if both[0] != both[1]} == {}


def without_numbers(known):
    """Return the hashes of what no rounding changes."""
    parts = {name: text.split() for name, text in known.items()}
    kept = {
        name: [part for part in marks if part.startswith(("parameters", "words", "refused"))]
        for name, marks in parts.items()
    }
    return {name: marks for name, marks in kept.items() if marks}
