"""What a test can tell about one person, against simulation and integration."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.privacy import adversary, gaussian, laplace
from dpcore.privacy.interpretation import best_guess, trade_off

ALARMS = np.linspace(0, 1, 20_001)
FAMILIES = [
    (adversary.gaussian_detection, "mu", adversary.gaussian_area, stats.norm),
    (adversary.laplace_detection, "r", adversary.laplace_area, stats.laplace),
]


def test_vectors_of_areas():
    assert adversary.gaussian_area(1.0) == pytest.approx(0.7602499389, abs=1e-10)
    areas = adversary.laplace_area([0.5, 2.0])
    np.testing.assert_allclose(areas, [0.6209183377, 0.8646647168], atol=1e-10)


@pytest.mark.parametrize(("detection", "name", "area", "law"), FAMILIES)
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.5, 1.0, 2.0, 6.0])
def test_detection_is_that_of_the_best_threshold(detection, name, area, law, shift):
    """A threshold is a most powerful test: the ratio of either family is monotone."""
    found = detection(ALARMS, **{name: shift})
    expected = law.sf(law.isf(ALARMS) - shift)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (np.diff(found) >= -1e-15).all()
    assert np.trapezoid(found, ALARMS) == pytest.approx(float(area(shift)), abs=2e-4)


@pytest.mark.parametrize(
    ("detection", "name", "advantage"),
    [
        (adversary.gaussian_detection, "mu", adversary.gaussian_advantage),
        (adversary.laplace_detection, "r", adversary.laplace_advantage),
    ],
)
@pytest.mark.parametrize("shift", [0.1, 1.0, 3.0])
def test_advantage_is_the_widest_gap_of_the_curve(detection, name, advantage, shift):
    gap = (detection(ALARMS, **{name: shift}) - ALARMS).max()
    assert advantage(shift) == pytest.approx(gap, abs=1e-6)
    accuracy = adversary.best_accuracy(advantage(shift))
    assert accuracy == pytest.approx((1 + gap) / 2, abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(st.floats(0, 30))
def test_advantages_are_total_variation_and_below_the_bound_by_epsilon(shift):
    gaussian_one = adversary.gaussian_advantage(shift)
    assert gaussian_one == pytest.approx(float(gaussian.delta_of(shift, 0)), abs=1e-12)
    laplace_one = adversary.laplace_advantage(shift)
    assert laplace_one == laplace.delta_of(shift, 0.0)
    assert adversary.best_accuracy(laplace_one) <= best_guess(shift) + 1e-15
    curve = adversary.laplace_detection(ALARMS[::50], r=shift)
    assert (curve <= 1 - trade_off(ALARMS[::50], epsilon=shift) + 1e-12).all()


def test_best_accuracy_by_simulation():
    rng = np.random.default_rng(0)
    shift, n = 1.3, 200_000
    present = rng.random(n) < 0.5
    for noise, advantage in (
        (rng.laplace(size=n), adversary.laplace_advantage),
        (rng.normal(size=n), adversary.gaussian_advantage),
    ):
        right = ((shift * present + noise > shift / 2) == present).mean()
        expected = float(adversary.best_accuracy(advantage(shift)))
        assert abs(right - expected) < 4 * math.sqrt(0.25 / n)


def test_limits():
    for detection, name, area, _ in FAMILIES:
        assert detection([0.0, 1.0], **{name: 0.0}).tolist() == [0, 1]
        assert detection([0.0, 1e-300, 1.0], **{name: 800.0})[1:].tolist() == [1, 1]
        assert area([0.0, np.inf]).tolist() == [0.5, 1]
    assert adversary.laplace_detection(0.0, r=800.0) == 0
    assert adversary.laplace_advantage([0.0, np.inf]).tolist() == [0, 1]
    assert adversary.gaussian_advantage([0.0, np.inf]).tolist() == [0, 1]
