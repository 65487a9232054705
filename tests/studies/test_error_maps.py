"""Maps of the errors, where they flip, and the errors at equal privacy."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from dpcore.errors import ParameterError
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.studies.attacks.noise import careless, naive_releases, reachable
from dpcore.studies.comparing.error_curves import Fairness
from dpcore.studies.comparing.error_maps import (
    CLEARLY,
    FLIP_AT_BOUND,
    FLIP_ONE_SIDED,
    MapQuantity,
    error_maps,
    remedies,
)
from dpcore.studies.teaching.laboratory import UNIT


def gap(value, scale):
    """Return how much larger the MSE of truncation is than that of BIT."""
    truncated, clamped = (
        family(noise=scale, bounds=UNIT).mse(value)
        for family in (TruncatedLaplace, BoundaryInflatedLaplace)
    )
    return float(truncated - clamped)


def test_order_flips_on_a_bound_where_the_map_says():
    root = brentq(lambda ratio: gap(0.0, 1 / ratio), 0.5, 3)
    assert root == pytest.approx(FLIP_AT_BOUND, rel=1e-10)
    assert gap(0.0, 1 / 1.2) > 0 > gap(0.0, 1 / 1.0)


def test_order_flips_near_a_bound_where_the_map_says():
    root = brentq(lambda ratio: gap(0.02, 0.02 / ratio), 0.5, 3)
    assert root == pytest.approx(FLIP_ONE_SIDED, rel=1e-10)
    assert gap(0.02, 0.02 / 1.1) > 0 > gap(0.02, 0.02 / 1.2)


@pytest.mark.parametrize("quantity", MapQuantity)
@pytest.mark.parametrize("fairness", Fairness)
def test_maps_are_symmetric_grow_with_the_scale_and_name_the_lowest(quantity, fairness):
    maps = error_maps(quantity, fairness, 0.1)
    shape = (len(maps.keys), len(maps.scale), len(maps.place))
    assert maps.heights.shape == maps.lead.shape == shape
    assert maps.best.size <= 2000
    floor = 1e-9 * maps.heights.max()
    np.testing.assert_allclose(maps.heights, maps.heights[..., ::-1], atol=floor)
    slack = 2e-3 * maps.heights.max() if quantity is MapQuantity.VARIANCE else 1e-12
    assert np.all(np.diff(maps.heights, axis=1) >= -slack)
    assert sum([maps.share(index) for index in range(len(maps.keys) + 1)]) == pytest.approx(1)
    compared = maps.heights.copy()
    if quantity is MapQuantity.BIAS:
        compared[maps.keys.index("laplace")] = np.inf
    row, column = np.nonzero(maps.best < len(maps.keys))
    won = compared[maps.best[row, column], row, column]
    second = np.sort(compared, axis=0)[1][row, column]
    assert np.all(np.log(second / won) >= CLEARLY * (1 - 1e-9))


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


def test_level_line_is_where_the_level_is_reached():
    maps = error_maps(MapQuantity.MSE, Fairness.NOMINAL, 0.1)
    scale = maps.level_line("bit", 0.05)
    reached = [
        float(BoundaryInflatedLaplace(noise=b, bounds=UNIT).mse(at))
        for at, b in zip(maps.place, scale, strict=True)
    ]
    np.testing.assert_allclose(reached, 0.05, rtol=0.01)
    variance = error_maps(MapQuantity.VARIANCE, Fairness.NOMINAL, 0.1)
    after = int(np.argmax(variance.heights[variance.keys.index("folded"), :, 0] >= 0.0838))
    found = variance.level_line("folded", 0.0838)[0]
    assert variance.scale[after - 1] < found <= variance.scale[after]
    assert np.isnan(maps.level_line("bit", 10.0)).all()
    for key, level in (("bit", 0.0), ("none", 0.1)):
        with pytest.raises(ParameterError):
            maps.level_line(key, level)


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


def test_every_naive_release_can_come_from_its_own_value():
    for noise in (0.02, 0.2, 5.0):
        releases = naive_releases(0.3, noise, draws=500, rng=np.random.default_rng(2))
        assert reachable(releases, 0.3, noise).all()


def test_many_naive_releases_cannot_come_from_the_other_value():
    other = careless(0.0, 0.2, 0.2, draws=500, rng=np.random.default_rng(2))
    assert 0.4 < other.given_away < 0.9
    assert careless(0.2, 0.2, 0.2, draws=500, rng=np.random.default_rng(2)).given_away == 0


def test_naive_releases_are_laplace():
    draws = naive_releases(0.3, 0.2, draws=50_000, rng=np.random.default_rng(2))
    assert np.mean(np.abs(draws - 0.3)) == pytest.approx(0.2, rel=0.03)
    assert np.mean(draws < 0.3) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("noise", [0.0, -1.0, 1e-9])
def test_naive_noise_must_not_be_tiny(noise):
    with pytest.raises(ParameterError):
        reachable(np.array([0.3]), 0.2, noise)
