"""Several releases as one, and intervals that know the noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from dpcore.errors import ParameterError
from dpcore.inference.multiple_synthesis import combine
from dpcore.inference.proportion_intervals import sampling_variance, score_interval, wald


def test_covers_and_rubin_would_be_too_wide():
    rng = np.random.default_rng(3)
    n, p, b = 100, 0.3, 5 / 100
    data = rng.binomial(n, p, 40_000) / n
    releases = data + rng.laplace(0, b, (5, 40_000))
    found = combine(releases, sampling_variance(releases, n))
    covered = np.mean((found.lower <= p) & (p <= found.upper))
    assert covered == pytest.approx(0.95, abs=0.01)
    variance = found.estimate.var()
    assert variance == pytest.approx(0.003097, rel=0.03)
    assert found.variance.mean() == pytest.approx(0.003029, rel=0.01)
    rubin = (found.within + 1.2 * found.between).mean()
    assert rubin == pytest.approx(0.008025, rel=0.02)


@pytest.mark.parametrize(
    ("releases", "within", "level"),
    [([0.1], 0.1, 0.95), (0.1, 0.1, 0.95), ([0.1, 0.2], -1, 0.95), ([1, 2], 0.1, 1.0)],
)
def test_what_cannot_be_combined_is_refused(releases, within, level):
    with pytest.raises(ParameterError):
        combine(releases, within, level=level)


def test_wald_interval_is_the_textbook_one():
    assert wald([0.5], people=100)[0] == pytest.approx([0.4020018, 0.5979982])
    assert wald([0.0, 1.0], people=10) == pytest.approx(np.array([[0, 0], [1, 1]]))


def test_noise_aware_interval_covers_where_wald_does_not():
    rng = np.random.default_rng(4)
    n, p, b = 100, 0.3, 0.05
    released = rng.binomial(n, p, 40_000) / n + rng.laplace(0, b, 40_000)

    def coverage(ends):
        return np.mean((ends[:, 0] <= p) & (p <= ends[:, 1]))

    aware = score_interval(released, people=n, noise_variance=2 * b * b)
    assert coverage(aware) == pytest.approx(0.95, abs=0.01)
    assert coverage(wald(released, people=n)) < 0.85


def test_noise_aware_interval_holds_rare_shares():
    rng, n, p, b = np.random.default_rng(8), 100, 0.01, 0.002
    released = rng.binomial(n, p, 40_000) / n + rng.laplace(0, b, 40_000)
    low, high = score_interval(released, people=n, noise_variance=2 * b * b).T
    # At the released share the sampling error would be 0 where nobody was drawn.
    assert np.mean((low <= p) & (p <= high)) > 0.9
    low, high = wald(released, people=n).T
    assert np.mean((low <= p) & (p <= high)) < 0.75


@pytest.mark.parametrize("changes", [{"level": 0.0}, {"people": 0}, {"noise_variance": -1.0}])
def test_parameters_outside_their_domain_are_refused(changes):
    known = {"people": 10, "noise_variance": 0.0, "level": 0.95} | changes
    with pytest.raises(ParameterError):
        score_interval(0.3, **known)


@pytest.mark.parametrize("sets", [2, 3, 5, 20])
def test_quantiles_of_many_are_those_of_students_law(sets):
    # Sampling errors from none to almost all of the variance: every freedom there is.
    within = np.concatenate([[0.0], np.geomspace(1e-9, 1e9, 400)])
    releases = np.broadcast_to(np.arange(sets)[:, np.newaxis], (sets, len(within)))
    found = combine(releases.astype(float), np.broadcast_to(within, releases.shape))
    reach = t.ppf(0.975, np.minimum(found.freedom, 1e12)) * np.sqrt(found.variance)
    assert found.freedom[0] == sets - 1
    assert found.upper - found.estimate == pytest.approx(reach, rel=1e-9)
    other = combine(releases.astype(float), within, level=0.9500001)
    assert np.all(other.upper > found.upper)
