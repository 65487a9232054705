"""The profile of two binomials: exact sums, enumeration, and general properties."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.mechanisms.resized_bootstrap import ResamplePair, binomial
from tests.conftest import everything


def exact(m, n, k, ratio, *, more=1):
    """Return both deltas at ``e^epsilon = ratio`` in whole numbers."""
    many, few = Fraction(k + more, n), Fraction(k, n)

    def law(p):
        return [math.comb(m, c) * p**c * (1 - p) ** (m - c) for c in range(m + 1)]

    sides = ((law(many), law(few)), (law(few), law(many)))
    return tuple(
        float(sum(max(a - ratio * b, Fraction(0)) for a, b in zip(*side, strict=True)))
        for side in sides
    )


@pytest.mark.parametrize(
    ("n", "m", "k", "ratio", "up", "down"),
    [
        (10, 5, 1, "1", 0.26280999999999993, 0.26281),
        (10, 5, 1, "3/2", 0.14052999999999996, 0.09896999999999996),
        (50, 8, 0, "2", 0.14923697741821446, 0.0),
        (50, 8, 5, "11/10", 0.04245210567934716, 0.03486923271391733),
        (100, 10, 2, "1", 0.07964867999261867, 0.07964867999261864),
        (100, 10, 50, "11/10", 0.001921559297509072, 0.0018871528427402311),
    ],
)
def test_reference_values(n, m, k, ratio, up, down):
    pair = ResamplePair(trials=m, rows=n, ones=k)
    found = pair.deltas(math.log(Fraction(ratio)))
    assert found == pytest.approx((up, down), rel=1e-10, abs=1e-15)
    assert exact(m, n, k, Fraction(ratio)) == pytest.approx((up, down), rel=1e-10)


@pytest.mark.parametrize(
    ("n", "m", "k", "up", "down"),
    [
        (1000, 100, 1, 69.31471805599453, 0.10015023370895439),
        (1000, 100, 10, 9.531017980432486, 0.10106115059234967),
        (1000, 100, 500, 0.19980026626730563, 0.2002002670673077),
        (100, 10, 2, 4.054651081081644, 0.10256500167189098),
    ],
)
def test_pure_levels(n, m, k, up, down):
    pair = ResamplePair(trials=m, rows=n, ones=k)
    assert pair.pure == pytest.approx((up, down), rel=1e-12)


@pytest.mark.slow
def test_random_pairs():
    rng = np.random.default_rng(5)
    for _ in range(1000 if everything() else 250):
        n = int(rng.integers(1, 40))
        m = int(rng.integers(0, 60))
        more = int(rng.integers(1, n + 1))
        k = int(rng.integers(0, n - more + 1))
        pair = ResamplePair(trials=m, rows=n, ones=k, more=more)
        levels = np.sort(rng.exponential(1.0, 6))
        found = np.array([pair.deltas(epsilon) for epsilon in [0.0, *levels]])
        # The other table read from its zeros: directions swap.
        mirrored = ResamplePair(trials=m, rows=n, ones=n - k - more, more=more)
        assert mirrored.deltas(levels[0])[::-1] == pytest.approx(found[1], rel=1e-9, abs=1e-15)
        assert found[0, 0] == pytest.approx(found[0, 1], abs=1e-12)  # total variation
        tau = 1 - (1 - more / n) ** m
        assert (found <= tau + 1e-12).all()
        assert (found >= 0).all()
        assert (np.diff(found, axis=0) <= 1e-15).all()
        # Convex in e^epsilon: slopes ascend.
        at = np.exp([0.0, *levels])
        slopes = np.diff(found, axis=0) / np.diff(at)[:, None]
        assert (np.diff(slopes, axis=0) >= -1e-9).all()
        delta = float(rng.uniform(0, tau)) if tau else 0.5
        epsilon = pair.epsilon(delta)
        if 0 < epsilon < math.inf:
            assert pair.delta(epsilon) <= delta * (1 + 1e-9)
            assert pair.delta(epsilon * (1 - 1e-6)) >= delta * (1 - 1e-9)
        for side, level in enumerate(pair.pure):
            if 0 < level < 600:
                assert pair.deltas(level * (1 + 1e-12))[side] == 0
                assert pair.deltas(level * 0.99)[side] > 0


def test_enumeration_of_all_resamples():
    # Rows 0..3 with one 1 or none; all 4^3 resamples, by the number of ones in them.
    n, m = 4, 3
    tables = ([1, 0, 0, 0], [0, 0, 0, 0])
    laws = []
    for table in tables:
        law = np.zeros(m + 1)
        for drawn in itertools.product(table, repeat=m):
            law[sum(drawn)] += 1 / n**m
        laws.append(law)
    for ratio in (1.0, 1.5, math.exp(2)):
        up = np.maximum(laws[0] - ratio * laws[1], 0).sum()
        down = np.maximum(laws[1] - ratio * laws[0], 0).sum()
        pair = ResamplePair(trials=m, rows=n, ones=0)
        assert pair.deltas(math.log(ratio)) == pytest.approx((up, down))
    assert ResamplePair(trials=m, rows=n, ones=0).delta(2.0) == pytest.approx(0.578125)


@pytest.mark.parametrize(("k", "sure"), [(0, 0), (5, 7)])
def test_nobody_or_everybody_leaves_no_doubt(k, sure):
    law = binomial(7, k, 5)
    assert law.counts.tolist() == [sure]
    assert law.mass.tolist() == [1.0]


def test_no_draws_reveal_nothing():
    pair = ResamplePair(trials=0, rows=3, ones=0)
    assert pair.deltas(0.0) == (0.0, 0.0)
    assert pair.pure == (0.0, 0.0)
    assert pair.epsilon(0.0) == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trials": -1}, "draws"),
        ({"trials": 10**10}, "draws"),
        ({"rows": 0}, "rows"),
        ({"ones": -1}, "ones"),
        ({"ones": 10}, "ones"),
        ({"more": 0}, "differ"),
    ],
)
def test_numbers_outside_their_domain_are_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        ResamplePair(**({"trials": 5, "rows": 10, "ones": 1} | change))


@pytest.mark.parametrize("bad", [-0.1, math.inf, math.nan])
def test_epsilon_and_delta_outside_their_domain_are_refused(bad):
    pair = ResamplePair(trials=5, rows=10, ones=1)
    with pytest.raises(ParameterError, match="epsilon"):
        pair.delta(bad)
    with pytest.raises(ParameterError, match="delta"):
        pair.epsilon(bad)
