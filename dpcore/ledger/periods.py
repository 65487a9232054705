"""Periods of an account: times that have a limit of their own within its budget.

A period is the time in which its budget may be spent: a year, a quarter, or other days.
One may lie inside another, such as the quarters of a year; otherwise they share no day.
Every cost counts in all periods that hold its day, and in the whole budget, and has to
fit into each. Where a time is divided, only its parts pay: a year with quarters pays on
a day that lies in one of them, and an account with periods on a day in a period.

A person who is in all periods has spent the sum: costs add up across periods as within
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import MAXYEAR, date, timedelta
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Final

from dpcore.codec import TEXT, Pair, Schema, if_any, since
from dpcore.errors import ParameterError
from dpcore.privacy_filter import BUDGET, COST, PrivacyBudget, PrivacyCost

_DOWN = Context(prec=60, rounding=ROUND_FLOOR)
_BELOW_ONE = Decimal(1) - Decimal("1E-12")
_LONGEST_NAME = 100
_MONTHS = 12
_IN_QUARTER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPeriod:
    """A time with a limit of its own. PUBLIC.

    Attributes:
        name: What people call it; no other period of the account is called so.
        begins: Its first day, in UTC.
        ends: Its last day.
        budget: What may be spent in it, besides what it takes over.
        carries: Name of the period before, whose unspent rest it takes over. No new one
            does, but those of earlier programs count.
        spent: What was spent in it.
        closed: Why it was closed before its end, ``None`` while it was not.

    Raises:
        ParameterError: It has no name, or ends before it begins.

    """

    name: str
    begins: date
    ends: date
    budget: PrivacyBudget
    carries: str | None = None
    spent: PrivacyCost = field(default_factory=PrivacyCost)
    closed: str | None = None

    def __post_init__(self) -> None:
        if not 0 < len(self.name.strip()) <= _LONGEST_NAME:
            raise ParameterError(f"a period needs a name of at most {_LONGEST_NAME} characters.")
        if self.ends < self.begins:
            raise ParameterError(
                f"a period must not end before it begins, got {self.begins} to {self.ends}."
            )

    def covers(self, day: date) -> bool:
        """Tell whether a day lies in it."""
        return self.begins <= day <= self.ends

    def holds(self, other: BudgetPeriod) -> bool:
        """Tell whether another one lies inside it, and is shorter."""
        inside = self.begins <= other.begins and other.ends <= self.ends
        return inside and self.days > other.days

    @property
    def days(self) -> int:
        """Return how many days it has."""
        return (self.ends - self.begins).days + 1


DAY: Final = Pair(date.isoformat, lambda content: date.fromisoformat(TEXT.read(content)))
PERIOD: Final = Schema(
    BudgetPeriod,
    name=TEXT,
    begins=DAY,
    ends=DAY,
    budget=BUDGET,
    carries=if_any(TEXT),
    spent=since(COST),
    closed=if_any(TEXT),
)


def named(periods: Sequence[BudgetPeriod], name: str) -> BudgetPeriod | None:
    """Return the period that is called so, ``None`` if there is none."""
    return next((period for period in periods if period.name == name), None)


def covering(periods: Sequence[BudgetPeriod], day: date) -> tuple[BudgetPeriod, ...]:
    """Return the periods that hold a day, the longest first."""
    found = (period for period in periods if period.covers(day))
    return tuple(sorted(found, key=lambda period: -period.days))


def undivided(periods: Sequence[BudgetPeriod]) -> tuple[BudgetPeriod, ...]:
    """Return the periods in which no other one lies. They share no day."""
    return tuple(one for one in periods if not any(one.holds(other) for other in periods))


def after(periods: Sequence[BudgetPeriod], new: BudgetPeriod) -> tuple[BudgetPeriod, ...]:
    """Return the periods with a new one, or with one in the place of its namesake."""
    if named(periods, new.name) is None:
        return (*periods, new)
    return tuple(new if one.name == new.name else one for one in periods)


def charged(
    periods: Sequence[BudgetPeriod], day: date, cost: PrivacyCost
) -> tuple[BudgetPeriod, ...]:
    """Return the periods after a cost was spent on a day."""
    return tuple(
        replace(one, spent=one.spent + cost) if one.covers(day) else one for one in periods
    )


def limit(periods: Sequence[BudgetPeriod], period: BudgetPeriod) -> PrivacyBudget:
    """Return what may be spent in a period: its budget, and the rest it takes over.

    A rest is added rounded down. It is final once the period before it is over, and a
    later one pays not before: the days of an account do not go back.
    """
    budget, rest = period.budget, _rest(periods, period)
    parts: dict[str, Decimal] = {}
    for name in ("epsilon", "delta", "rho"):
        cap, more = getattr(budget, name), getattr(rest, name)
        if cap is not None:
            parts[name] = _DOWN.add(cap, more) if more.is_finite() else cap
    if "delta" in parts:
        parts["delta"] = min(parts["delta"], max(_BELOW_ONE, budget.delta or Decimal()))
    return PrivacyBudget(**parts)


def _rest(periods: Sequence[BudgetPeriod], period: BudgetPeriod) -> PrivacyCost:
    """Return what a period takes over from the one before it."""
    before = named(periods, period.carries or "")
    return PrivacyCost() if before is None else limit(periods, before).remaining(before.spent)


def bar(periods: Sequence[BudgetPeriod], day: date) -> str | None:
    """Say why nothing can be paid on a day, ``None`` where it can."""
    if not periods:
        return None
    found = covering(periods, day)
    if not found:
        return f"no period of this account holds {day}. {_OPEN_ONE}"
    for period in found:
        if period.closed is not None:
            return f"the period “{period.name}” was closed, and cannot be charged."
    inner = found[-1]
    if any(inner.holds(other) for other in periods):
        return (
            f"the period “{inner.name}” is divided, and none of its parts holds {day}. {_OPEN_ONE}"
        )
    return None


_OPEN_ONE = "Open the next period on Budget › Manage."


def check(
    periods: Sequence[BudgetPeriod],
    new: BudgetPeriod,
    budget: PrivacyBudget,
    spent: PrivacyCost,
    day: date,
) -> None:
    """Refuse a period that does not fit to the others of an account.

    Args:
        periods: The others that there are.
        new: With what was spent in its days already.
        budget: That of the account.
        spent: What was spent of it.
        day: Today, as the account counts days.

    Raises:
        ParameterError: It is over, is not counted as the account is, has a budget below
            what was spent, shares some days with another one, lies in one that was
            closed, or leaves, with those beside it, more than is left of the time
            around them.

    """
    if new.ends < day:
        raise ParameterError(f"a period must end today or later, got {new.ends}.")
    if (new.budget.rho is None) is not (budget.rho is None):
        raise ParameterError(
            "the budget of a period and the budget of its account need the same privacy definition."
        )
    for other in periods:
        _check_days(new, other)
    if not new.budget.admits(new.spent, PrivacyCost()):
        raise ParameterError(
            f"{budget.caption(new.spent)} was already spent in this period. Its budget "
            "cannot be less."
        )
    known = (*periods, new)
    least, most = room(periods, new, budget, spent, day)
    for whole in (around(known, new), new):
        cap, gone = _capped(known, whole, budget, spent)
        parts = _parts(known, whole, day)
        left = _unspent(known, parts)
        if not cap.admits(gone, left):
            name = "the whole account" if whole is None else f"“{whole.name}”"
            way = f"at most {new.budget.caption_above(most)}, or lower the limit of another period"
            if whole is new:
                way = f"at least {new.budget.caption(least)}, or lower the limits inside it"
            raise ParameterError(
                f"{budget.caption(left)} could still be spent in "
                f"{' and '.join(f'“{one.name}”' for one in parts)}, and "
                f"{budget.caption(cap.remaining(gone))} is left of {name}. Choose {way}."
            )


def room(
    periods: Sequence[BudgetPeriod],
    new: BudgetPeriod,
    budget: PrivacyBudget,
    spent: PrivacyCost,
    day: date,
) -> tuple[PrivacyCost, PrivacyCost]:
    """Return the least and the most that the limit of a period can be.

    It holds what was spent in it and what those inside it may still spend. It leaves those
    beside it what they may still spend. Arguments are those of ``check``; the budget of
    ``new`` does not matter.
    """
    known = (*periods, new)
    whole = around(known, new)
    cap, gone = _capped(known, whole, budget, spent)
    beside = [one for one in _parts(known, whole, day) if one is not new]
    taken = gone + _unspent(known, beside) + _rest(known, new)
    least = new.spent + _unspent(known, _parts(known, new, day))
    return least, cap.remaining(taken) + new.spent


def _capped(
    periods: Sequence[BudgetPeriod],
    whole: BudgetPeriod | None,
    budget: PrivacyBudget,
    spent: PrivacyCost,
) -> tuple[PrivacyBudget, PrivacyCost]:
    """Return the limit of a period, or of the account, and what was spent of it."""
    return (budget, spent) if whole is None else (limit(periods, whole), whole.spent)


def _parts(
    periods: Sequence[BudgetPeriod], whole: BudgetPeriod | None, day: date
) -> list[BudgetPeriod]:
    """Return the periods right inside another one, or the account, that may still pay."""
    return [
        one
        for one in periods
        if one.closed is None and one.ends >= day and around(periods, one) is whole
    ]


def _unspent(periods: Sequence[BudgetPeriod], parts: Sequence[BudgetPeriod]) -> PrivacyCost:
    """Return what some periods may still spend together."""
    return sum((limit(periods, one).remaining(one.spent) for one in parts), PrivacyCost())


def _check_days(new: BudgetPeriod, other: BudgetPeriod) -> None:
    if other.holds(new):
        if other.closed is not None:
            raise ParameterError(f"the period “{other.name}” is closed. Choose other days.")
    elif not new.holds(other) and new.begins <= other.ends and other.begins <= new.ends:
        raise ParameterError(
            f"the days of “{new.name}” and of “{other.name}”, {other.begins} to "
            f"{other.ends}, must not overlap, unless one lies inside the other."
        )


def around(periods: Sequence[BudgetPeriod], inner: BudgetPeriod) -> BudgetPeriod | None:
    """Return the shortest period that holds another one, ``None`` if none does."""
    return min((one for one in periods if one.holds(inner)), key=lambda one: one.days, default=None)


def quarter(day: date) -> tuple[str, date, date]:
    """Return the quarter that holds a day: its name, first and last day.

    >>> quarter(date(2026, 11, 23))[0]
    'Q4 2026'
    """
    number = (day.month - 1) // _IN_QUARTER
    begins = date(day.year, number * _IN_QUARTER + 1, 1)
    return f"Q{number + 1} {day.year}", begins, _before_month(begins, _IN_QUARTER)


def year(day: date) -> tuple[str, date, date]:
    """Return the calendar year that holds a day: its name, first and last day."""
    return str(day.year), date(day.year, 1, 1), date(day.year, _MONTHS, 31)


def next_day(periods: Sequence[BudgetPeriod], day: date, days: int) -> date:
    """Return the first day from ``day`` on that no period of about that length holds.

    The next quarter begins there.
    """
    for period in sorted(periods, key=lambda one: one.ends):
        near = period.days < 2 * days
        if near and period.covers(day) and period.ends < date(MAXYEAR, 12, 31):
            day = period.ends + timedelta(days=1)
    return day


def _before_month(begins: date, months: int) -> date:
    """Return the last day before the month that comes some months later."""
    past = begins.month - 1 + months
    if begins.year + past // _MONTHS > MAXYEAR:
        return date(MAXYEAR, _MONTHS, 31)
    return date(begins.year + past // _MONTHS, past % _MONTHS + 1, 1) - timedelta(days=1)
