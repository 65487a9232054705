"""Limits of periods that promise more than is left of the time around them.

A limit is a cap and sets nothing aside: four quarters of epsilon 1 may stand inside a
year of 3. Not all of them can then be spent, and whoever comes last finds nothing left.
That is allowed, and has to be said when it is agreed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import reduce
from operator import add

from dpcore.budget_filter import PrivacyBudget, PrivacyCost
from dpcore.releases.periods import Period, limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """The periods that divide what is left of a longer one, or of an account. PUBLIC.

    Attributes:
        whole: The longer period; ``None`` for the whole account.
        parts: The periods in it that may still pay.
        promised: What their limits leave together.
        left: What is left of the whole.

    """

    whole: Period | None
    parts: tuple[Period, ...]
    promised: PrivacyCost
    left: PrivacyCost

    @property
    def beyond(self) -> bool:
        """Tell whether not all of the limits can be spent in full."""
        pairs = (
            (self.promised.epsilon, self.left.epsilon),
            (self.promised.delta, self.left.delta),
            (self.promised.rho, self.left.rho),
        )
        return any(left.is_finite() and much > left for much, left in pairs)


def sharings(
    periods: Sequence[Period], *, budget: PrivacyBudget, spent: PrivacyCost, day: date
) -> tuple[Sharing, ...]:
    """Return who shares what is left: of the account first, then of each period.

    Args:
        periods: Those of an account, one that is only typed included.
        budget: That of the account.
        spent: What was spent of it.
        day: Today, as the account counts days: what is over shares nothing more.

    """
    found = [_sharing(periods, None, budget.remaining(spent), day)]
    for whole in sorted(periods, key=lambda one: -one.days):
        left = limit(periods, whole).remaining(whole.spent)
        found.append(_sharing(periods, whole, left, day))
    return tuple(one for one in found if one.parts)


def _sharing(
    periods: Sequence[Period], whole: Period | None, left: PrivacyCost, day: date
) -> Sharing:
    parts = tuple(_parts(periods, whole, day))
    rests = (limit(periods, part).remaining(part.spent) for part in parts)
    # A part that is taken over by another one is counted in that one's limit.
    taken = {part.carries for part in parts}
    counted = (rest for part, rest in zip(parts, rests, strict=True) if part.name not in taken)
    return Sharing(
        whole=whole, parts=parts, promised=reduce(add, counted, PrivacyCost()), left=left
    )


def _parts(periods: Sequence[Period], whole: Period | None, day: date) -> Iterator[Period]:
    """Yield the periods directly inside another one, or in none, that may still pay."""
    for one in periods:
        around = [other for other in periods if other.holds(one)]
        inner = min(around, key=lambda other: other.days, default=None)
        if inner is whole and one.closed is None and one.ends >= day:
            yield one
