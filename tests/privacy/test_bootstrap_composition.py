"""What several bootstraps reveal together: vectors, the library, simulation, edges."""

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution

from dpcore.errors import ParameterError
from dpcore.privacy.bootstrap_cost import (
    claimed_epsilon,
    epsilon_of_step,
    resampled_delta,
    resampled_epsilon,
    resampled_step,
)
from dpcore.privacy.bootstrap_profiles import Bound, multiplicities
from dpcore.privacy.conversions import epsilon_of_rho
from tests.conftest import few

PUBLISHED = {"rho": 0.5, "people": 500}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("times", "attained", "mean", "generic"),
    few(
        1,
        (50, 5.168865777389273, 5.27794096049101, 6.744660056766189),
        (10, 6.553297923766207, 6.6168967374138115, 11.025973908488261),
        (200, 4.95504677558062, 5.051072202985263, 5.9170524131154885),
    ),
)
def test_vectors_of_composed_profiles(times, attained, mean, generic):
    expected = {Bound.ATTAINED: attained, Bound.MEAN: mean, Bound.GENERIC: generic}
    for bound, level in expected.items():
        found = resampled_epsilon(
            1.0, times=times, delta=1e-6, bound=bound, interval=5e-4, **PUBLISHED
        )
        assert found == pytest.approx(level, rel=1e-7)
        # The cells that are chosen without being told are as fine.
        chosen = resampled_epsilon(1.0, times=times, delta=1e-6, bound=bound, **PUBLISHED)
        assert chosen == pytest.approx(level, rel=2e-5)


@pytest.mark.slow
def test_the_published_bootstrap_costs_more_than_is_claimed():
    claimed = claimed_epsilon(0.5, 1e-6)
    assert claimed == pytest.approx(4.886554117462, rel=1e-12)
    bounds = {
        bound: resampled_epsilon(1.0, times=50, delta=1e-6, bound=bound, **PUBLISHED)
        for bound in Bound
    }
    assert 5.168 < bounds[Bound.ATTAINED] < bounds[Bound.MEAN] < 5.279
    alone = resampled_epsilon(1.0, times=1, delta=1e-6, bound=Bound.ATTAINED, **PUBLISHED)
    assert alone == pytest.approx(34.0018, abs=5e-5)
    for delta, attained in ((1e-7, 5.68460), (1e-8, 6.16442), (1e-9, 6.61544)):
        found = resampled_epsilon(1.0, times=50, delta=delta, bound=Bound.ATTAINED, **PUBLISHED)
        assert found == pytest.approx(attained, rel=1e-5)
    true = [
        resampled_delta(1.0, times=50, epsilon=claimed, bound=bound, **PUBLISHED)
        for bound in (Bound.ATTAINED, Bound.MEAN, Bound.GENERIC)
    ]
    assert true == pytest.approx([3.27e-6, 5.12e-6, 1.455e-4], rel=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("times", "attained", "generic"),
    few(2, (1, 34.0018, 43.4069), (1000, 4.90014, 5.68802), (2, 18.1361, 26.8314)),
)
def test_few_and_many_bootstraps(times, attained, generic):
    for bound, level in ((Bound.ATTAINED, attained), (Bound.GENERIC, generic)):
        found = resampled_epsilon(1.0, times=times, delta=1e-6, bound=bound, **PUBLISHED)
        assert found == pytest.approx(level, abs=7e-5)


@pytest.mark.slow
def test_attained_level_is_that_of_the_library():
    chances = multiplicities(500)[:16]
    library = privacy_loss_distribution.from_mixture_gaussian_mechanism(
        1 / resampled_step(1.0, rho=0.5, times=20),
        list(range(16)),
        (chances / chances.sum()).tolist(),
        value_discretization_interval=2e-3,
    ).self_compose(20)
    found = resampled_epsilon(1.0, times=20, delta=1e-6, bound=Bound.ATTAINED, **PUBLISHED)
    assert found == pytest.approx(library.get_epsilon_for_delta(1e-6), rel=5e-5)


def test_composed_delta_is_that_of_simulated_losses():
    rng = np.random.default_rng(11)
    times, level, runs = 50, 3.0, 100_000
    mu, chances = resampled_step(1.0, rho=0.5, times=times), multiplicities(500)
    j = np.arange(len(chances))
    x = np.linspace(-8, 10, 4001)
    loss = np.log(np.exp(j * mu * x[:, None] - (j * mu) ** 2 / 2) @ chances)
    total = np.zeros(runs)
    for _ in range(times):
        drawn = rng.binomial(500, 1 / 500, runs)
        total += np.interp(mu * drawn + rng.normal(size=runs), x, loss)
    gain = np.maximum(-np.expm1(level - total), 0)
    error = gain.std() / math.sqrt(runs)
    found = resampled_delta(1.0, times=times, epsilon=level, bound=Bound.ATTAINED, **PUBLISHED)
    assert found == pytest.approx(0.0021230, rel=1e-3)
    assert found == pytest.approx(gain.mean(), abs=4 * error)


