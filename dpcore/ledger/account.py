"""The account of a group of people: its terms, and what was spent.

It belongs to people and to periods, and is named after the first table about them. A
question belongs to the very table that it is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_CEILING, Context, Decimal
from typing import Final

from dpcore.codec import TEXT, WHOLE, Schema, if_any, optional, several
from dpcore.errors import DPCoreError, UntrustedLedgerError
from dpcore.ledger import periods
from dpcore.ledger.chain import EntryKind, LedgerEntry
from dpcore.ledger.periods import DAY, PERIOD, BudgetPeriod
from dpcore.privacy_filter import BUDGET, COST, PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation
from dpcore.statistics.parameters import RELATION

TERMS = frozenset(EntryKind) - {EntryKind.RELEASE, EntryKind.ANEW}
"""The kinds of entries that change an account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTable:
    """A table about the people of an account. PUBLIC.

    Attributes:
        fingerprint: Keyed digest of the table.
        name: What its file was called.

    """

    fingerprint: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What the ledger knows about a group of people.

    Attributes:
        fingerprint: Keyed digest of the table that it was asked for.
        budget: The cap on everything released about them, ever.
        relation: Which tables are neighbors, for every release.
        unit_rows: How many rows one unit may own, for every release.
        spent: Sum of the costs so far.
        releases: How many releases there are.
        moved: Name of the move by which an earlier program took it to another machine;
            it pays nothing here since. ``None`` while it is open.
        holder: The account's name, where that is the fingerprint of another table.
        tables: The tables about these people that were described.
        periods: The times that have limits of their own, in the order of opening.
        closed: Why it was closed for good, ``None`` while it is open.
        day: Today, as far as the account knows: days that it has seen do not come back,
            whatever a clock says. Only where there are periods.

    """

    fingerprint: str
    budget: PrivacyBudget
    relation: NeighboringRelation
    unit_rows: int
    spent: PrivacyCost = field(default_factory=PrivacyCost)
    releases: int = 0
    moved: str | None = None
    holder: str = ""
    tables: tuple[AccountTable, ...] = ()
    periods: tuple[BudgetPeriod, ...] = ()
    closed: str | None = None
    day: date | None = None

    @property
    def name(self) -> str:
        """Return its name in the ledger: the fingerprint of its first table."""
        return self.holder or self.fingerprint

    @property
    def is_unused(self) -> bool:
        """Return whether nothing was spent and nothing was released."""
        return self.spent == PrivacyCost() and not self.releases

    @property
    def title(self) -> str:
        """Return what its first described table was called, empty where none was."""
        return self.tables[0].name if self.tables else ""

    @property
    def names(self) -> dict[str, str]:
        """Return what its described tables are called, by fingerprint.

        Of several whose files were called alike, each has its number in the order of
        their coming.
        """
        alike = Counter(table.name for table in self.tables)
        seen = Counter[str]()
        found: dict[str, str] = {}
        for table in self.tables:
            seen[table.name] += 1
            number = f" ({seen[table.name]})" if alike[table.name] > 1 else ""
            found[table.fingerprint] = table.name + number
        return found

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Return the fingerprints of all its tables, the first one first."""
        found = (self.name, *(table.fingerprint for table in self.tables))
        return tuple(dict.fromkeys(found))

    @property
    def current(self) -> tuple[BudgetPeriod, ...]:
        """Return the periods that hold today, the longest first."""
        return () if self.day is None else periods.covering(self.periods, self.day)

    @property
    def bar(self) -> str | None:
        """Say why it pays nothing today, whatever is left; ``None`` where it pays."""
        if self.closed is not None:
            return "this account is closed, and cannot be charged."
        return None if self.day is None else periods.bar(self.periods, self.day)

    @property
    def remaining(self) -> PrivacyCost:
        """Return what may be spent today: the least that is left under any limit."""
        if self.bar is not None:
            return self.budget.remaining(_whole(self.budget))
        left = [
            self.budget.remaining(self.spent),
            *(
                periods.limit(self.periods, period).remaining(period.spent)
                for period in self.current
            ),
        ]
        least = {
            part: min(getattr(one, part) for one in left) for part in ("epsilon", "delta", "rho")
        }
        return PrivacyCost(**least)

    def admits(self, cost: PrivacyCost) -> bool:
        """Return whether a cost stays within every limit that holds today."""
        return (
            self.bar is None
            and self.budget.admits(self.spent, cost)
            and all(
                periods.limit(self.periods, period).admits(period.spent, cost)
                for period in self.current
            )
        )

    def charged(self, cost: PrivacyCost) -> Account:
        """Return the account after a cost was spent on its day."""
        return replace(
            self,
            spent=self.spent + cost,
            periods=() if self.day is None else periods.charged(self.periods, self.day, cost),
        )

    def on(self, day: date) -> Account:
        """Return the account as it is on a day, unless it knows a later one."""
        if not self.periods:
            return self
        return replace(self, day=max(self.day or day, day))


