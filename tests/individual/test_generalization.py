"""Read-outs of generalization: estimates against simulated gaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.individual import generalization
from dpcore.privacy import gaussian


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(0, 3), min_size=1, max_size=20), st.floats(1e-9, 0.5))
def test_forms_are_ordered(mu, delta):
    epsilon = gaussian.epsilon_of(mu, delta)
    gap = generalization.gap(gaussian.delta_of(mu, 0.0))
    loose = generalization.exponential_gap(epsilon, delta=delta)
    assert gap <= loose * (1 + 1e-9)


def test_without_a_finite_loss():
    assert generalization.exponential_gap([np.inf], delta=0.1) == np.inf
    assert generalization.exponential_gap([0.0], delta=0.1) == pytest.approx(0.2)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: generalization.gap([]),
        lambda: generalization.gap([1.1]),
        lambda: generalization.exponential_gap([np.nan], delta=0.1),
        lambda: generalization.exponential_gap([0.1], delta=-0.1),
    ],
)
def test_domains(wrong):
    with pytest.raises(ParameterError):
        wrong()
