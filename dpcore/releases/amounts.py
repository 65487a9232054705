"""Amounts of privacy cost in symbols: one rule for what is spent and what is left.

What is spent is a limit on what was given away, and is rounded up. What is left is
rounded to the nearest number, and is nothing where costs that were rounded up have left
a remainder alone: less than a 100,000th of the budget.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from dpcore.formatting import epsilon_text, significant
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost, plain

NOTHING: Final = "nothing"
_REMAINDER: Final = Decimal("0.00001")


def limit_text(budget: PrivacyBudget) -> str:
    """Return a budget as it was typed, with every digit.

    >>> from dpcore.privacy_filter import PrivacyBudget
    >>> limit_text(PrivacyBudget.of(epsilon=0.12345, delta=1e-5))
    'ε = 0.12345, δ = 10⁻⁵'
    """
    if budget.rho is not None:
        return f"ρ = {plain(budget.rho)}"
    text = f"ε = {plain(budget.epsilon or Decimal())}"
    return f"{text}, δ = {significant(float(budget.delta))}" if budget.delta else text


def spent_text(budget: PrivacyBudget, cost: PrivacyCost) -> str:
    """Return the parts of a cost that a budget limits, rounded up.

    >>> from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
    >>> spent_text(PrivacyBudget.of(epsilon=3.0), PrivacyCost.of(epsilon=1 / 3))
    'ε = 0.334'
    >>> spent_text(PrivacyBudget.of(epsilon=3.0, delta=0.01), PrivacyCost.of(epsilon=1))
    'ε = 1, δ = 0'
    """
    return _text(budget, cost, up=True)


def cost_text(cost: PrivacyCost) -> str:
    """Return a cost without the parts that are 0, rounded up; ρ where that is all it has.

    >>> from dpcore.privacy_filter import PrivacyCost
    >>> cost_text(PrivacyCost.of(epsilon=0.5, delta=1e-6))
    'ε = 0.5, δ = 10⁻⁶'
    """
    if not cost.epsilon.is_finite():
        return f"ρ = {significant(float(cost.rho), up=True)}"
    text = f"ε = {epsilon_text(float(cost.epsilon))}"
    return f"{text}, δ = {significant(float(cost.delta), up=True)}" if cost.delta else text


def left_text(budget: PrivacyBudget, left: PrivacyCost) -> str:
    """Return what is left of a budget, or of a limit within it.

    >>> from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
    >>> budget = PrivacyBudget.of(epsilon=3.0, delta=0.01)
    >>> left_text(budget, budget.remaining(PrivacyCost.of(epsilon=2.7999971)))
    'ε = 0.2, δ = 0.01'
    >>> left_text(budget, budget.remaining(PrivacyCost.of(epsilon=2.999998)))
    'nothing'
    """
    return NOTHING if is_used_up(budget, left) else _text(budget, left, up=False)


def is_used_up(budget: PrivacyBudget, left: PrivacyCost) -> bool:
    """Tell whether no more is left of a budget than rounding up has left.

    Without an epsilon, or a rho, there is nothing that a release could be paid with.
    """
    if budget.rho is not None:
        return left.rho <= budget.rho * _REMAINDER
    return budget.epsilon is not None and left.epsilon <= budget.epsilon * _REMAINDER


def _text(budget: PrivacyBudget, cost: PrivacyCost, *, up: bool) -> str:
    if budget.rho is not None:
        return f"ρ = {significant(float(cost.rho), up=up)}"
    text = f"ε = {significant(float(cost.epsilon), up=up)}"
    delta = f", δ = {significant(float(cost.delta), up=up)}"
    return text + delta if budget.delta else text
