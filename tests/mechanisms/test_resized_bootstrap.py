"""The resized bootstrap as published: what it claims, and what it gives."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap

USUAL = ResizedBootstrap.from_ratio(1000, 10)


@pytest.mark.parametrize(
    ("n", "z", "m", "tau"),
    [
        (1000, 10, 100, 0.09520785288629095),
        (100, 10, 10, 0.09561792499119552),
        (50, 7, 8, 0.1492369774182144),
        (10, 2, 5, 0.40951000000000004),
        (7, 3, 3, 0.37026239067055394),
        (1000, 1, 1000, 0.6323045752290359),
    ],
)
def test_reference_values(n, z, m, tau):
    bootstrap = ResizedBootstrap.from_ratio(n, z)
    assert bootstrap.draws == m
    assert bootstrap.delta() == pytest.approx(tau, rel=1e-12)


def test_sample_size_is_exact_where_floats_round_the_wrong_way():
    assert math.ceil(100 * 0.07) == 8
    assert ResizedBootstrap.from_epsilon(100, 0.07).draws == 7
    rng = np.random.default_rng(3)
    people = rng.integers(2, 5000, 2000)
    hundredths = rng.integers(1, 100, 2000)
    for n, h in zip(people.tolist(), hundredths.tolist(), strict=True):
        if n * h > 100:
            bootstrap = ResizedBootstrap.from_epsilon(n, h / 100)
            assert bootstrap.draws == -(-n * h // 100)
            assert bootstrap.claimed_epsilon == pytest.approx(h / 100, rel=1e-15)


def test_the_worst_pair_is_a_trait_that_one_person_has():
    for n, m in ((50, 8), (200, 67), (1000, 100)):
        bootstrap = ResizedBootstrap(people=n, ratio=Fraction(n, m))
        assert bootstrap.draws == m
        totals = [bootstrap.pair(k).delta(0.0) for k in range(n)]
        assert max(totals) == pytest.approx(bootstrap.delta(), rel=1e-12)
        assert totals.index(max(totals)) in {0, n - 1}
        for epsilon in (0.0, 0.1, 5.0):
            assert bootstrap.pair(0).delta(epsilon) == pytest.approx(bootstrap.delta())


def test_claimed_probability_to_be_drawn_fails_where_z_does_not_divide_n():
    odd = ResizedBootstrap.from_ratio(50, 7)
    assert odd.delta() > odd.claimed_appearance
    assert USUAL.delta() < USUAL.claimed_appearance


def test_claimed_variances_contradict_each_other():
    assert USUAL.claimed_variance == pytest.approx(1e-5)
    assert USUAL.stated_variance == pytest.approx(1e-4)


def test_simulation_agrees_with_the_law():
    draws = 200_000
    rng = np.random.default_rng(11)
    for k in (1, 100, 500):
        scores = USUAL.simulate(k, rng=rng, size=(draws,))
        p, spread = k / 1000, float(USUAL.variance(k / 1000))
        assert scores.mean() == pytest.approx(p, abs=4 * math.sqrt(spread / draws))
        fourth = float(((scores - p) ** 4).mean())
        error = math.sqrt((fourth - spread**2) / draws)
        assert scores.var() == pytest.approx(spread, abs=4 * error)
    seen = (USUAL.simulate(1, rng=rng, size=(draws,)) > 0).mean()
    tau = USUAL.delta()
    assert seen == pytest.approx(tau, abs=4 * math.sqrt(tau * (1 - tau) / draws))


@pytest.mark.parametrize(
    ("scores", "chance"),
    [
        (1, 0.0952078529),
        (5, 0.3936210551),
        (10, 0.6323045752),
        (30, 0.9502876060),
        (50, 0.9932788880),
    ],
)
def test_chance_of_proof_after_several_scores(scores, chance):
    assert USUAL.delta(scores=scores) == pytest.approx(chance, rel=1e-9)
    assert USUAL.pair(0, scores=scores).delta(3.0) == pytest.approx(chance, rel=1e-9)


def test_scores_until_proof():
    assert USUAL.looks_until(0.95) == 30
    assert USUAL.delta(scores=30) >= 0.95 > USUAL.delta(scores=29)
    assert USUAL.delta(scores=0) == 0


@pytest.mark.parametrize(
    ("ones", "scores", "chance"),
    [
        (1, 100, 0.849654354),
        (1, 1000, 0.999998116),
        (10, 100, 0.348849637),
        (10, 1000, 0.884371250),
        (10, 10_000, 0.999999475),
        (500, 10_000, 0.682205309),
        (500, 40_000, 0.954445732),
    ],
)
def test_averaging_recovers_the_exact_count(ones, scores, chance):
    assert USUAL.recovered(ones, scores) == pytest.approx(chance, abs=1e-9)


def test_neighbors_of_a_table():
    assert [pair.ones for pair in USUAL.around(0)] == [0]
    assert [pair.ones for pair in USUAL.around(7)] == [6, 7]
    assert [pair.ones for pair in USUAL.around(1000)] == [999]
    with pytest.raises(ParameterError, match="ones"):
        USUAL.around(1001)


def test_nobody_or_everybody_has_no_variance_and_still_an_infinite_epsilon():
    for ones in (0, 1000):
        assert USUAL.variance(ones / 1000) == 0
        scores = USUAL.simulate(ones, rng=np.random.default_rng(0), size=(10,))
        assert (scores == ones / 1000).all()
        assert max(pair.epsilon(1e-6) for pair in USUAL.around(ones)) == math.inf
        assert USUAL.recovered(ones, 1) == 1


def test_one_person_is_always_drawn():
    alone = ResizedBootstrap.from_ratio(1, 0.5)
    assert alone.draws == 2
    assert alone.delta() == 1
    assert alone.reverse_epsilon == math.inf
    assert alone.looks_until(0.95) == 1
    assert alone.pair(0).delta(3.0) == 1


def test_more_draws_than_people_are_allowed():
    assert ResizedBootstrap.from_ratio(10, 0.5).draws == 20
    assert ResizedBootstrap.from_ratio(10, 1).draws == 10


@pytest.mark.parametrize("z", [0, -1, 10, 11, 1e9, math.inf, math.nan])
def test_ratios_outside_their_domain_are_refused(z):
    with pytest.raises(ParameterError, match="Z must"):
        ResizedBootstrap.from_ratio(10, z)


def test_other_numbers_outside_their_domain_are_refused():
    with pytest.raises(ParameterError, match="people"):
        ResizedBootstrap.from_ratio(0, 0.5)
    with pytest.raises(ParameterError, match="rows"):
        ResizedBootstrap.from_ratio(5, 2, rows=0)
    with pytest.raises(ParameterError, match="draws"):
        ResizedBootstrap.from_ratio(10**6, 1e-6)
    with pytest.raises(ParameterError, match="Z must"):
        ResizedBootstrap.from_epsilon(100, 0.01)
    with pytest.raises(ParameterError, match="scores"):
        USUAL.delta(scores=-1)
    with pytest.raises(ParameterError, match="epsilon"):
        USUAL.delta(-1.0)
    with pytest.raises(ParameterError, match="delta"):
        USUAL.epsilon(2.0)
    with pytest.raises(ParameterError, match="chance"):
        USUAL.looks_until(1.0)
