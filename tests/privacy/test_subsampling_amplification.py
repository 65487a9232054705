"""Amplification by a secret sample: vectors, limits, inverse pairs, edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.subsampling_amplification import (
    MOST_DRAWS,
    ONE_SIDED_LIMIT,
    amplify,
    amplify_one_sided,
    amplify_removal,
    amplify_replacement,
    amplify_with_replacement,
    base_epsilon,
    retention_rate,
    source_bound,
    source_rate,
    subsampled_delta,
    subsampled_divergence,
    subsampled_epsilon,
)

# epsilon, rate: add, remove, one-sided, replaced under Poisson sampling.
VECTORS = [
    (1, 0.1, 0.1585650787404, 0.06529833599883, 0.1585650787404, 0.2238634147393),
    (1, 0.5, 0.6201145069583, 0.3798854930417, 0.6931471805599, 1.0),
    (0.5, 0.1, 0.06285472347373, 0.04014194875041, 0.1053605156578, 0.1029966722241),
    (2, 0.1, 0.4940287080442, 0.09043520069185, 0.4940287080442, 0.584463908736),
    (5, 0.01, 0.9058894621377, 0.009982278098785, 0.9058894621377, 0.9158717402365),
    (10, 0.001, 3.136600811896, 0.001000454888209, 3.136600811896, 3.137601266784),
]
# A thousand pairs at once, from hardly any privacy loss to far beyond floats' e^x.
RNG = np.random.default_rng(20090902)
LEVELS = np.exp(RNG.uniform(math.log(1e-6), math.log(2000), 2000))
RATES = np.exp(RNG.uniform(math.log(1e-9), 0, 2000))


@pytest.mark.parametrize("row", VECTORS)
def test_vectors(row):
    epsilon, rate, *expected = row
    forms = (amplify, amplify_removal, amplify_one_sided, amplify_replacement)
    found = [float(form(epsilon, rate)) for form in forms]
    assert found == pytest.approx(expected, rel=1e-9)


def test_numbers_of_the_source():
    # Lemma 3 holds for every rate, with room: the slope at 0 is e - 1, not 2.
    rates = np.linspace(1e-6, 1, 2000)
    assert (amplify(1, rates) <= source_bound(rates)).all()
    assert amplify(1, 1e-9) / 1e-9 == pytest.approx(math.e - 1)
    # Its other direction holds with equality at both ends.
    assert (amplify_removal(1, rates) <= rates * (1 + 1e-12)).all()
    assert amplify_removal(1, 1.0) == pytest.approx(1)
    # The weaker hypothesis holds up to a constant, "roughly 0.79", and no further.
    assert pytest.approx(0.7968121300200199, rel=1e-12) == ONE_SIDED_LIMIT
    below, above = ONE_SIDED_LIMIT * (1 - 1e-9), ONE_SIDED_LIMIT * (1 + 1e-9)
    assert amplify_one_sided(1, below) <= source_bound(below)
    assert amplify_one_sided(1, above) > source_bound(above)
    # Note c: retaining with probability epsilon e^-c suffices.
    assert source_rate(0.1, 3) == pytest.approx(0.004978706837, rel=1e-9)
    assert amplify(3, source_rate(0.1, 3)) == pytest.approx(0.09077380889, rel=1e-9)
    assert retention_rate(0.1, 3) == pytest.approx(0.005510503503, rel=1e-9)
    # A survey of one in twenty.
    assert amplify(1, 0.05) == pytest.approx(0.08242211287901, rel=1e-9)


def test_amplified_level_is_between_nothing_and_the_base():
    found = amplify(LEVELS, RATES)
    assert ((found >= 0) & (found <= LEVELS)).all()
    assert (amplify_removal(LEVELS, RATES) <= found).all()
    assert (amplify_one_sided(LEVELS, RATES) >= found).all()


def test_amplify_rises_in_both_arguments():
    more = amplify(LEVELS * 1.001, RATES)
    wider = amplify(LEVELS, np.minimum(RATES * 1.001, 1))
    found = amplify(LEVELS, RATES)
    assert (more >= found).all()
    assert (wider >= found).all()
    assert (more > found)[LEVELS * RATES > 1e-9].all()


def test_inverse_pairs():
    found = amplify(LEVELS, RATES)
    np.testing.assert_allclose(base_epsilon(found, RATES), LEVELS, rtol=1e-9)
    known = RATES < 0.999
    back = retention_rate(found, LEVELS)
    np.testing.assert_allclose(back[known], RATES[known], rtol=1e-9)


def test_symmetric_extension_joins_both_directions():
    # Pure DP of the mixture: removal is the addition of the mirrored level.
    mirrored = -np.log1p(RATES * np.expm1(-LEVELS))
    np.testing.assert_allclose(amplify_removal(LEVELS, RATES), mirrored, rtol=1e-9)


def test_edges():
    assert amplify(1.0, 0.0) == amplify(math.inf, 0.0) == amplify(0.0, 0.5) == 0
    assert amplify(5.0, 1.0) == pytest.approx(5, rel=1e-15)
    assert amplify(math.inf, 0.5) == math.inf
    assert amplify(710.0, 0.1) == pytest.approx(710 + math.log(0.1), rel=1e-14)
    assert amplify(800.0, 1e-300) == pytest.approx(109.22447210178, rel=1e-12)
    assert amplify_removal(math.inf, 0.5) == pytest.approx(math.log(2))
    assert amplify_one_sided(1.0, 1.0) == math.inf
    assert base_epsilon(0.5, 0.0) == base_epsilon(0.0, 0.0) == math.inf
    assert retention_rate(0.0, 0.0) == retention_rate(5.0, 1.0) == 1
    assert retention_rate(5.0, math.inf) == 0
    for call in (
        lambda: amplify(-1.0, 0.5),
        lambda: amplify(math.nan, 0.5),
        lambda: amplify(1.0, 1.5),
        lambda: amplify(1.0, math.nan),
        lambda: base_epsilon(1.0, -0.1),
        lambda: amplify_with_replacement(1.0, 1, 0),
        lambda: amplify_with_replacement(math.inf, 1, 1),
        lambda: amplify_with_replacement(1.0, MOST_DRAWS + 1, 10),
        lambda: subsampled_divergence(1.0, 0.5, 1),
        lambda: subsampled_divergence(-1.0, 0.5, 2),
        lambda: subsampled_epsilon("laplace", 1.0, 0.5, -0.1),
    ):
        with pytest.raises(ParameterError):
            call()


@given(st.floats(1e-3, 3), st.integers(1, 60), st.integers(1, 60))
def test_draws_with_replacement_solve_their_equation(epsilon, draws, people):
    found = amplify_with_replacement(epsilon, draws, people)
    w = [
        math.comb(draws, j) * (people - 1) ** (draws - j) / people**draws for j in range(draws + 1)
    ]
    odds = math.exp(found)
    parts = [
        wj * max(1 - odds * math.exp(-j * epsilon), math.exp(j * epsilon) - odds)
        for j, wj in enumerate(w[1:], start=1)
    ]
    gained = math.fsum(part for part in parts if part > 0)
    assert math.fsum([w[0] * (1 - odds), *parts]) == pytest.approx(0, abs=1e-9 * (gained + odds))
    assert found <= draws * epsilon * (1 + 1e-12)


def test_draws_with_replacement_vectors():
    found = [amplify_with_replacement(*args) for args in ((1.0, 100, 1000),)]
    assert found == pytest.approx([0.1716807271], rel=1e-9)
    assert amplify_with_replacement(0.1, 100, 100) == pytest.approx(0.1053017137)
    assert amplify_with_replacement(1.0, 500, 500) == pytest.approx(1.8594623925)
    assert amplify_with_replacement(1.0, 0, 10) == 0
    assert amplify_with_replacement(2.0, 3, 1) == 6


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_profile_on_a_sample_is_inverted(law):
    ratio = np.exp(RNG.uniform(math.log(0.05), math.log(20), 500))
    for rate, delta in ((0.3, 1e-6), (0.01, 1e-9), (1.0, 1e-5)):
        level = subsampled_epsilon(law, ratio, rate, delta)
        proper = level > 1e-9
        np.testing.assert_allclose(
            subsampled_delta(law, ratio, rate, level)[proper], delta, rtol=1e-6
        )
        assert (subsampled_delta(law, ratio, rate, 0.0)[~proper] <= delta * 1.001).all()
    assert (subsampled_epsilon(law, ratio, 0.01, 0.01) == 0).all()


def test_profile_is_that_of_the_mixture():
    # By quadrature of both directions: with the person is the larger one.
    x = np.linspace(-45, 45, 900_001)
    step = x[1] - x[0]
    for mu, rate in ((1.0, 0.1), (0.5, 0.6), (2.0, 0.02)):
        without = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
        moved = np.exp(-((x - mu) ** 2) / 2) / math.sqrt(2 * math.pi)
        mixed = (1 - rate) * without + rate * moved
        for epsilon in (0.0, 0.1, 0.5):
            odds = math.exp(epsilon)
            there = np.maximum(mixed - odds * without, 0).sum() * step
            gone = np.maximum(without - odds * mixed, 0).sum() * step
            found = float(subsampled_delta("gaussian", mu, rate, epsilon))
            assert found == pytest.approx(there, rel=1e-6, abs=1e-12)
            assert gone <= there + 1e-12


def test_gaussian_sample_vectors():
    for rate, epsilon in ((0.1, 2.181694109245), (0.01, 0.363947839616)):
        found = subsampled_epsilon("gaussian", 1.0, rate, 1e-6)
        assert float(found) == pytest.approx(epsilon, rel=1e-9)
    # A bootstrap holds a person with probability 1 - 1/e.
    assert float(subsampled_epsilon("gaussian", 1.0, -math.expm1(-1), 1e-6)) == pytest.approx(
        4.3354, abs=5e-5
    )


def test_zcdp_is_not_amplified():
    slopes = {
        2: 0.00852, 4: 0.01467, 8: 0.172, 16: 0.346, 64: 0.463, 256: 0.491, 1024: 0.4977
    }  # fmt: skip
    for order, slope in slopes.items():
        found = subsampled_divergence(1.0, 0.1, order) / order
        assert found == pytest.approx(slope, abs=5e-4)
    # Whatever the rate, the level without sampling is reached in the end.
    assert subsampled_divergence(1.0, 1e-3, 100_000) / 100_000 > 0.4999
    assert subsampled_divergence(1.0, 1.0, 8) == 4
    assert subsampled_divergence(1.0, 0.0, 8) == subsampled_divergence(0.0, 0.5, 8) == 0
    # The claim of q squared times the level would be this epsilon, far too small.
    claimed = float(gaussian.epsilon_of(0.1, 1e-6))
    assert claimed == pytest.approx(0.3969, abs=5e-5)
    assert claimed < float(subsampled_epsilon("gaussian", 1.0, 0.1, 1e-6)) / 5
