"""Averages of Laplace draws tested for normality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpcore.errors import ParameterError
from dpcore.studies.resampling.laplace_averages import (
    anderson_darling,
    normality,
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
