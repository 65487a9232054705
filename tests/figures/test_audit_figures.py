"""What is said and drawn of an audit is what it found."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.figures.audits import events_table, lower_text, roc_picture, seen, telling, verdict
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.mistakes import CATALOG_OF_MISTAKES
from dpcore.studies.auditing.trials import TrialDraws, batches
from tests.conftest import assert_says


def audited(key, *, repaired=False, draws=20_000):
    trial = CATALOG_OF_MISTAKES[key].trial(rng=np.random.default_rng(1), repaired=repaired)
    return audit(trial, TrialDraws.together(batches(trial, draws)))


@pytest.mark.parametrize("repaired", [False, True])
def test_ring_lies_beyond_the_promise_where_it_is_refuted(repaired):
    found = audited("small-noise", repaired=repaired)
    picture = roc_picture(found)
    assert verdict(found).startswith("Not refuted" if repaired else "Refuted")
    assert ("chance does not explain" in picture.title) == (not repaired)
    (rings,) = (t for t in picture.figure.data if t.name == "tested events")
    alarm = (np.array(rings.x) + rings.error_x.array) / 100
    detection = (np.array(rings.y) - rings.error_y.arrayminus) / 100
    beyond = detection > found.claim.detection(np.clip(alarm, 0, 1))
    assert beyond.any() == (not repaired)


def test_words_hold_the_numbers():
    found = audited("truncated")
    event, limit = telling(found)
    assert event == found.best.event.text
    assert_says(limit, "where the value is 0, and in", "factor of at most 2.72")
    assert f"{found.best.draws:,} draws" in seen(found)
    assert "Draw more" in seen(replace(found, detectable=math.inf))
    assert [row["event"] for row in events_table(found)] == [
        count.event.text for count in found.counts
    ]


def test_claim_with_a_delta_says_what_else_it_allows():
    assert "of all draws more" in telling(audited("bootstrap"))[1]


@pytest.mark.parametrize("epsilon", [1.33999, 0.010499, 12.399])
def test_lower_bound_is_never_rounded_up(epsilon):
    assert float(lower_text(epsilon)) <= epsilon
    assert float(lower_text(epsilon)) > epsilon * 0.98


def test_worlds_that_are_alike_are_said_to_be():
    found = audited("unconverged", repaired=True, draws=400)
    alike = replace(found, counts=tuple(replace(one, epsilon=-1.0) for one in found.counts))
    event, said = telling(alike)
    assert event == ""
    assert "differs significantly" in said
    assert "do not tell the two datasets apart" in roc_picture(alike).title