def _whole(budget: PrivacyBudget) -> PrivacyCost:
    """Return the cost that uses up all of a budget."""
    return PrivacyCost.from_json(PrivacyCost().to_json() | budget.to_json())


_TABLE: Final = Schema(AccountTable, fingerprint=TEXT, name=TEXT)
OPENED: Final = Schema(Account, budget=BUDGET, relation=RELATION, unit_rows=WHOLE)
"""The terms of an account that is opened."""
ACCOUNT: Final = Schema(
    Account,
    **OPENED.parts,
    spent=COST,
    releases=WHOLE,
    moved=if_any(TEXT),
    tables=if_any(several(_TABLE)),
    periods=if_any(several(PERIOD)),
    closed=if_any(TEXT),
    day=if_any(DAY),
)
"""Everything but the fingerprints that it was asked for, and is named after."""
_PAID_FOR: Final = several(TEXT)
_MOVED: Final = optional(TEXT)


def name_in(entry: LedgerEntry) -> str:
    """Return the name of the account that an entry changes.

    Raises:
        UntrustedLedgerError: The entry was damaged.

    """
    if entry.kind is not EntryKind.TABLE:
        return entry.fingerprint
    try:
        return TEXT.read(entry.content["account"])
    except (LookupError, TypeError):
        raise UntrustedLedgerError(_unreadable(entry)) from None


def account_after(account: Account | None, entry: LedgerEntry) -> Account:
    """Return the account that an entry leaves; the first entry opens it.

    Raises:
        UntrustedLedgerError: The entry was damaged.

    """
    try:
        changed = _after(account, entry)
        return changed.on(day_of(entry)) if changed.periods else changed
    except (LookupError, TypeError, ValueError, DPCoreError):
        raise UntrustedLedgerError(_unreadable(entry)) from None


def day_of(entry: LedgerEntry) -> date:
    """Return the day on which an entry was written, by its clock."""
    return DAY.read(entry.recorded[:10])


def _unreadable(entry: LedgerEntry) -> str:
    return f"entry {entry.sequence} of the ledger cannot be read."


def _after(account: Account | None, entry: LedgerEntry) -> Account:
    content = entry.content
    if account is None:
        return OPENED.read(content, fingerprint=entry.fingerprint)
    return _CHANGES[entry.kind](account, entry, content)


def _capped(account: Account, _: LedgerEntry, content: dict[str, object]) -> Account:
    moved = _MOVED.read(content.get("moved"))
    return replace(account, budget=BUDGET.read(content["budget"]), moved=moved)


def _related(account: Account, _: LedgerEntry, content: dict[str, object]) -> Account:
    return replace(
        account,
        relation=RELATION.read(content["relation"]),
        unit_rows=WHOLE.read(content["unit_rows"]),
    )


def _debited(account: Account, entry: LedgerEntry, content: dict[str, object]) -> Account:
    cost = COST.read(content["cost"])
    # The debit of a plan names the releases that it paid for.
    made = len(_PAID_FOR.read(content["plan"])) if "plan" in content else 1
    return replace(account.on(day_of(entry)).charged(cost), releases=account.releases + made)


