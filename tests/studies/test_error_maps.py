"""Maps of the errors, where they flip, and the errors at equal privacy."""

import math

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.studies.attacks.noise import careless, reachable
from dpcore.studies.comparing.error_curves import Fairness
from dpcore.studies.comparing.error_maps import MapQuantity, error_maps, remedies
from dpcore.studies.teaching.laboratory import UNIT


def test_at_equal_privacy_truncation_wins_on_a_bound_under_huge_noise_at_most():
    for quantity in (MapQuantity.MSE, MapQuantity.BIAS):
        maps = error_maps(quantity, Fairness.TRUE, 0.1)
        assert maps.keys.index("truncated") not in maps.best[maps.scale < 1][:, [0, -1]]
    flattered = error_maps(MapQuantity.MSE, Fairness.NOMINAL, 0.1)
    assert flattered.keys.index("truncated-published") in flattered.best[:, 0]


def test_maps_hold_what_the_mechanisms_say():
    maps = error_maps(MapQuantity.MSE, Fairness.TRUE, 0.1)
    row = 20
    for key, heights in zip(maps.keys, maps.heights, strict=True):
        made = CATALOG[key].calibrate(
            sensitivity=Sensitivity.scalar(0.1), epsilon=0.1 / maps.scale[row], bounds=UNIT
        )
        np.testing.assert_allclose(heights[row], made.mse(maps.place), rtol=1e-9)


@pytest.mark.parametrize("shift", [0.0, 1.5, math.nan])
def test_maps_need_a_sensitivity_within_the_range(shift):
    with pytest.raises(ParameterError):
        error_maps(MapQuantity.MSE, Fairness.TRUE, shift)


EQUAL = [
    (0.01, 1, 0, (0.00500, 0.01000), (0.01613, 0.02281), (0.01000, 0.01414), (0.01000, 0.01414)),
    (0.1, 1, 0, (0.05000, 0.09998), (0.15913, 0.22196), (0.09995, 0.14123), (0.09999, 0.14136)),
    (0.1, 1, 0.2, (0.00675, 0.12613), (0.05733, 0.17476), (0.02162, 0.11853), (0.01350, 0.12055)),
    (0.1, 1, 0.5, (0, 0.13853), (0, 0.18055), (0, 0.13276), (0, 0.13657)),
    (0.1, 0.1, 0.2, (0.18470, 0.45687), (0.26569, 0.38838), (0.23729, 0.36431), (0.25740, 0.38561)),
    (0.1, 0.1, 0.5, (0, 0.42474), (0, 0.27900), (0, 0.27043), (0, 0.28259)),
]


@pytest.mark.parametrize("row", EQUAL)
def test_errors_at_equal_true_privacy(row):
    shift, epsilon, place, *expected = row
    keys = ("bit", "truncated", "truncated-published", "folded")
    found = {remedy.key: remedy for remedy in remedies(shift, epsilon, [place])}
    for key, (bias, rmse) in zip(keys, expected, strict=True):
        assert found[key].bias == pytest.approx(bias, abs=6e-6)
        assert found[key].rmse == pytest.approx(rmse, abs=6e-6)
        assert (found[key].real <= epsilon * (1 + 1e-9)) is (key != "truncated-published")


def test_many_naive_releases_cannot_come_from_the_other_value():
    other = careless(0.0, 0.2, 0.2, draws=500, rng=np.random.default_rng(2))
    assert 0.4 < other.given_away < 0.9
    assert careless(0.2, 0.2, 0.2, draws=500, rng=np.random.default_rng(2)).given_away == 0


@pytest.mark.parametrize("noise", [0.0, -1.0, 1e-9])
def test_naive_noise_must_not_be_tiny(noise):
    with pytest.raises(ParameterError):
        reachable(np.array([0.3]), 0.2, noise)
