"""A private number of people in the scale of the noise."""

import numpy as np
import pytest
from scipy import stats

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.studies.comparing.private_size import PrivateSize
from tests.terms import UNIT

WIDE = Interval(lower=-20.0, upper=30.0)


@pytest.mark.parametrize(
    ("people", "epsilon", "level"),
    [
        (5, 1.0, 1.0231435513),
        (100, 1.0, 1.0000503359),
        (10, 0.01, 0.1143605157),
        (2, 0.01, 0.6981471806),
        (50, 3.0, 3.0),
    ],
)
@pytest.mark.parametrize("bounds", [UNIT, WIDE])
def test_clamped_level_is_exact_and_attained(people, epsilon, level, bounds):
    size = PrivateSize(people=people, epsilon=epsilon, bounds=bounds)
    assert size.clamped_level == pytest.approx(level, abs=1e-10)
    y = np.linspace(bounds.lower, bounds.upper, people * 50 + 1)
    worst = np.abs(np.append(size.log_ratio(y), size.log_ratio_at_bounds())).max()
    assert worst == pytest.approx(level, rel=1e-9)


def test_ratio_is_that_of_the_two_laplace_laws():
    size = PrivateSize(people=4, epsilon=0.7, bounds=WIDE)
    with_person = stats.laplace(-20 + 50 / 4, 50 / (4 * 0.7))
    without = stats.laplace(-20, 50 / (3 * 0.7))
    y = np.linspace(-200, 200, 41)
    assert size.log_ratio(y) == pytest.approx(with_person.logpdf(y) - without.logpdf(y))
    at_lower = with_person.logcdf(-20) - without.logcdf(-20)
    at_upper = with_person.logsf(30) - without.logsf(30)
    assert size.log_ratio_at_bounds() == pytest.approx((at_lower, at_upper))


def test_unclamped_ratio_has_no_limit():
    size = PrivateSize(people=20, epsilon=0.5, bounds=WIDE)
    far = np.array([1e3, 1e4, 1e5])
    for y in (far, -far):
        # It grows by epsilon for every width of the bounds.
        slope = np.diff(size.log_ratio(y)) / np.diff(far)
        assert slope == pytest.approx(-0.5 / 50)
        assert size.log_ratio(y)[-1] < -900


@pytest.mark.parametrize(
    ("people", "epsilon", "noisy", "public"),
    [(100, 1.0, 0.01525, 0.01414), (500, 0.1, 0.03075, 0.02828)],
)
def test_noisy_average_has_a_price(people, epsilon, noisy, public):
    for bounds in (UNIT, WIDE):
        size = PrivateSize(people=people, epsilon=epsilon, bounds=bounds)
        rng = np.random.default_rng(5)
        rmse, error = size.noisy_average_error(0.3, draws=100_000, rng=rng)
        assert abs(rmse - noisy * bounds.width) < 4.5 * error
        assert abs(rmse - 1.1 * noisy * bounds.width) > 4.5 * error
        assert size.public_error(0.3) == pytest.approx(public * bounds.width, rel=1e-3)


def test_standard_error_is_that_of_repeated_simulation():
    size = PrivateSize(people=50, epsilon=1.0, bounds=UNIT)
    rng = np.random.default_rng(6)
    runs = [size.noisy_average_error(0.3, draws=1000, rng=rng) for _ in range(200)]
    values, errors = np.array(runs).T
    assert values.std() == pytest.approx(errors.mean(), rel=0.25)


@pytest.mark.parametrize(
    "wrong",
    [
        {"people": 1},
        {"epsilon": 0.0},
        {"epsilon": np.nan},
        {"bounds": Interval(lower=1.0, upper=1.0)},
    ],
)
def test_parameters_outside_their_domain_are_refused(wrong):
    known = {"people": 10, "epsilon": 1.0, "bounds": UNIT}
    with pytest.raises(ParameterError):
        PrivateSize(**(known | wrong))
