"""A resample with noise on it: its guarantee against all resamples of small tables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

from dpcore.errors import ParameterError
from dpcore.mechanisms.resized_repair import NoisyResample
from tests.conftest import everything

TINY = [(2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (2, 5)]


def density(table, m, scale, y):
    """Return the density of the noisy mean of all ``n^m`` resamples at ``y``."""
    means = np.array([sum(drawn) / m for drawn in itertools.product(table, repeat=m)])
    apart = np.abs(y[:, None] - means) / scale
    return np.exp(-apart).mean(axis=1) / (2 * scale)


def grid(scale):
    # Beyond [0, 1] the ratio of two densities no longer changes.
    tails = scale * np.linspace(0.0, 30.0, 400)
    return np.concatenate([-tails[::-1], np.linspace(0, 1, 601), 1 + tails])


@pytest.mark.parametrize(
    ("n", "m", "level", "general", "shares"),
    [
        (1000, 100, 1.0, 0.1716807271133098, 0.1716807271133098),
        (100, 100, 0.1, 0.1053017137, 0.1051156522),
        (500, 500, 1.0, 1.8594623925, 1.7153360829),
    ],
)
def test_reference_values(n, m, level, general, shares):
    numbers = NoisyResample(people=n, draws=m, level=level)
    ones = NoisyResample(people=n, draws=m, level=level, shares=True)
    assert numbers.epsilon() == pytest.approx(general, rel=1e-9)
    assert ones.epsilon() == pytest.approx(shares, rel=1e-9)


def test_reference_calibration_and_profile():
    fixed = NoisyResample.calibrate(people=1000, draws=100, epsilon=0.1)
    assert fixed.level == pytest.approx(0.6933972326484867, rel=1e-9)
    assert fixed.scale(1.0) == pytest.approx(0.014421747779125383, rel=1e-9)
    found = [fixed.delta(epsilon) for epsilon in (0.0, 0.05, 0.09)]
    expected = [0.028877300634644693, 0.012933431714360098, 0.0016572192216268489]
    assert found == pytest.approx(expected, rel=1e-9)
    assert fixed.delta(0.1) == 0


@pytest.mark.slow
def test_no_table_of_a_few_rows_exceeds_the_guarantee():
    rng = np.random.default_rng(1)
    for n, m in TINY:
        for level in (0.3, 1.0, 2.5):
            fixed = NoisyResample(people=n, draws=m, level=level)
            scale, most = fixed.scale(1.0), fixed.epsilon()
            y = grid(scale)
            for _ in range(25 if everything() else 5):
                table = rng.choice([0.0, 1.0, rng.random()], n)
                other = table.copy()
                other[0] = rng.choice([0.0, 1.0, rng.random()])
                first, second = (density(t, m, scale, y) for t in (table, other))
                loss = np.abs(np.log(first / second)).max()
                assert loss <= most * (1 + 1e-9)
                change = abs(table[0] - other[0])
                assert loss <= float(fixed.change_epsilon(change)) * (1 + 1e-9)
                for epsilon in (0.0, most / 3, 0.8 * most):
                    ratio = math.exp(epsilon)
                    excess = np.maximum(first - ratio * second, 0)
                    assert np.trapezoid(excess, y) <= fixed.delta(epsilon) + 2e-4


@pytest.mark.slow
def test_calibrations_keep_their_promise():
    rng = np.random.default_rng(2)
    for _ in range(1000 if everything() else 200):
        n = int(rng.integers(1, 3000))
        m = int(rng.integers(1, 2 * n + 1))
        epsilon = float(np.exp(rng.uniform(-7, 2)))
        rows = int(rng.integers(1, 4))
        shares = bool(rng.integers(2))
        fixed = NoisyResample.calibrate(
            people=n, draws=m, epsilon=epsilon, rows=rows, shares=shares
        )
        assert epsilon * (1 - 1e-9) <= fixed.epsilon() <= epsilon
        # Sampling never needs less noise than the mean of all rows.
        assert fixed.scale(1.0) >= min(rows, n) / n / epsilon * (1 - 1e-9)
        assert fixed.at(fixed.level * 1.01).epsilon() > fixed.epsilon()


@pytest.mark.slow
def test_a_delta_allows_less_noise_and_keeps_its_promise():
    rng = np.random.default_rng(3)
    for _ in range(40 if everything() else 10):
        n = int(rng.integers(2, 2000))
        m = int(rng.integers(1, n + 1))
        epsilon = float(np.exp(rng.uniform(-5, 1)))
        drawn = NoisyResample(people=n, draws=m, level=1.0).appears
        delta = drawn * float(np.exp(rng.uniform(-20, -0.1)))
        pure = NoisyResample.calibrate(people=n, draws=m, epsilon=epsilon)
        loose = NoisyResample.calibrate(people=n, draws=m, epsilon=epsilon, delta=delta)
        assert loose.delta(epsilon) <= delta
        assert loose.level >= pure.level * (1 - 1e-9)
        levels = np.linspace(0, loose.epsilon(), 9)
        found = [loose.delta(float(x)) for x in levels]
        assert (np.diff(found) <= 1e-15).all()
        assert found[0] <= loose.appears
        assert found[-1] == 0


def test_smaller_changes_reveal_less():
    for n, m, level in ((100, 100, 0.1), (500, 500, 1.0), (1000, 100, 3.0)):
        fixed = NoisyResample(people=n, draws=m, level=level)
        losses = fixed.change_epsilon(np.linspace(0, 1, 400))
        assert losses[0] == 0
        assert (np.diff(losses) >= -1e-12).all()
        assert losses[-1] == pytest.approx(fixed.epsilon(), rel=1e-9)
    assert fixed.change_epsilon([2.0]) == pytest.approx([fixed.epsilon()])


def test_pairs_of_shares_are_symmetric_and_add_up():
    fixed = NoisyResample(people=100, draws=10, level=1.0, shares=True)
    share = np.linspace(0, 1, 101)
    steps = fixed.pairwise_epsilon(share[:-1], share[1:])
    assert steps.max() == pytest.approx(fixed.epsilon())
    assert steps == pytest.approx(steps[::-1])
    assert fixed.pairwise_epsilon(0.3, 0.3) == 0
    assert fixed.pairwise_epsilon(0.2, 0.4) == pytest.approx(
        float(fixed.pairwise_epsilon(0.4, 0.2))
    )


def test_several_rows_a_person_with_shares():
    fixed = NoisyResample(people=50, draws=10, level=0.7, rows=3, shares=True)
    assert fixed.epsilon() == pytest.approx(float(fixed.pairwise_epsilon(0.0, 3 / 50)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"people": 0}, "people"),
        ({"draws": 0}, "draws"),
        ({"draws": 10**10}, "draws"),
        ({"rows": 0}, "rows"),
        ({"level": 0.0}, "level"),
        ({"level": math.inf}, "level"),
        ({"level": math.nan}, "level"),
    ],
)
def test_numbers_outside_their_domain_are_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        NoisyResample(**({"people": 10, "draws": 5, "level": 1.0} | change))


@pytest.mark.parametrize(
    "budget", [{"epsilon": 0.0}, {"epsilon": math.inf}, {"epsilon": 1.0, "delta": 1.0}]
)
def test_budgets_outside_their_domain_are_refused(budget):
    with pytest.raises(ParameterError, match="must be"):
        NoisyResample.calibrate(people=10, draws=5, **budget)


def test_a_delta_that_would_excuse_publishing_rows_is_refused():
    drawn = NoisyResample(people=10**6, draws=9, level=1.0).appears
    for delta in (drawn, 1e-5, 0.2):
        with pytest.raises(ParameterError, match="need not be hidden"):
            NoisyResample.calibrate(people=10**6, draws=9, epsilon=1.0, delta=delta)
    almost = NoisyResample.calibrate(people=10**6, draws=9, epsilon=1e-6, delta=0.99 * drawn)
    assert almost.delta(1e-6) <= 0.99 * drawn


def test_many_copies_are_rare_and_count_by_what_they_tell():
    """Chances below the range of floats tell so much that they set the level."""
    fixed = NoisyResample(people=41, draws=1101, level=5.1159654902562135)
    # The same sum, from logarithms, at the root.
    j = np.arange(1102.0)
    ways = gammaln(1102) - gammaln(j + 1) - gammaln(1102 - j)
    log_w = ways - j * math.log(41) + (1101 - j) * math.log1p(-1 / 41)
    r, x = fixed.level, fixed.epsilon()
    above = j * r > x
    gained = logsumexp(log_w[above] + j[above] * r + np.log1p(-np.exp(x - r * j[above])))
    lost = logsumexp(log_w[~above] + x - r * j[~above] + np.log1p(-np.exp(r * j[~above] - x)))
    assert gained == pytest.approx(lost, rel=1e-9)
    assert 1781 < x < 1850


def test_profile_refuses_a_negative_epsilon():
    with pytest.raises(ParameterError, match="epsilon"):
        NoisyResample(people=10, draws=5, level=1.0).delta(-1.0)
