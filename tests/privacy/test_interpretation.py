"""What a test can tell about one person, against the law of the noise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.privacy import laplace
from dpcore.privacy.interpretation import best_guess, laplace_detection

ALARMS = np.linspace(0, 1, 20_001)


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.5, 1.0, 2.0, 6.0])
def test_detection_is_that_of_the_best_threshold(shift):
    """A threshold is a most powerful test: the ratio of the densities is monotone."""
    found = laplace_detection(ALARMS, r=shift)
    expected = stats.laplace.sf(stats.laplace.isf(ALARMS) - shift)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (np.diff(found) >= -1e-15).all()
    area = 1 - np.exp(-shift) * (2 + shift) / 4
    assert np.trapezoid(found, ALARMS) == pytest.approx(area, abs=2e-4)


@settings(deadline=None, max_examples=60)
@given(st.floats(0, 30))
def test_detections_outnumber_false_alarms_by_the_total_variation(shift):
    variation = float(laplace.delta_of(shift, 0.0))
    gap = (laplace_detection(ALARMS, r=shift) - ALARMS).max()
    assert gap == pytest.approx(variation, abs=1e-4)
    assert (1 + variation) / 2 <= best_guess(shift) + 1e-15


def test_limits():
    assert laplace_detection([0.0, 1.0], r=0.0).tolist() == [0, 1]
    assert laplace_detection([0.0, 1e-300, 1.0], r=800.0)[1:].tolist() == [1, 1]
    assert laplace_detection(0.0, r=800.0) == 0
