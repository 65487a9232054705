"""What the mechanisms reveal: vectors, quadrature, worst cases."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace, least_scale
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.truncated import TruncatedLaplace
from tests.terms import ONE, UNIT

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "bounded_laplace.json").read_text())
WIDTHS = (1.0, 1.5, 2.0, 4.0, 10.0, 100.0, math.inf)
LEVEL_WIDTHS = (1.0, 1.5, 2.0, 4.0, 10.0, math.inf)
TWO_CELLS = Sensitivity(coordinates=2, l1=2.0, l2=math.sqrt(2), largest=1.0)


def up_to(width):
    return Interval(lower=0.0, upper=width)


@pytest.mark.parametrize("noise", VECTORS["level"])
def test_true_level_of_truncation(noise):
    got = [TruncatedLaplace(noise=float(noise), bounds=up_to(k)).epsilon(ONE) for k in LEVEL_WIDTHS]
    np.testing.assert_allclose(got, VECTORS["level"][noise], rtol=1e-11)


@pytest.mark.parametrize("epsilon", VECTORS["least_scale"])
def test_calibrated_scale_is_the_least_private_one(epsilon):
    level = float(epsilon)
    for k, expected in zip(WIDTHS, VECTORS["least_scale"][epsilon], strict=True):
        made = TruncatedLaplace.calibrate(sensitivity=ONE, epsilon=level, bounds=up_to(k))
        assert made.noise == pytest.approx(expected, rel=1e-11)
        assert made.epsilon(ONE) <= level
        less = TruncatedLaplace(noise=made.noise * (1 - 1e-9), bounds=up_to(k))
        assert less.epsilon(ONE) > level


@pytest.mark.parametrize("row", VECTORS["published_delta"])
def test_published_scale_is_private_only_with_a_delta(row):
    epsilon, width, expected, at_bound = row
    bounds = up_to(float(width))
    made = TruncatedLaplace.calibrate_as_published(sensitivity=ONE, epsilon=epsilon, bounds=bounds)
    delta = made.delta_at(ONE, epsilon=epsilon)
    assert delta == pytest.approx(expected, abs=1e-10)
    assert made.epsilon(ONE, delta=delta) == pytest.approx(epsilon, rel=1e-9)
    pair = made.pairwise_delta([0.0], [1.0], epsilon=epsilon)
    assert pair == pytest.approx(at_bound, abs=1e-10)
    assert epsilon < made.epsilon(ONE) < 2 * epsilon
    assert made.delta_at(ONE, epsilon=made.epsilon(ONE)) < 1e-15


def test_vectors_of_pairs():
    truncated = TruncatedLaplace(noise=0.2, bounds=UNIT)
    assert truncated.pairwise_delta([0.3], [0.45], epsilon=0.3) == pytest.approx(
        0.20190012687978737, rel=1e-12
    )
    assert truncated.pairwise_epsilon([0.3], [0.45]) == pytest.approx(0.796971087549436, rel=1e-12)
    edge = TruncatedLaplace(noise=0.5, bounds=UNIT)
    assert edge.pairwise_epsilon([0.0], [0.1]) == pytest.approx(0.36125763209211575, rel=1e-12)
    bit = BoundaryInflatedLaplace(noise=0.2, bounds=UNIT)
    assert bit.pairwise_delta([0.3], [0.45], epsilon=0.3) == pytest.approx(
        0.201483781240623, rel=1e-12
    )
    for first, second, noise, delta, level in (
        (-0.2, 0.5, 0.3, 0.6001503456551527, 2.3333333333333335),
        (-0.2, 1.3, 0.5, 0.7134952031398099, 2.8849382771591245),
    ):
        bit = BoundaryInflatedLaplace(noise=noise, bounds=UNIT)
        got = bit.pairwise_delta([first], [second], epsilon=0.5)
        assert got == pytest.approx(delta, rel=1e-12)
        assert bit.pairwise_epsilon([second], [first]) == pytest.approx(level, rel=1e-12)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(CATALOG)),
    st.floats(0.01, 0.9),
    st.floats(0.01, 20),
    st.sampled_from([0.0, 1e-6, 0.02]),
)
def test_no_pair_within_the_sensitivity_exceeds_the_worst_case(key, shift, epsilon, delta):
    entry = CATALOG[key]
    sensitivity = Sensitivity.scalar(shift)
    mechanism = entry.calibrate(
        sensitivity=sensitivity, epsilon=epsilon, delta=delta or 1e-6, bounds=UNIT
    )
    near = np.geomspace(1e-6, 1, 400) * (1 - shift)
    first = np.concatenate([[0.0], near, 1 - shift - near])[:, np.newaxis]
    worst = mechanism.epsilon(sensitivity, delta=delta)
    pairs = mechanism.pairwise_epsilon(first, first + shift, delta=delta)
    if not entry.needs_delta or delta > 0:
        assert pairs.max() <= worst * (1 + 1e-9)
        assert pairs.max() == pytest.approx(worst, rel=1e-2, abs=1e-6)
        shorter = mechanism.pairwise_epsilon(first, first + shift / 2, delta=delta)
        assert shorter.max() <= worst
    if entry.claim_holds:
        assert mechanism.epsilon(sensitivity, delta=delta or 1e-6) <= epsilon


def test_only_the_published_truncation_breaks_its_claim_at_a_usual_budget():
    for entry in CATALOG.values():
        mechanism = entry.calibrate(
            sensitivity=Sensitivity.scalar(0.1), epsilon=1.0, delta=1e-6, bounds=UNIT
        )
        delta = 1e-6 if entry.needs_delta else 0.0
        level = mechanism.epsilon(Sensitivity.scalar(0.1), delta=delta)
        assert (level <= 1.0) == (entry.key != "truncated-published")
        flawed = entry.key in {"truncated-published", "gaussian-classic"}
        assert entry.claim_holds != flawed
        assert hasattr(mechanism, "bounds") == entry.bounded
        # Gaussian noise has a pure level where finite bounds hold what it says.
        unlimited = mechanism.epsilon(Sensitivity.scalar(0.1)) == math.inf
        assert unlimited == (entry.needs_delta and not entry.bounded)


def test_two_changing_cells():
    cells = up_to(6.0)
    published = TruncatedLaplace(noise=2.0, bounds=cells)
    assert published.epsilon(TWO_CELLS) == pytest.approx(1.644305019, rel=1e-9)
    assert TruncatedLaplace(noise=1.0, bounds=cells).epsilon(ONE) == pytest.approx(
        1.488225071, rel=1e-9
    )
    repaired = TruncatedLaplace.calibrate(sensitivity=TWO_CELLS, epsilon=1.0, bounds=cells)
    assert 1 - 1e-9 < repaired.epsilon(TWO_CELLS) <= 1
    corner = repaired.pairwise_epsilon([0.0, 6.0, 3.0], [1.0, 5.0, 3.0])
    assert corner == pytest.approx(1.0, rel=1e-9)
    tables = np.array([t for t in itertools.product(range(7), repeat=4) if sum(t) == 6], float)
    levels = published.pairwise_epsilon(tables[:, np.newaxis], tables)
    near = np.abs(tables[:, np.newaxis] - tables).sum(axis=-1) == 2
    assert levels[near].max() == pytest.approx(1.644305019, rel=1e-9)


def test_vectors_with_delta():
    laplace = Laplace(noise=1.0)
    moved = laplace.pairwise_delta([3.0, 1.0, 2.0], [2.0, 2.0, 2.0], epsilon=1.0)
    assert moved == pytest.approx(0.2418366753592082, rel=1e-12)
    assert laplace.epsilon(TWO_CELLS, delta=float(moved)) == pytest.approx(1.0)
    for mechanism in (laplace, BoundaryInflatedLaplace(noise=1.0, bounds=up_to(9.0))):
        one = mechanism.pairwise_delta([3.0, 1.0], [2.0, 1.0], epsilon=0.5)
        assert one == pytest.approx(0.22119921692859512, rel=1e-12)
        odd = mechanism.pairwise_epsilon([3.0, 1.0], [2.0, 3.0], delta=1e-5)
        exact = mechanism.pairwise_epsilon([3.0], [0.0], delta=1e-5)
        assert exact <= odd < 3
    gaussian = Gaussian(noise=1.0)
    both = gaussian.pairwise_epsilon([0.6, 0.0], [0.0, 0.8], delta=1e-6)
    assert both == pytest.approx(4.886554117462212, rel=1e-12)


def test_gaussian_calibration_vectors():
    for epsilon, delta, sigma in (
        (0.1, 1e-6, 36.3046904262),
        (0.5, 1e-5, 7.03182667558),
        (1, 1e-5, 3.73063163482),
        (1, 0.01, 1.87787556091),
        (3, 1e-5, 1.39059345667),
        (10, 1e-5, 0.499888619709),
    ):
        made = Gaussian.calibrate(sensitivity=ONE, epsilon=epsilon, delta=delta, bounds=UNIT)
        assert made.noise == pytest.approx(sigma, rel=2e-11)
        assert made.epsilon(ONE, delta=delta) <= epsilon


def test_clamped_noise_reveals_no_more_than_the_width_of_each_cell():
    # Two cells of width 1: no table moves them by more than 1 each, whatever l1 says.
    bounds = Interval(lower=0.0, upper=1.0)
    mechanism = BoundaryInflatedLaplace(noise=2.0, bounds=bounds)
    wide = Sensitivity(coordinates=2, l1=30.0, l2=30.0, largest=30.0)
    assert mechanism.epsilon(wide) == pytest.approx(2 / 2.0)
    ends = np.array([[0.0, 0.0]]), np.array([[1.0, 1.0]])
    assert mechanism.pairwise_epsilon(*ends)[0] == pytest.approx(mechanism.epsilon(wide))
    # Where l1 is the smaller one, it counts.
    narrow = Sensitivity(coordinates=2, l1=0.3, l2=0.3, largest=0.3)
    assert mechanism.epsilon(narrow) == pytest.approx(0.3 / 2.0)


@settings(max_examples=2000, deadline=None)
@given(st.floats(1e-12, 1e12), st.floats(1e-6, 100.0))
def test_least_scale_is_rounded_up(shift, epsilon):
    scale = least_scale(shift, epsilon)
    assert shift / scale <= epsilon
    assert scale <= shift / epsilon * (1 + 1e-15)
