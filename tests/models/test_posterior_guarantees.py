"""What a posterior sample guarantees, published and exact, and what it costs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.individual import published_bounds
from dpcore.models import guarantees
from dpcore.models import leverage_and_residual as profile
from dpcore.models.guarantees import RecordBounds
from tests.models.ten_people import X, Y, members, ridge

UNIT = RecordBounds()


def test_published_bounds_of_ten_people():
    h, r = members(X, Y, 0.5)
    m, e = h / (1 - h), r / (1 - h)
    seven = [
        12.12981037123927,
        6.868017415137858,
        4.237459384046586,
        5.621164491005139,
        3.283747176198989,
        3.360425866266221,
        2.9730454581041923,
        19.306521628867117,
        7.346091959345013,
        33.27636126757598,
    ]
    np.testing.assert_allclose(published_bounds.corrected_seven(m, e, 1e-6), seven, rtol=1e-10)
    eight = [
        7.467268501496644,
        4.975194557178734,
        3.4942643735493504,
        4.23078372274968,
        2.728315076277799,
        2.9017973332729214,
        2.5046281567097877,
        9.089231901411969,
        5.63953811463146,
        12.146635228527588,
    ]
    np.testing.assert_allclose(published_bounds.corrected_eight(m, e, 1e-6), eight, rtol=1e-10)
    exact = profile.epsilon_of(m, e, 1e-6)
    assert published_bounds.corrected_eight(m, e, 1e-6)[9] < exact[9] / 2


@pytest.mark.parametrize(
    ("delta", "seven", "worst", "eight"),
    [(1e-3, 210, 1.41, 176), (1e-6, 354, 1.64, 190), (1e-9, 469, 1.74, 198)],
)
def test_where_the_published_bounds_understate(delta, seven, worst, eight):
    m, e = np.geomspace(1e-6, 1e2, 33)[:, np.newaxis], np.geomspace(1e-2, 1e2, 17)
    exact = profile.epsilon_of(m, e, delta)
    above = {
        bound.label: exact / bound.of(m, e, delta) for bound in published_bounds.POSTERIOR_BOUNDS
    }
    # Losses are rounded up by a part of 1e12.
    cells = {label: np.sum(times > 1 + 1e-9) for label, times in above.items()}
    assert cells["Theorem 14, equation 7"] == seven
    assert above["Theorem 14, equation 7"].max() == pytest.approx(worst, abs=0.005)
    assert cells["equation 8, corrected"] == eight
    assert cells["Theorem 14, equation 8"] > eight
    assert cells["equation 7, corrected"] == 0
    assert cells["Remark 15, corrected"] == 0


@settings(deadline=None, max_examples=60)
@given(st.floats(-6, 2), st.floats(-2, 2), st.floats(-9, -1))
def test_corrected_equations_cover_their_direction(log_m, log_e, log_delta):
    m, e, delta = 10**log_m, 10**log_e, 10**log_delta
    bound = published_bounds.corrected_seven(m, e, delta)
    assert profile.absence_delta_of(m, e, bound) <= delta
    assert published_bounds.remark_fifteen(m, e, delta) >= bound * (1 - 1e-12)
    bound = published_bounds.corrected_eight(m, e, delta)
    assert profile.presence_delta_of(m, e, bound) <= delta
    for of in (published_bounds.equation_seven, published_bounds.equation_eight):
        assert of(m, -e, delta) == of(m, e, delta)


def test_published_bounds_need_a_delta():
    for delta in (0.0, 1.0, np.nan):
        with pytest.raises(ParameterError, match="delta"):
            published_bounds.equation_seven(0.1, 1.0, delta)


def test_worst_cases_of_a_thousand_people():
    for gamma, expected in ((0.01, 0.5252), (0.1, 1.182), (1, 3.456), (10, 12.22), (100, 54.07)):
        arguments = {
            "gamma": gamma,
            "delta": 1e-6,
            "penalty": np.sqrt(1000),
            "people": 1000,
            "bounds": UNIT,
        }
        sharp = guarantees.worst_case(**arguments)
        assert sharp == pytest.approx(expected, rel=5e-4)
        proved = guarantees.worst_case(**arguments, proved=True)
        assert sharp < proved < 1.03 * sharp


@settings(deadline=None, max_examples=60)
@given(st.floats(-4, 1), st.floats(-2, 1.5), st.floats(0, 1), st.floats(0, 1), st.floats(0, 3))
def test_no_pair_is_above_the_proved_corner(log_m, log_e, part, other, epsilon):
    m, e = 10**log_m, 10**log_e
    corner = profile.delta_of(m, guarantees.covering_residual(m, e), epsilon)
    assert profile.delta_of(part * m, other * e, epsilon) <= corner * (1 + 1e-9)


def test_a_smaller_leverage_is_post_processing_of_a_larger_one():
    """The kernel behind the corner: scale, shift, add normal noise."""
    m, e, larger = 0.3, 1.2, 0.8
    scale = m / larger * np.sqrt((1 + larger) / (1 + m))
    center = e * np.sqrt((1 + larger) / (1 + m))
    added = m - scale**2 * larger
    assert added > 0
    shift = e - scale * center
    within = scale * center / (1 + larger) + shift
    assert within == pytest.approx(e / (1 + m), rel=1e-14)
    variance = scale**2 * larger / (1 + larger) + added
    assert variance == pytest.approx(m / (1 + m), rel=1e-14)


@settings(deadline=None, max_examples=60)
@given(st.floats(-6, 0), st.floats(-1, 2), st.floats(-2, 1.5), st.floats(-12, -1))
def test_gamma_is_the_largest_within_the_level(log_m, log_e, log_epsilon, log_delta):
    m, e = 10**log_m, 10**log_e
    level = {"epsilon": 10**log_epsilon, "delta": 10**log_delta}
    gamma = float(guarantees.gamma_for(**level, leverage=m, residual=e))
    if gamma == 0:
        assert profile.delta_of(m, 1e-20, level["epsilon"]) > level["delta"]
    else:
        scaled = e * np.sqrt(gamma)
        assert profile.delta_of(m, scaled, level["epsilon"]) <= level["delta"]
        above = profile.delta_of(m, scaled * (1 + 1e-9), level["epsilon"])
        assert above > level["delta"]


def test_domains():
    with pytest.raises(ParameterError, match="bounds"):
        RecordBounds(features=0.0)
    assert guarantees.longest(10, UNIT, penalty=0.0) == np.inf
    assert UNIT.leverage(0.0) == np.inf
    wide = {"gamma": 1.0, "delta": 1e-6, "floor": 0.5, "length": 1.0, "bounds": UNIT}
    with pytest.raises(ParameterError, match="leverage of 1"):
        guarantees.for_all(**wide)
    assert guarantees.for_all(**wide, proved=True) > 0
    assert guarantees.for_all(**(wide | {"floor": 0.0}), proved=True) == np.inf
    good = {"epsilon": 1.0, "delta": 1e-6, "leverage": 0.1, "residual": 1.0}
    for bad in (
        {"epsilon": -1.0},
        {"epsilon": np.inf},
        {"delta": 0.0},
        {"delta": 1.0},
        {"leverage": -1.0},
        {"residual": 0.0},
        {"residual": np.nan},
    ):
        with pytest.raises(ParameterError):
            guarantees.gamma_for(**(good | bad))


def test_leverages_and_coefficients_are_bounded():
    # The leverages add up to less than the number of coefficients.
    h, _ = members(X, Y, 0.5)
    assert np.sqrt(h).mean() <= np.sqrt(3 / 10)
    theta, _ = ridge(X, Y, 0.5)
    assert np.linalg.norm(theta) <= guarantees.longest(10, RecordBounds(target=1.5), penalty=0.5)
