"""Many releases, each from a fresh sample: vectors, and three totals in order."""

import math

import pytest

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.composition import MOST_TIMES, repeated
from tests.conftest import few


@pytest.mark.parametrize(
    ("sigma", "rate", "times", "tight", "older"),
    few(1, (1, 0.01, 1000, 1.82824, 2.10137), (2, 0.1, 100, 2.33740, 2.58057)),
)
def test_vectors(sigma, rate, times, tight, older):
    found = repeated("gaussian", 1 / sigma, rate, times=times, delta=1e-5)
    assert found.pld == pytest.approx(tight, abs=2e-4)
    # Whole orders only: a little more than over all of them.
    assert older * (1 - 1e-5) <= found.renyi <= older * 1.01
    assert found.best == found.pld < found.renyi < found.basic


def test_cells_are_narrow_where_a_step_loses_little():
    found = repeated("gaussian", 1 / 4, 0.01, times=1000, delta=1e-5)
    assert found.pld == pytest.approx(0.2722, abs=5e-4)


@pytest.mark.slow
def test_one_release_is_the_closed_form():
    found = repeated("gaussian", 1.0, 0.1, times=1, delta=1e-6)
    assert found.basic == pytest.approx(2.181694109245)
    assert found.pld == pytest.approx(found.basic, abs=1e-4)
    laplace = repeated("laplace", 1.0, 0.1, times=1, delta=1e-6)
    assert laplace.basic == pytest.approx(0.15856507874)
    assert laplace.pld <= laplace.basic + 1e-4


def test_everybody_sampled_is_the_plain_mechanism():
    found = repeated("gaussian", 0.2, 1.0, times=25, delta=1e-6)
    assert found.pld == pytest.approx(float(gaussian.epsilon_of(1.0, 1e-6)), abs=5e-3)


def test_extremes_are_valid_and_bounded():
    huge = repeated("gaussian", 4.0, 0.9, times=MOST_TIMES, delta=1e-6)
    assert 1e4 < huge.best < huge.basic
    rare = repeated("laplace", 0.1, 1e-4, times=10, delta=1e-6)
    assert 0 <= rare.best <= rare.basic < 2e-4


@pytest.mark.parametrize(
    "change",
    [
        {"ratio": 0.0},
        {"ratio": math.inf},
        {"ratio": 1e-310},
        {"ratio": 1e6},
        {"rate": 0.0},
        {"rate": 1.1},
        {"times": 0},
        {"times": MOST_TIMES + 1},
        {"delta": 0.0},
        {"delta": math.nan},
    ],
)
def test_senseless_settings_are_refused(change):
    settings = {"ratio": 1.0, "rate": 0.1, "times": 2, "delta": 1e-6}
    with pytest.raises(ParameterError):
        repeated("gaussian", **settings | change)


def test_losses_that_are_no_floats_are_left_to_the_sums():
    for law in ("gaussian", "laplace"):
        found = repeated(law, 1e3, 0.5, times=10_000, delta=1e-6)
        assert found.pld == math.inf
        assert found.best == min(found.basic, found.renyi) < math.inf