def _described(account: Account, entry: LedgerEntry, content: dict[str, object]) -> Account:
    table = AccountTable(fingerprint=entry.fingerprint, name=TEXT.read(content["name"]))
    known = {one.fingerprint: one for one in account.tables}
    tables = tuple((known | {table.fingerprint: table}).values())
    return replace(account, tables=tables)


def _divided(account: Account, _: LedgerEntry, content: dict[str, object]) -> Account:
    opened = PERIOD.read(content)
    return replace(account, periods=periods.after(account.periods, opened))


def _closed(account: Account, _: LedgerEntry, content: dict[str, object]) -> Account:
    reason, name = TEXT.read(content["reason"]), content.get("period")
    if name is None:
        return replace(account, closed=reason)
    period = periods.named(account.periods, TEXT.read(name))
    if period is None:
        raise LookupError
    closed = replace(period, closed=reason)
    return replace(account, periods=periods.after(account.periods, closed))


_CHANGES: Final = {
    EntryKind.BUDGET: _capped,
    EntryKind.RELATION: _related,
    EntryKind.DEBIT: _debited,
    EntryKind.TABLE: _described,
    EntryKind.PERIOD: _divided,
    EntryKind.CLOSED: _closed,
}


_UP = Context(prec=60, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonTotal:
    """What a person has spent who is in all accounts kept under the same terms.

    Attributes:
        relation: Which tables are neighbors.
        unit_rows: How many rows one unit may own.
        accounts: The accounts, in the order in which they were opened.
        spent: The sum of what was spent in them.

    """

    relation: NeighboringRelation
    unit_rows: int
    accounts: tuple[Account, ...]
    spent: PrivacyCost


def person_totals(accounts: Iterable[Account]) -> tuple[PersonTotal, ...]:
    """Return the totals over some accounts, one for each kind of terms."""
    kinds: dict[tuple[NeighboringRelation, int], list[Account]] = {}
    for account in accounts:
        kinds.setdefault((account.relation, account.unit_rows), []).append(account)
    return tuple(
        PersonTotal(
            relation=relation,
            unit_rows=rows,
            accounts=tuple(members),
            spent=sum((one.spent for one in members), PrivacyCost()),
        )
        for (relation, rows), members in kinds.items()
    )


def by_table(account: Account, history: Iterable[LedgerEntry]) -> dict[str, PrivacyCost]:
    """Return what was spent on each table of an account, by fingerprint.

    Args:
        account: The account.
        history: Its entries in the ledger.

    Returns:
        The parts; they add up to what was spent. What moved here, or was carried over,
        stands with the first table.

    """
    parts = dict.fromkeys(account.fingerprints, PrivacyCost())
    for entry in history:
        if entry.kind is EntryKind.DEBIT:
            content = entry.content
            table = str(content.get("table", account.name))
            cost = COST.read(content["cost"])
            parts[table] = parts.get(table, PrivacyCost()) + cost
    return parts


def by_period(account: Account) -> tuple[tuple[BudgetPeriod | None, PrivacyCost], ...]:
    """Return what was spent in each period that no other one divides, in their order.

    The parts add up to what was spent: ``None`` stands for days in no such period, and
    is left out where nothing was spent then.
    """
    leaves = sorted(periods.undivided(account.periods), key=lambda one: one.begins)
    inside = sum((period.spent for period in leaves), PrivacyCost())
    outside = PrivacyCost(
        **{
            part: _beyond(getattr(account.spent, part), getattr(inside, part))
            for part in ("epsilon", "delta", "rho")
        }
    )
    parts: list[tuple[BudgetPeriod | None, PrivacyCost]] = [(one, one.spent) for one in leaves]
    return tuple(parts if outside == PrivacyCost() else [(None, outside), *parts])


def _beyond(total: Decimal, part: Decimal) -> Decimal:
    return Decimal() if total <= part else _UP.subtract(total, part)
