from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost, computed, float_below, plain

positive = st.floats(min_value=1e-300, max_value=1e300)
amounts = st.floats(min_value=0, max_value=1e6)


def test_ten_tenths_fit_into_one_and_the_eleventh_does_not():
    budget, cost = PrivacyBudget.of(epsilon=1.0), PrivacyCost.of(epsilon=0.1)
    spent = PrivacyCost()
    for _ in range(10):
        assert budget.admits(spent, cost)
        spent += cost
    assert not budget.admits(spent, cost)
    assert budget.remaining(spent).epsilon == 0
    assert not budget.admits(spent, PrivacyCost.of(epsilon=1e-300))


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(positive, amounts, positive), max_size=20))
def test_a_sum_of_costs_is_never_below_the_exact_one(numbers):
    total = PrivacyCost()
    for epsilon, delta, rho in numbers:
        total += PrivacyCost.of(epsilon=epsilon, delta=delta, rho=rho)
    typed_sum = sum((Fraction(repr(row[0])) for row in numbers), Fraction())
    assert Fraction(total.epsilon) >= typed_sum
    assert Fraction(total.delta) >= sum(Fraction(repr(row[1])) for row in numbers)
    assert Fraction(total.rho) >= sum(Fraction(row[2]) for row in numbers)


@settings(deadline=None, max_examples=200)
@given(positive)
def test_a_computed_number_is_rounded_up_but_hardly(number):
    exact = Fraction(number)
    assert exact * (1 + Fraction(1, 2**50)) <= Fraction(computed(number))
    assert Fraction(computed(number)) <= exact * (1 + Fraction(1, 10**13))
    assert len(computed(number).as_tuple().digits) <= 15


@settings(deadline=None, max_examples=200)
@given(amounts, amounts)
def test_what_is_left_and_what_is_spent_never_exceed_the_cap(cap, spent):
    budget = PrivacyBudget.of(rho=cap + 1e-6)
    left = budget.remaining(PrivacyCost(rho=Decimal(spent)))
    fits = budget.admits(PrivacyCost(rho=Decimal(spent)), left)
    assert fits == (Decimal(spent) <= budget.rho)


@settings(deadline=None, max_examples=200)
@given(st.decimals(min_value=0, max_value=10**30, places=25))
def test_the_float_below_is_the_nearest_that_does_not_exceed(number):
    below = float_below(number)
    assert Fraction(below) <= Fraction(number)
    assert Fraction(number) - Fraction(below) <= Fraction(number) / 2**52


def test_infinity_is_a_cost_that_only_another_notion_admits():
    cost = PrivacyCost.of(epsilon=float("inf"), delta=0.0, rho=0.1)
    assert not PrivacyBudget.of(epsilon=1e6).admits(PrivacyCost(), cost)
    assert PrivacyBudget.of(rho=0.2).admits(PrivacyCost(), cost)
    assert (cost + cost).epsilon == Decimal("Infinity")


def test_both_caps_of_a_pair_hold():
    budget = PrivacyBudget.of(epsilon=1.0, delta=1e-6)
    assert budget.admits(PrivacyCost(), PrivacyCost.of(epsilon=1.0, delta=1e-6))
    assert not budget.admits(PrivacyCost(), PrivacyCost.of(epsilon=0.1, delta=2e-6))
    assert not budget.admits(PrivacyCost(), PrivacyCost.of(epsilon=1.1, delta=1e-7))


@pytest.mark.parametrize(
    "caps",
    [
        {},
        {"epsilon": 0.0},
        {"epsilon": -1.0},
        {"epsilon": float("inf")},
        {"epsilon": float("nan")},
        {"epsilon": 1.0, "delta": 1.0},
        {"epsilon": 1.0, "delta": -1e-9},
        {"epsilon": 1.0, "rho": 0.5},
        {"delta": 1e-6},
        {"rho": 0.0},
    ],
)
def test_a_budget_outside_its_domain_is_refused(caps):
    with pytest.raises(ParameterError):
        PrivacyBudget.of(**caps)


@pytest.mark.parametrize("number", [-1.0, float("nan")])
def test_a_cost_outside_its_domain_is_refused(number):
    with pytest.raises(ParameterError):
        PrivacyCost.of(epsilon=number)


def test_json_gives_back_the_same_numbers():
    cost = PrivacyCost.of(epsilon=0.1, delta=1e-9, rho=1 / 3)
    assert PrivacyCost.from_json(cost.to_json()) == cost
    for budget in (PrivacyBudget.of(epsilon=0.1, delta=1e-9), PrivacyBudget.of(rho=0.3)):
        assert PrivacyBudget.from_json(budget.to_json()) == budget


@pytest.mark.parametrize(
    "numbers",
    [
        {"epsilon": "1"},
        {"epsilon": "1", "delta": "0", "rho": "x"},
        {"epsilon": "1", "delta": "0", "rho": "0", "mu": "1"},
        {"epsilon": "1", "delta": "0", "rho": 0.5},
        None,
    ],
)
def test_a_cost_with_missing_or_wrong_parts_is_refused(numbers):
    with pytest.raises(ParameterError):
        PrivacyCost.from_json(numbers)


def test_words_name_the_caps_only():
    assert PrivacyBudget.of(rho=0.5).describe() == "ρ = 0.5 in total"
    words = PrivacyBudget.of(epsilon=2.0, delta=1e-6).describe()
    assert words == "ε = 2, δ = 10⁻⁶ in total"
    assert plain(Decimal("1e30")) == "1e+30"
