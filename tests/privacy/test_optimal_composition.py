"""What equal pure releases cost together, in the worst case."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.privacy import composition as kov

levels = st.floats(0.01, 3.0)
few = st.integers(1, 8)


@pytest.mark.parametrize(
    ("part", "times", "delta", "expected"),
    [
        (0.1, 10, 1e-6, 0.9993709057),
        (0.1, 50, 1e-6, 3.1729027340),
        (0.5, 10, 1e-5, 4.9988541204),
        (1.0, 20, 1e-5, 19.9947264742),
        (0.01, 1000, 1e-6, 1.3654467100),
    ],
)
def test_known_levels(part, times, delta, expected):
    assert kov.optimal_epsilon(part, times, delta) == pytest.approx(expected, rel=1e-9)


@given(part=levels, times=few, epsilon=st.floats(0, 10))
@settings(max_examples=50)
def test_delta_is_that_of_all_answers_of_randomized_response(part, times, epsilon):
    yes = 1 / (1 + math.exp(-part))
    total = 0.0
    for answers in product((0, 1), repeat=times):
        heads = sum(answers)
        here = yes**heads * (1 - yes) ** (times - heads)
        there = yes ** (times - heads) * (1 - yes) ** heads
        total += max(here - math.exp(epsilon) * there, 0.0)
    found = kov.optimal_delta(part, times, epsilon)
    assert found == pytest.approx(total, rel=1e-9, abs=1e-14)


@given(part=levels, times=few, delta=st.floats(1e-9, 0.2))
@settings(max_examples=50)
def test_epsilon_and_delta_are_inverse(part, times, delta):
    epsilon = kov.optimal_epsilon(part, times, delta)
    assert 0 <= epsilon <= times * part * (1 + 1e-9)
    assert kov.optimal_delta(part, times, epsilon) <= delta
    if epsilon > 1e-9:
        assert kov.optimal_delta(part, times, epsilon * (1 - 1e-9)) >= delta * (1 - 1e-6)


@given(epsilon=st.floats(0.05, 5), times=st.integers(1, 300), delta=levels)
@settings(max_examples=50)
def test_parts_spend_all_and_no_more(epsilon, times, delta):
    delta = 10 ** (-3 * delta)
    part = kov.optimal_part(epsilon, times, delta)
    assert part >= epsilon / times
    spent = kov.optimal_epsilon(part, times, delta)
    assert epsilon * (1 - 1e-6) <= spent <= epsilon * (1 + 1e-10)


def test_edges():
    assert kov.optimal_delta(0.0, 5, 0.0) == 0.0
    assert kov.optimal_delta(1.0, 1, 1.0) == 0.0
    assert kov.optimal_epsilon(1e-8, 3, 0.1) == 0.0
    assert kov.optimal_delta(700.0, 3, 0.0) == pytest.approx(1.0)
    assert kov.optimal_part(1.0, 4, 0.0) == pytest.approx(0.25)


@pytest.mark.parametrize(
    "call",
    [
        lambda: kov.optimal_delta(-1.0, 1, 0.0),
        lambda: kov.optimal_delta(math.nan, 1, 0.0),
        lambda: kov.optimal_delta(1.0, 0, 0.0),
        lambda: kov.optimal_delta(1.0, 1, math.inf),
        lambda: kov.optimal_epsilon(1.0, 2_000_000, 0.1),
        lambda: kov.optimal_epsilon(1.0, 1, 1.0),
        lambda: kov.optimal_part(math.inf, 1, 0.1),
        lambda: kov.optimal_part(1.0, 1, -0.1),
    ],
)
def test_outside_the_domain(call):
    with pytest.raises(ParameterError):
        call()
