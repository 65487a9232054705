"""Averages of Laplace draws tested for normality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpcore.errors import ParameterError
from dpcore.studies.resampling.laplace_averages import (
    anderson_darling,
    normality,
    run,
    shapiro_p_values,
    shapiro_wilk,
)


@pytest.mark.parametrize("n", [12, 50, 100, 1000])
def test_shapiro_wilk_is_that_of_scipy(n):
    rng = np.random.default_rng(n)
    samples = np.concatenate([rng.laplace(size=(5, n)), rng.normal(size=(5, n))])
    w = shapiro_wilk(samples)
    expected = np.array([stats.shapiro(sample) for sample in samples])
    assert w == pytest.approx(expected[:, 0], abs=1e-8)
    assert shapiro_p_values(w, n) == pytest.approx(expected[:, 1], abs=1e-6)


@pytest.mark.parametrize("n", [12, 100])
def test_anderson_darling_is_its_definition(n):
    sample = np.random.default_rng(n).laplace(size=n)
    y = np.sort((sample - sample.mean()) / sample.std(ddof=1))
    i = np.arange(1, n + 1)
    logs = stats.norm.logcdf(y) + stats.norm.logsf(y[::-1])
    raw = -n - np.sum((2 * i - 1) * logs) / n
    expected = raw * (1 + 0.75 / n + 2.25 / n**2)
    assert float(anderson_darling(sample)) == pytest.approx(expected)


def test_tests_reject_normal_samples_as_often_as_they_say():
    normal = np.random.default_rng(4).normal(size=(8000, 100))
    within = 4 * np.sqrt(0.05 * 0.95 / 8000)
    assert np.mean(anderson_darling(normal) > 0.752) == pytest.approx(0.05, abs=within)
    p = shapiro_p_values(shapiro_wilk(normal), 100)
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=within)


@pytest.mark.parametrize(
    ("k", "anderson", "shapiro", "picks"),
    [
        (1, 0.172, 0.207, (0.963, 0.949)),
        (2, 0.628, 0.609, None),
        (5, 0.871, 0.839, (0.595, 0.604)),
        (10, 0.929, 0.911, (0.529, 0.540)),
        (20, 0.938, 0.924, (0.526, 0.516)),
    ],
)
def test_known_shares(k, anderson, shapiro, picks):
    found = normality(k, 3000, np.random.default_rng(k))
    # Both sides are simulated: four standard errors of their difference.
    assert found.anderson == pytest.approx(anderson, abs=0.05)
    assert found.shapiro == pytest.approx(shapiro, abs=0.05)
    if picks is not None:
        assert found.anderson_picks == pytest.approx(picks[0], abs=0.05)
        assert found.shapiro_picks == pytest.approx(picks[1], abs=0.05)
    assert 0 < found.error(found.anderson) < 0.01


def test_order_of_a_run_and_its_repetition():
    first = list(run((1, 3), 50, np.random.default_rng(1)))
    assert [one.draws for one in first] == [1, 3]
    assert first == list(run((1, 3), 50, np.random.default_rng(1)))


@pytest.mark.parametrize(
    "call",
    [
        lambda: shapiro_wilk(np.zeros(11)),
        lambda: shapiro_wilk(np.ones(20)),
        lambda: anderson_darling(np.array([np.nan] * 20)),
        lambda: anderson_darling(np.zeros(6000)),
        lambda: normality(0, 10, np.random.default_rng(1)),
        lambda: normality(1, 0, np.random.default_rng(1)),
    ],
)
def test_outside_the_domain(call):
    with pytest.raises(ParameterError):
        call()
