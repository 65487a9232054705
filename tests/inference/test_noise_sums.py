"""Weighted sums of noise: tails against convolution by numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.inference.group_ratios import reach, tail
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace

weight = st.floats(-1, 1).filter(lambda w: w == 0 or abs(w) > 1e-3)


def by_characteristic(scales, x):
    """Return P(|X| >= x) from the characteristic function ``prod 1/(1 + b^2 t^2)``."""
    scales = [b for b in scales if b > 0]

    def inside(t):
        shape = np.prod([1 / (1 + (b * t) ** 2) for b in scales])
        return shape * np.sin(t * x) / t

    found, _ = quad(inside, 0, np.inf, limit=2000, epsabs=1e-10)
    return 1 - 2 / np.pi * found


@settings(deadline=None, max_examples=40)
@given(weights=st.tuples(weight, weight, weight), x=st.floats(0.2, 6))
def test_laplace_tails_are_those_of_the_convolution(weights, x):
    if sum(w != 0 for w in weights) < 2:
        weights = (0.5, 0.5, weights[0])
    scales = [2.0 * abs(w) for w in weights]
    found = float(tail(Laplace(noise=2.0), np.array(weights), np.array(x)))
    expected = by_characteristic(scales, x)
    # On the wide side, by what setting equal scales apart makes.
    assert found >= expected - 1e-6
    assert found == pytest.approx(expected, rel=2e-3, abs=2e-4)


@pytest.mark.parametrize("noise", [Laplace(noise=0.7), Gaussian(noise=0.7)])
@pytest.mark.parametrize("weights", [(1, 0, 0), (0.5, 0.5, 0.5), (1, -0.3, 0.01)])
@pytest.mark.parametrize("missed", [0.3, 0.05, 1e-4])
def test_reach_is_where_the_tail_is_what_may_be_missed(noise, weights, missed):
    weights = np.array(weights, dtype=float)
    found = reach(noise, weights, missed)
    assert float(tail(noise, weights, found)) == pytest.approx(missed, rel=1e-6)
    alone = -0.7 * np.log(missed) if isinstance(noise, Laplace) else None
    if alone is not None and weights[1] == 0:
        assert float(found) == pytest.approx(alone)


@pytest.mark.parametrize("noise", [Laplace(noise=1.0), Gaussian(noise=1.0)])
@pytest.mark.parametrize("missed", [0.3, 0.05, 1e-4])
@pytest.mark.parametrize("parts", [2, 3])
def test_reach_is_convex_in_the_mean_that_is_tested(noise, missed, parts):
    p = np.linspace(0, 1, 201)[:, np.newaxis]
    off = reach(noise, np.linspace(0, 1, parts) - p, missed)
    # But for the steps by which equal scales are set apart.
    assert np.diff(off, 2).min() > -1e-3 * off.max()


def test_no_weight_is_no_noise_and_other_laws_are_refused():
    for noise in (Laplace(noise=1.0), Gaussian(noise=1.0)):
        none = np.zeros(2)
        assert tail(noise, none, np.array([0.0, 0.1])).tolist() == [1.0, 0.0]
        assert float(reach(noise, none, 0.05)) == 0.0
    bit = BoundaryInflatedLaplace(noise=1.0, bounds=Interval(lower=0.0, upper=1.0))
    with pytest.raises(ParameterError, match="no closed form"):
        tail(bit, np.ones(2), np.array(1.0))
