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


def test_no_weight_is_no_noise_and_other_laws_are_refused():
    for noise in (Laplace(noise=1.0), Gaussian(noise=1.0)):
        none = np.zeros(2)
        assert tail(noise, none, np.array([0.0, 0.1])).tolist() == [1.0, 0.0]
        assert float(reach(noise, none, 0.05)) == 0.0
    bit = BoundaryInflatedLaplace(noise=1.0, bounds=Interval(lower=0.0, upper=1.0))
    with pytest.raises(ParameterError, match="no closed form"):
        tail(bit, np.ones(2), np.array(1.0))
