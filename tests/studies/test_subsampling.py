"""Samples against the whole table, and the claims about them, in simulation."""

import math

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.privacy.subsampling_amplification import amplify
from dpcore.studies.resampling.subsampling_study import (
    MOST_SIMULATED,
    Retention,
    SampledMean,
    claimed,
    lemma_curve,
    measure,
    renyi_curve,
    simulate,
)

EVEN = np.arange(1000) / 999
STUDY = SampledMean.of(EVEN, width=1.0, epsilon=0.5)


@pytest.mark.parametrize(
    ("rate", "effective", "total"),
    [
        (0.9, 0.4885111075096, 1.766779912768e-05),
        (0.5, 0.4158982828756, 9.51463569549e-05),
        (0.2, 0.2890826925596, 0.0003582673781143),
        (0.1, 0.2013196593023, 0.0008016003992486),
        (0.01, 0.0418771539407, 0.009415239808997),
    ],
)
def test_vectors(rate, effective, total):
    assert float(STUDY.effective_epsilon(rate)) == pytest.approx(effective, rel=1e-9)
    assert STUDY.fixed_size(rate).total[0] == pytest.approx(total, rel=1e-9)


def test_vectors_of_poisson_sampling_and_of_all_rows():
    part = STUDY.poisson(0.1)
    assert part.sampling[0] == pytest.approx(3.0015015015e-3, rel=1e-9)
    assert part.noise[0] == pytest.approx(4.9346644e-5, rel=1e-6)
    assert STUDY.full_error == pytest.approx(8e-6)
    for parts in (STUDY.fixed_size(1.0), STUDY.poisson(1.0)):
        assert parts.sampling[0] == 0
        assert parts.total[0] == pytest.approx(STUDY.full_error)


def test_a_sample_never_helps_a_mean():
    rng = np.random.default_rng(3)
    for epsilon in np.exp(rng.uniform(-5, 4, 30)):
        study = SampledMean.of(EVEN, width=1.0, epsilon=float(epsilon))
        rates = np.sort(rng.uniform(1e-4, 1, 200))
        assert (np.diff(study.effective_epsilon(rates)) > 0).all()
        assert (np.diff(study.fixed_size(rates).total) < 0).all()
        assert (study.fixed_size(rates).total >= study.full_error).all()


def test_simulation_agrees_with_the_formula():
    for values in (EVEN, (EVEN < 0.05).astype(float)):
        study = SampledMean.of(values, width=1.0, epsilon=0.5)
        found = simulate(
            values,
            width=1.0,
            epsilon=0.5,
            rates=[0.01, 0.1, 0.5, 1.0],
            draws=2000,
            rng=np.random.default_rng(4),
        )
        expected = np.sqrt(study.fixed_size(found.rate).total)
        assert (np.abs(found.rmse - expected) < 2.5 * found.error).all()
        assert not (np.abs(found.rmse - 1.3 * expected) < 2.5 * found.error).any()


def test_worst_table_is_the_hardest():
    rng = np.random.default_rng(5)
    worst = SampledMean.at_worst(people=20, width=1.0, epsilon=1.0)
    assert worst.variance == pytest.approx(np.var([0, 1] * 10, ddof=1))
    assert (rng.random((1000, 20)).var(axis=1, ddof=1) <= worst.variance).all()


@pytest.mark.parametrize(
    "change", [{"people": 0}, {"width": 0.0}, {"epsilon": math.inf}, {"variance": -1.0}]
)
def test_senseless_settings_are_refused(change):
    settings = {
        "people": 5, "width": 1.0, "epsilon": 1.0, "variance": 1.0, "mean_square": 1.0
    }  # fmt: skip
    with pytest.raises(ParameterError):
        SampledMean(**settings | change)


def test_senseless_simulations_are_refused():
    options = {"width": 1.0, "epsilon": 1.0, "rng": np.random.default_rng(0)}
    for values, rates, draws in (
        ([], [0.5], 10),
        ([math.nan], [0.5], 10),
        (np.zeros(MOST_SIMULATED + 1), [0.5], 10),
        ([0.5], [0.0], 10),
        ([0.5], [0.5], 1),
    ):
        with pytest.raises(ParameterError):
            simulate(values, rates=rates, draws=draws, **options)
    assert simulate([0.5], rates=[0.5], draws=10, **options).rate == [1.0]


def test_measured_ratio_reaches_the_exact_one_and_no_more():
    rates = np.array([0.05, 0.3, 1.0])
    for epsilon in (0.5, 1.0, 2.0):
        found = measure(epsilon, rates, draws=200_000, rng=np.random.default_rng(6))
        exact = amplify(epsilon, rates)
        assert ((found.low <= exact) & (exact <= found.high)).all()
        assert (found.high - found.low < 0.1).all()
        # A mechanism that did not amplify would be caught.
        assert (found.high[:2] < epsilon).all()
    for draws, epsilon in ((10, 1.0), (5000, 0.0), (5000, math.inf)):
        with pytest.raises(ParameterError):
            measure(epsilon, rates, draws=draws, rng=np.random.default_rng(6))


def test_curves():
    rates = np.linspace(0.01, 1, 100)
    curve = lemma_curve(1.0, rates)
    assert (curve.exact <= curve.claimed).all()
    np.testing.assert_allclose(curve.claimed, 2 * rates)
    assert (lemma_curve(2.0, rates).exact <= claimed(2.0, rates)).all()
    assert claimed(1000.0, rates)[0] == math.inf
    kept = Retention.of(0.1, 3.0)
    assert kept.claimed < kept.exact
    assert kept.reached == pytest.approx(0.09077380889)
    renyi = renyi_curve(1.0, 0.1, 1e-6)
    assert renyi.claimed_level == pytest.approx(0.005)
    assert renyi.slope[-1] == pytest.approx(renyi.level, abs=1e-3)
    assert renyi.claimed_epsilon < 0.43
    assert renyi.exact_epsilon > 2.18
