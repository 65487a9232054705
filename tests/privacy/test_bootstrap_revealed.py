"""One person's own level, and the proofs that the published claim fails."""

import math

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.bootstrap_cost import revealed_delta, revealed_epsilon, squares
from dpcore.privacy.bootstrap_profiles import multiplicities, renyi_two, zcdp_level


@pytest.mark.parametrize(
    ("times", "level"), [(1, 43.86), (2, 27.50), (5, 16.56), (10, 12.43), (50, 8.548), (200, 7.63)]
)
def test_levels_of_telling_the_multiplicities(times, level):
    found = revealed_epsilon(math.sqrt(1 / times), times=times, people=500, delta=1e-6)
    assert float(found) == pytest.approx(level, abs=6e-3)


@pytest.mark.parametrize("times", [1, 3, 50, 10_000])
def test_squares_have_the_moments_of_a_sum(times):
    values, chances, lost = squares(times, 30)
    one = multiplicities(30)
    second = np.arange(len(one)) ** 2
    mean = float(one @ second)
    variance = float(one @ second**2) - mean**2
    assert chances.sum() + lost == pytest.approx(1, abs=1e-12)
    assert 0 <= lost < 1e-13
    # Many values are merged upwards, a few in each.
    width = np.diff(values).max() if times == 10_000 else 0
    assert -1e-6 <= values @ chances - times * mean <= width + 1e-6
    spread = (values - times * mean) ** 2 @ chances
    assert spread == pytest.approx(times * variance, rel=0.01)


def test_delta_is_the_mean_over_drawn_multiplicities():
    rng = np.random.default_rng(2)
    drawn = rng.binomial(40, 1 / 40, (100_000, 8))
    lengths = 0.3 * np.sqrt((drawn**2).sum(axis=1))
    for epsilon in (0.0, 1.0, 3.0):
        sample = gaussian.delta_of(lengths, epsilon)
        error = sample.std() / math.sqrt(sample.size)
        found = float(revealed_delta(0.3, epsilon, times=8, people=40))
        assert found == pytest.approx(sample.mean(), abs=4 * error)


def test_epsilon_is_the_inverse_and_tables_err_upwards():
    exact_at = np.geomspace(1e-7, 0.2, 90)
    setting = {"times": 50, "people": 500, "delta": 1e-6}
    exact = revealed_epsilon(exact_at, **setting)
    positive = exact > 1e-9
    deltas = revealed_delta(exact_at[positive], exact[positive], times=50, people=500)
    assert deltas == pytest.approx(1e-6, rel=1e-9)
    many = np.concatenate([exact_at, np.full(200, 0.2)])
    for most in (None, 0.2):
        table = revealed_epsilon(many, **setting, most=most)[:90]
        assert np.all(table >= exact * (1 - 1e-9))
        assert np.all(table <= exact * 1.02 + 1e-3)
    assert np.all(np.diff(exact) >= 0)


def test_edges_of_own_levels():
    setting = {"times": 5, "people": 10, "delta": 1e-6}
    found = revealed_epsilon([0.0, math.inf, math.nan, 1e-12], **setting)
    assert found[[0, 3]].tolist() == [0, 0]
    assert math.isinf(found[1])
    assert math.isnan(found[2])
    with pytest.raises(ParameterError, match="shifts"):
        revealed_epsilon([-1.0], **setting)
    for name, wrong in (("delta", 0.0), ("times", 0), ("people", 0)):
        with pytest.raises(ParameterError):
            revealed_epsilon([0.1], **setting | {name: wrong})


def test_vectors_of_the_divergence_of_order_two():
    for people, times, value in (
        (500, 50, 0.020619094977881686),
        (500, 200, 0.005037713654934383),
        (500, 1, 243785.3919015778),
        (50, 10, 0.11751556745148913),
    ):
        found = renyi_two(math.sqrt(1 / times), people=people)
        assert found == pytest.approx(value, rel=1e-9)
    # At 1e-4 it is 1e-8 and a little more: nothing cancels.
    tiny = renyi_two(1e-4, people=10**6)
    assert tiny == pytest.approx(1e-8 + 1.5e-16, rel=1e-10)


def test_the_claim_fails_for_every_noise():
    for people in (2, 10, 500):
        for mu in np.geomspace(1e-3, 10, 40):
            assert renyi_two(mu, people=people) > mu * mu * (1 + 1e-8)
    assert renyi_two(0.3, people=1) == pytest.approx(0.09, rel=1e-12)


def test_zcdp_level_is_approached_and_never_exceeded():
    people, mu = 3, 0.4
    always = float(np.log(multiplicities(people)[people]))
    limit, shares = zcdp_level(mu, people=people), []
    for order in (2, 4, 8, 64, 512):
        # A lower bound for the divergence of a whole order: the term of its multinomial
        # expansion in which the person is drawn every time.
        copies = (order * people) ** 2 - order * people**2
        term = order * always + copies * mu * mu / 2
        shares.append(term / (order - 1) / order / limit)
    assert all(np.diff(shares) > 0)
    assert 0.98 < shares[-1] < 1


def test_edges_of_counterexamples():
    assert renyi_two(0.0, people=5) == 0
    assert zcdp_level(1.0, people=500) == 500**2 / 2
    for call in (renyi_two, zcdp_level):
        with pytest.raises(ParameterError, match="people"):
            call(1.0, people=0)
        with pytest.raises(ParameterError, match="shift"):
            call(math.inf, people=5)
    with pytest.raises(ParameterError, match="at most"):
        renyi_two(1.0, people=10**6 + 1)