@pytest.mark.parametrize("times", [2, 50, 3000])
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-12])
def test_bootstraps_of_one_person_are_gaussian_releases(times, delta):
    claimed = claimed_epsilon(0.5, delta)
    found = resampled_epsilon(1.0, rho=0.5, times=times, people=1, delta=delta)
    # Never below, and above by the discretization and the allowance for rounding.
    assert claimed <= found <= claimed * (1.012 if delta == 1e-12 else 1.0005)


@pytest.mark.slow
def test_level_falls_with_noise_and_rises_with_rho():
    common = {"times": 20, "people": 50, "delta": 1e-5}
    falling = [resampled_epsilon(c, rho=0.5, **common) for c in (1, 2, 1e4)]
    assert all(np.diff(falling) < 0)
    rising = [resampled_epsilon(1.0, rho=r, **common) for r in (0, 1e-6, 0.1, 1)]
    assert rising[0] == 0
    assert all(np.diff(rising) > 0)
    scaled = resampled_epsilon(3.0, rho=0.3, **common), resampled_epsilon(1.0, rho=0.1, **common)
    assert scaled[0] == pytest.approx(scaled[1], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 7])
def test_epsilon_and_delta_are_inverse(times):
    for bound in Bound:
        common = {"rho": 0.2, "times": times, "people": 100, "bound": bound}
        level = resampled_epsilon(1.3, delta=1e-5, **common)
        assert resampled_delta(1.3, epsilon=level, **common) == pytest.approx(1e-5, rel=1e-6)


def test_edges_of_composition():
    assert resampled_delta(1.0, rho=0.0, times=3, people=5, epsilon=0.0) == 0
    assert epsilon_of_step(0.0, times=3, people=5, delta=0.5) == 0
    # A delta above the largest possible difference costs nothing.
    assert resampled_epsilon(1.0, rho=1e-4, times=1, people=5, delta=0.5) == 0
    assert resampled_epsilon(1.0, rho=1e-4, times=4, people=5, delta=0.5) == 0
    right = {"rho": 0.5, "times": 5, "people": 50, "delta": 1e-6}
    for name, wrong in (
        ("rho", [-1.0, math.inf, math.nan]),
        ("times", [0, 1.5, 10_001]),
        ("people", [0]),
        ("delta", [0.0, 1e-13, 1.0, math.nan]),
    ):
        for value in wrong:
            with pytest.raises(ParameterError):
                resampled_epsilon(1.0, **right | {name: value})
    for factor in (0.0, -1.0, math.nan):
        with pytest.raises(ParameterError, match="factor"):
            resampled_epsilon(factor, **right)
    with pytest.raises(ParameterError, match="epsilon"):
        resampled_delta(1.0, rho=0.5, times=5, people=50, epsilon=-0.1)
    for delta in (0.0, 1.0, math.nan):
        with pytest.raises(ParameterError, match="delta"):
            claimed_epsilon(0.5, delta)
    with pytest.raises(ParameterError, match="rho"):
        claimed_epsilon(-0.5, 0.1)


@pytest.mark.parametrize(
    ("delta", "by_zcdp", "by_noise"),
    [
        (1e-7, 5.67086, 5.34935),
        (1e-8, 6.08616, 5.77610),
        (1e-9, 6.47407, 6.17394),
        (1e-12, 7.51514, 7.23849),
    ],
)
def test_what_is_claimed_at_other_deltas(delta, by_zcdp, by_noise):
    assert epsilon_of_rho(0.5, delta) == pytest.approx(by_zcdp, abs=6e-6)
    assert claimed_epsilon(0.5, delta) == pytest.approx(by_noise, abs=6e-6)


def test_the_number_of_people_hardly_matters():
    attained = {"times": 50, "delta": 1e-6, "bound": Bound.ATTAINED, "rho": 0.5}
    for people, expected in ((50, 5.1628), (10_000, 5.1695)):
        found = resampled_epsilon(1.0, people=people, **attained)
        assert found == pytest.approx(expected, abs=1.5e-4)
