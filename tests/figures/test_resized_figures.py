"""Pictures of the resized bootstrap: what they claim is what they show."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.figures.resampling.resized_pictures import (
    averaging_picture,
    detection_picture,
    profile_picture,
    reveal_picture,
    rivals_picture,
    scores_picture,
    variance_picture,
)
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.mechanisms.resized_repair import NoisyResample
from dpcore.studies.resampling.resized_study import averaging, reveal, rivals, score_histogram
from tests.figures.complete import assert_complete

CASES = [(1000, 10.0, 10), (1000, 10.0, 0), (50, 7.0, 50), (2, 1.5, 1), (10**6, 3.0, 4)]


def pictures(n, z, ones):
    bootstrap = ResizedBootstrap.from_ratio(n, z)
    rng = np.random.default_rng(0)
    repaired = NoisyResample.calibrate(people=n, draws=bootstrap.draws, epsilon=1 / z, shares=True)
    yield profile_picture(bootstrap, ones, repaired)
    curve = reveal(bootstrap, 100, rng=rng, runs=100)
    yield reveal_picture(curve, bootstrap, 1 / (1 + np.exp(-curve.scores / z)))
    curve = averaging(bootstrap, ones, 50, rng=rng, runs=100)
    yield averaging_picture(curve, ones, n)
    start = min(ones, n - 1)
    found = score_histogram(bootstrap, start, draws=100, rng=rng)
    yield scores_picture(found, start, bootstrap.delta())
    others = rivals(bootstrap, ones)
    yield variance_picture(bootstrap, ones, others)
    for rival in others:
        yield rivals_picture(bootstrap, ones, rival)
        yield detection_picture(bootstrap, ones, rival)


@pytest.mark.parametrize("case", CASES)
def test_every_picture_is_complete(case):
    for picture in pictures(*case):
        assert_complete(picture)
        for trace in picture.figure.data:
            assert trace.name
            assert 0 < len(trace.x) == len(trace.y)


def test_attack_says_how_many_scores_are_proof():
    picture = list(pictures(1000, 10.0, 10))[1]
    assert picture.title.startswith("30 scores prove a rare trait with 95%")


def test_lines_that_come_down_to_zero_say_so_and_rare_ones_never_do():
    bootstrap = ResizedBootstrap.from_ratio(1000, 10)
    fixed = NoisyResample.calibrate(people=1000, draws=100, epsilon=0.1)
    picture = profile_picture(bootstrap, 10, fixed)
    ends = [t for t in picture.figure.data if t.name == "δ is 0 from here on"]
    colors = [t.marker.color for t in ends]
    assert "#117733" in colors  # the repaired form
    assert "#D55E00" not in colors  # a trait that one person has
    repaired = ends[colors.index("#117733")]
    assert repaired.x[0] == pytest.approx(0.1, rel=1e-6)
    assert len({t.line.color for t in picture.figure.data if t.mode == "lines"}) == 3
