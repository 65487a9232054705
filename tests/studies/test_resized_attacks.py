"""Attacks on scores of resized bootstraps: exact curves, and simulated attackers."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.studies.resampling.resized_study import (
    averaging,
    laplace_belief,
    reveal,
    score_histogram,
    scores_to_average,
    usual_most,
)
from tests.conftest import few

USUAL = ResizedBootstrap.from_ratio(1000, 10)


def rng(seed=0):
    return np.random.default_rng(seed)


def within(curve, errors=4.0):
    off = np.abs(curve.simulated - curve.exact)
    return (off <= errors * curve.error + 1e-9).all()


@pytest.mark.parametrize(("n", "z"), [(1000, 10), (50, 7), (10**6, 1000), (10, 0.5)])
def test_attackers_find_proof_as_often_as_computed(n, z):
    bootstrap = ResizedBootstrap.from_ratio(n, z)
    most = usual_most(bootstrap)
    curve = reveal(bootstrap, most, rng=rng(), runs=20_000)
    assert within(curve)
    assert curve.scores[0] == 1
    assert curve.scores[-1] == most
    assert curve.exact[0] == pytest.approx(bootstrap.delta())
    assert curve.exact[-1] >= 0.999
    assert (np.diff(curve.exact) > 0).all() or most == 1


@pytest.mark.parametrize("ones", few(2, 0, 1, 10, 300, 1000))
def test_averages_find_the_count_as_often_as_computed(ones):
    curve = averaging(USUAL, ones, 3000, rng=rng(2), runs=20_000)
    assert within(curve)
    assert curve.exact[-1] > curve.exact[0] or ones in {0, 1000}


def test_about_so_many_scores_give_the_exact_count():
    for ones in (1, 10, 500):
        most = scores_to_average(USUAL, ones)
        assert USUAL.recovered(ones, most) == pytest.approx(0.95, abs=0.02)
    assert scores_to_average(USUAL, 0) == 1


def test_honest_answers_never_give_certainty():
    assert laplace_belief(USUAL, 0) == 0.5
    assert laplace_belief(USUAL, 30) == pytest.approx(1 / (1 + np.exp(-3)))


def test_numbers_outside_their_domain_are_refused():
    for most, runs in ((0, 10), (10**8, 10), (10, 0)):
        with pytest.raises(ParameterError, match="must be"):
            reveal(USUAL, most, rng=rng(), runs=runs)
    with pytest.raises(ParameterError, match="ones"):
        score_histogram(USUAL, 1000, draws=10, rng=rng())
    with pytest.raises(ParameterError, match="drawn"):
        score_histogram(USUAL, 1, draws=0, rng=rng())
