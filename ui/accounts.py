"""What an account has spent, has left, and may still pay. Everything here is public."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import chain as joined
from typing import Final

from dpcore.formatting import significant
from dpcore.ledger.account import Account
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.releases.digits import is_used_up, left_text, limit_text
from dpcore.releases.record import Release
from ui import session
from ui.text import literal

WAYS: Final = (
    "**Basic composition** adds up every ε and δ. **Advanced composition** uses that not "
    "every result reveals the most at once. **zCDP** adds up ρ, which suits Gaussian "
    "noise, and becomes an ε only at a δ. **PLD** composes the distributions of the "
    "privacy loss."
)
"""What the four ways of counting are."""


def used_up(account: Account) -> bool:
    """Tell whether no more is left of the account than rounding up has left.

    Of a period more may be spent, or less.
    """
    return is_used_up(account.budget, account.budget.remaining(account.spent))


def left(account: Account, cost: PrivacyCost | None = None) -> str:
    """Return what may be spent of an account today, in symbols, or that it is nothing.

    With the period that allows no more, if one does. Beside a ``cost`` without a delta,
    nothing is said of delta.
    """
    budget = account.budget
    if cost is not None and not cost.delta and budget.epsilon is not None:
        budget = replace(budget, delta=Decimal(0))
    return left_text(budget, account.remaining) + _where(account)


def fitting(account: Account, cost: PrivacyCost, *, answered: bool, like: str = "this") -> str:
    """Say what is left of an account, and how many more questions of a cost fit into it.

    What was ``answered`` is paid. ``like`` says which question that is.
    """
    text = f"{left(account, cost)} left"
    rest = account.remaining
    if account.budget.epsilon is None or not cost.epsilon or not cost.epsilon.is_finite():
        return f"{text}."
    most = [
        part // of for part, of in ((rest.epsilon, cost.epsilon), (rest.delta, cost.delta)) if of
    ]
    count = max(int(min(most)) - (not answered), 0)
    more = f"about {count:,} more like {like} fit" if count else f"no other like {like} fits"
    return f"{text}; {more}{'' if answered else ' afterwards'}."


def rest(account: Account) -> str:
    """Return how much is left of what the budget counts in first, such as ε = 2.5 of 3."""
    budget, remaining = account.budget, account.budget.remaining(account.spent)
    if used_up(account):
        return f"nothing left of {limit_text(budget)}"
    today = f", {left(account)}" if _where(account) else ""
    if budget.rho is not None:
        total = significant(float(budget.rho))
        return f"ρ = {significant(float(remaining.rho))} of {total} left{today}"
    total = significant(float(budget.epsilon or 0))
    return f"ε = {significant(float(remaining.epsilon))} of {total} left{today}"


def is_endless(budget: PrivacyBudget, cost: PrivacyCost) -> bool:
    """Tell whether a cost is infinite in something that the budget limits."""
    parts = ((budget.epsilon, cost.epsilon), (budget.delta, cost.delta), (budget.rho, cost.rho))
    return any(cap is not None and not part.is_finite() for cap, part in parts)


def beyond(budget: PrivacyBudget, cost: PrivacyCost) -> str:
    """Say in a few words why a cost does not fit into what is left."""
    return "cannot be released" if is_endless(budget, cost) else "more than is left"


def way_on(account: Account, cost: PrivacyCost, costs: str) -> str:
    """Say what can be done where the budget is too small for a ``cost``.

    ``costs`` is that in words.
    """
    rest = account.remaining
    smaller = f"Ask with a smaller {_too_large(cost, rest)}"
    if account.moved is not None:
        return (
            f"This costs {costs}. The account of this table was moved to another machine and "
            "cannot be charged here."
        )
    if account.bar is not None:
        return f"This costs {costs}. Nothing can be released today: {account.bar}"
    if _where(account):
        return (
            f"This costs {costs}, and {left(account)} is left. {smaller}, or wait for the "
            "next period."
        )
    if used_up(account):
        return (
            f"This costs {costs}, and nothing is left of the budget: the budget of this table "
            "is spent. It can be raised on Budget › Manage. That weakens the guarantee and "
            "is recorded."
        )
    return (
        f"This costs {costs}, and {left(account)} is left. {smaller}, or "
        "change the budget on Budget › Manage."
    )


def _where(account: Account) -> str:
    """Return in which period what is left today may be spent; empty if it is all that is left."""
    if account.closed or account.remaining == account.budget.remaining(account.spent):
        return ""
    inner = account.current[-1:] if account.bar is None else ()
    return f" in {literal(inner[0].name)}" if inner else " today"


def _too_large(cost: PrivacyCost, rest: PrivacyCost) -> str:
    """Return which of ε and δ are above what is left; for ρ, too, ε is what is typed.

    >>> _too_large(PrivacyCost.of(epsilon=2.0), PrivacyCost.of(epsilon=1.0, delta=0.1))
    'ε'
    """
    pairs = {"ε": (cost.epsilon, rest.epsilon), "δ": (cost.delta, rest.delta)}
    lacking = [symbol for symbol, (needed, left) in pairs.items() if needed > left]
    return " and a smaller ".join(lacking) or "ε"


def all_releases(account: Account) -> tuple[Release, ...]:
    """Return the answers about all tables of an account, the oldest first."""
    book = session.ledger()
    found = (book.releases(table) for table in account.fingerprints)
    study = session.study()
    known = sorted(joined.from_iterable(found), key=lambda one: one.created)
    return tuple(known if study is None else map(study.renamed, known))
