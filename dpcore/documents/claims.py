"""What documents claim about protection, in numbers and nouns; the sentences are templates.

``templates/claims.html.j2`` has every sentence about privacy or error, each with what it
follows from. ``tests/documents/test_claims.py`` reads every sentence that notice and report
write, and fails at one that it does not know.
"""

from __future__ import annotations

from typing import Final

from dpcore.figures.attackers import surest
from dpcore.relations import NeighboringRelation, PrivacyUnit

_LARGEST: Final = 700.0
"""Above this ε, ``e^ε`` is no float: the limit is no limit."""


def neighbors(relation: NeighboringRelation, unit: PrivacyUnit) -> str:
    """Return in what neighboring tables differ, in the curator's noun.

    ``PrivacyUnit``: a unit is one row, or all rows that it owns.

    >>> from dpcore.relations import PrivacyUnit
    >>> neighbors(NeighboringRelation.ADD_REMOVE, PrivacyUnit(noun="household"))
    'one household added or removed'
    >>> neighbors(NeighboringRelation.SUBSTITUTION, PrivacyUnit(rows=3))
    'all rows of one person replaced by others'
    """
    whose = f"all rows of one {unit.noun}" if unit.several else f"one {unit.noun}"
    if relation is NeighboringRelation.ADD_REMOVE:
        return f"{whose} added or removed"
    return (
        f"{whose} replaced by others" if unit.several else f"{whose}’s record replaced by another"
    )


def is_limited(epsilon: float, delta: float) -> bool:
    """Tell whether a guarantee limits anything, as far as floats tell."""
    return 0 < epsilon <= _LARGEST and 0 <= delta < 1


def accuracy(epsilon: float, delta: float) -> str:
    """Return how often an attacker names the right one of two possibilities, at most.

    Two neighboring tables are equally likely. The best rule errs least if it decides
    for the table under which the output is likelier, and is then right with probability
    ``(1 + TV) / 2``, ``TV`` the total variation of the two laws of the output. Under
    (ε, δ)-DP, ``TV <= δ + (1 - δ) tanh(ε / 2)`` (Kairouz, Oh and Viswanath 2015), so
    that at δ = 0 the rule is right with probability ``e^ε / (1 + e^ε)`` at most. This
    bounds the accuracy over both tables, not the probability of an output under either:
    at ε = 1 one of them may give an output with 0.90 where the other gives it with
    0.729. Rounded up, and written as on all pages (``figures.attackers``).

    >>> accuracy(20.0, 1e-5), accuracy(800.0, 0.0)
    ('practically always', '')
    """
    if not is_limited(epsilon, delta):
        return ""
    most = surest(epsilon, delta=delta)
    return "practically always" if most.startswith("100") else f"at most {most} of the time"
