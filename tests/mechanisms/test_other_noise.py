"""Averaged Laplace, generalized Gaussian, and the rules for Gaussian noise."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from dpcore.errors import ParameterError
from dpcore.mechanisms import gaussian as rules
from dpcore.mechanisms import symmetric
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.generalized import GeneralizedGaussian, GeneralizedNoise
from dpcore.mechanisms.laplace import AveragedLaplace, Laplace, LaplaceSum
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy import gaussian as gaussian_profile
from tests.conftest import few
from tests.terms import ONE, UNIT

LAWS = (
    *(AveragedLaplace(noise=0.4, draws=k) for k in (1, 2, 10, 100)),
    *(GeneralizedGaussian(noise=0.7, order=p) for p in (1.0, 1.3, 2.0, 3.0, 8.0)),
)


@pytest.mark.parametrize("draws", [0, 101, 1.5])
def test_number_of_draws_is_checked(draws):
    with pytest.raises(ParameterError, match="whole number from 1 to 100"):
        AveragedLaplace(noise=1.0, draws=draws)


@pytest.mark.parametrize(
    ("order", "shift", "epsilon", "delta"),
    [
        (3.0, 0.5, 0.5, 0.1651458181693),
        (4.0, 1.0, 1.0, 0.4076856105443),
        (1.5, 0.2, 0.1, 0.0656319164577),
    ],
)
def test_profile_vectors_of_generalized_noise(order, shift, epsilon, delta):
    law = GeneralizedGaussian(noise=1.0, order=order)
    assert law.pairwise_delta([shift], [0.0], epsilon=epsilon) == pytest.approx(delta, rel=1e-11)


CALIBRATED = [
    # order, epsilon, delta, scale, sd, exact delta of pDP, of approximate DP
    (1.5, 1, 1e-05, 3.32532181721, 2.85762631085, 6.788152e-06, 1.392991e-07),
    (1.5, 1, 0.01, 2.4344431171, 2.09204675099, 6.722618e-03, 3.174390e-04),
    (1.5, 0.5, 0.001, 5.51407592893, 4.7385394018, 7.961922e-04, 1.166167e-05),
    (2, 1, 1e-05, 6.40300326126, 4.527607026, 6.758638e-06, 2.195257e-07),
    (2, 1, 0.01, 3.89923340263, 2.75717438043, 6.648920e-03, 5.177713e-04),
    (2, 0.5, 0.001, 9.5171617479, 6.72964960959, 7.918011e-04, 1.890126e-05),
    (3, 1, 1e-05, 13.4473432191, 8.21589943899, 6.724748e-06, 3.116478e-07),
    (3, 1, 0.01, 6.57486729988, 4.0170350143, 6.555397e-03, 7.719939e-04),
    (3, 0.5, 0.001, 17.5775414892, 10.7393193515, 7.863532e-04, 2.788334e-05),
    (4, 1, 1e-05, 20.8391011426, 12.1151931595, 6.705062e-06, 3.651612e-07),
    (4, 1, 0.01, 8.90943189414, 5.17966142589, 6.494566e-03, 9.373478e-04),
    (4, 0.5, 0.001, 25.2201549543, 14.6621990408, 7.829109e-04, 3.355886e-05),
    (1, 1, 1e-05, 1.0, 1.41421356237, 0.0, 0.0),
    (1, 1, 0.01, 1.0, 1.41421356237, 0.0, 0.0),
    (1, 0.5, 0.001, 2.0, 2.82842712475, 0.0, 0.0),
]


def probabilistic_delta(noise, order, epsilon):
    """Return the delta of probabilistic DP for a change by 1."""
    if order == 1:
        return 0.0  # at most 1/noise

    def above(z):
        return (abs(z + 1) ** order - abs(z) ** order) / noise**order - epsilon

    z = optimize.brentq(above, -1e3, 1e3)
    return float(stats.gennorm.sf([z, z + 1], order, scale=noise).sum())


@pytest.mark.parametrize("row", CALIBRATED)
def test_calibrated_generalized_noise(row):
    order, epsilon, delta, scale, sd, probabilistic, approximate = row
    made = GeneralizedGaussian.calibrate(
        sensitivity=ONE, epsilon=epsilon, delta=delta, bounds=UNIT, order=order
    )
    assert made.noise == pytest.approx(scale, rel=6e-12)
    assert float(made.variance(0.0)) ** 0.5 == pytest.approx(sd, rel=6e-12)
    got = probabilistic_delta(made.noise, order, epsilon)
    assert got == pytest.approx(probabilistic, rel=1e-6)
    got = made.pairwise_delta([0.0], [1.0], epsilon=epsilon)
    assert got == pytest.approx(approximate, rel=1e-6)
    assert made.epsilon(ONE, delta=delta) <= epsilon


@settings(max_examples=100, deadline=None)
@given(st.floats(1e-3, 20), st.floats(1e-8, 0.3), st.floats(-3, 3))
def test_orders_one_and_two_are_laplace_and_gaussian(shift, delta, power):
    noise = 10**power
    twins = (
        (GeneralizedNoise(order=1.0), Laplace(noise=noise)),
        (GeneralizedNoise(order=2.0), Gaussian(noise=noise / math.sqrt(2))),
        (LaplaceSum(draws=1), Laplace(noise=noise)),
    )
    ratio = np.array(shift / noise)
    for general, twin in twins:
        expected = float(twin.pairwise_epsilon([0.0], [shift], delta=delta))
        got = float(symmetric.epsilon_of(general, ratio, delta))
        assert got == pytest.approx(expected, rel=1e-6, abs=1e-6)
        expected = float(twin.pairwise_delta([0.0], [shift], epsilon=0.7))
        got = float(symmetric.delta_of(general, ratio, 0.7))
        assert got == pytest.approx(expected, rel=1e-9, abs=1e-14)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([1.5, 3.0, 6.0]), st.floats(0.01, 3), st.floats(1e-7, 0.2), st.floats(0, 1))
def test_several_coordinates_cost_at_most_what_is_calibrated_for(order, epsilon, delta, split):
    cells = Sensitivity(coordinates=2, l1=2.0, l2=math.sqrt(2), largest=1.5)
    made = GeneralizedGaussian.calibrate(
        sensitivity=cells, epsilon=epsilon, delta=delta, bounds=UNIT, order=order
    )
    worst = made.epsilon(cells, delta=delta)
    assert worst <= epsilon * (1 + 1e-12)
    first = 0.5 + split
    pair = [0.0, 0.0], [first, 2 - first]
    got = float(made.pairwise_epsilon(*pair, delta=delta))
    assert got <= worst * (1 + 1e-9)
    back = float(made.pairwise_delta(*pair, epsilon=got))
    assert back == pytest.approx(delta, rel=1e-6)
    # The bound of the vector is no better than the exact answer for a scalar.
    alone = float(made.pairwise_epsilon([0.0], [first], delta=delta))
    assert alone <= got * (1 + 1e-9) + 1e-12


@pytest.mark.slow
def test_vector_bounds_hold_in_simulation():
    law = GeneralizedGaussian(noise=2.0, order=3)
    rng = np.random.default_rng(11)
    noise = law.simulate(0.0, rng=rng, size=(200_000, 2))
    loss = (np.abs(noise + 1) ** 3 - np.abs(noise) ** 3).sum(axis=1) / 8
    for epsilon in (0.5, 1.5):
        seen = np.maximum(-np.expm1(epsilon - loss), 0).mean()
        stated = law.pairwise_delta([0.0, 0.0], [1.0, 1.0], epsilon=epsilon)
        assert seen <= stated
    averaged = AveragedLaplace(noise=2.0, draws=3)
    assert averaged.pairwise_epsilon([0.0, 0.0], [1.0, 1.0]) == 1
    both = averaged.pairwise_delta([0.0, 0.0], [1.0, 1.0], epsilon=0.2)
    alone = averaged.pairwise_delta([0.0], [1.0], epsilon=0.2)
    assert alone < both < 1


@pytest.mark.parametrize("law", few(3, *LAWS), ids=str)
def test_many_values_agree_with_few(law):
    moved = np.geomspace(1e-4, 1e2, symmetric.TABLE_FROM)[:, np.newaxis]
    many = law.pairwise_epsilon(np.zeros(1), moved, delta=1e-4)
    few = law.pairwise_epsilon(np.zeros(1), moved[::50], delta=1e-4)
    np.testing.assert_allclose(many[::50], few, rtol=1e-7)
    assert (np.diff(many) >= 0).all()


def test_an_order_below_one_or_without_delta_is_refused():
    for order in (0.99, math.nan, math.inf):
        with pytest.raises(ParameterError, match="order must be at least 1"):
            GeneralizedGaussian(noise=1.0, order=order)
    with pytest.raises(ParameterError, match="delta above 0"):
        GeneralizedGaussian.calibrate(sensitivity=ONE, epsilon=1.0, bounds=UNIT)


RATIOS = [
    # epsilon, delta, classic, Liu, two-sided, one-sided, analytic
    *((0.1, 1e-6, 52.9880252685, 49.0183872968, 48.9189388739, 47.6391986739),),
    *((0.5, 1e-5, 9.68961052521, 8.94612704148, 8.84831816483, 8.64544937521),),
    *((1, 1e-5, 4.84480526261, 4.527607026, 4.44412330621, 4.37907028132),),
    *((1, 0.01, 3.10751146009, 2.75717438043, 2.62127417081, 2.52441366894),),
    *((3, 1e-5, 1.61493508754, 1.57800943334, 1.53349318413, 1.5305253366),),
    *((10, 1e-5, 0.484480526261, 0.535149224798, 0.522232578333, 0.522231972629),),
]


def loss_exceeds(mu, epsilon):
    """Return the delta of probabilistic DP of Gaussian noise."""
    return float(stats.norm.cdf([mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu]).sum())


RULES = (rules.classic, rules.liu, rules.two_sided, rules.one_sided)


@pytest.mark.parametrize("row", RATIOS)
def test_gaussian_rules(row):
    epsilon, delta, *expected = row
    options = {"sensitivity": ONE, "epsilon": epsilon, "delta": delta, "bounds": UNIT}
    made = [rule(**options) for rule in RULES]
    np.testing.assert_allclose([m.noise for m in made], expected, rtol=1e-11)
    _, liu, two_sided, one_sided = made
    exact = loss_exceeds(1 / two_sided.noise, epsilon)
    assert exact == pytest.approx(delta, rel=1e-9)
    assert exact <= delta
    given = loss_exceeds(1 / liu.noise, epsilon)
    assert given < delta
    general = probabilistic_delta(liu.noise * math.sqrt(2), 2, epsilon)
    assert given == pytest.approx(general, rel=1e-9)
    for mechanism in (liu, two_sided, one_sided):
        assert mechanism.epsilon(ONE, delta=delta) < epsilon


@settings(max_examples=2000, deadline=None)
@given(st.floats(-6, 2.8).map(lambda x: 10**x), st.floats(-14, -0.31).map(lambda x: 10**x))
def test_gaussian_rules_are_ordered(epsilon, delta):
    analytic = 1 / gaussian_profile.mu_for(epsilon, delta)
    ratios = [
        *(analytic, rules.one_sided_ratio(epsilon, delta)),
        *(rules.two_sided_ratio(epsilon, delta), rules.liu_ratio(epsilon, delta)),
    ]
    for less, more in itertools.pairwise(ratios):
        assert less <= more * (1 + 1e-10)


@pytest.mark.parametrize("rule", RULES)
def test_gaussian_rules_scale_with_the_sensitivity_and_need_a_delta(rule):
    options = {"epsilon": 0.7, "delta": 1e-6, "bounds": UNIT}
    one = rule(sensitivity=ONE, **options).noise
    cells = Sensitivity(coordinates=2, l1=7.0, l2=5.0, largest=4.0)
    assert rule(sensitivity=cells, **options).noise == pytest.approx(5 * one)
    assert rule(sensitivity=Sensitivity.scalar(0.0), **options).noise == 0
    with pytest.raises(ParameterError, match="delta above 0"):
        rule(sensitivity=ONE, epsilon=1.0, bounds=UNIT)
