"""The account of one table: its terms, and what was spent."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from dpcore.budget_filter import BUDGET, COST, PrivacyCost
from dpcore.codec import TEXT, WHOLE, Schema, if_any, optional, several
from dpcore.errors import DPCoreError, UntrustedLedgerError
from dpcore.releases.chain import EntryKind
from dpcore.statistics.parameters import RELATION

if TYPE_CHECKING:
    from dpcore.budget_filter import PrivacyBudget
    from dpcore.relations import NeighboringRelation
    from dpcore.releases.chain import Entry

TERMS = frozenset(
    {EntryKind.ACCOUNT, EntryKind.BUDGET, EntryKind.RELATION, EntryKind.DEBIT}
)
"""The kinds of entries that change an account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What the ledger knows about one table.

    Attributes:
        fingerprint: Keyed digest of the table.
        budget: The cap on everything released about it.
        relation: Which tables are neighbors, for every release.
        unit_rows: How many rows one unit may own, for every release.
        spent: Sum of the costs so far.
        releases: How many releases there are.
        moved: Name of the move by which it left for another machine; it pays nothing
            here since. ``None`` while it is open.

    """

    fingerprint: str
    budget: PrivacyBudget
    relation: NeighboringRelation
    unit_rows: int
    spent: PrivacyCost = field(default_factory=PrivacyCost)
    releases: int = 0
    moved: str | None = None

    @property
    def remaining(self) -> PrivacyCost:
        """Return what is left of the budget."""
        return self.budget.remaining(self.spent)


OPENED: Final = Schema(Account, budget=BUDGET, relation=RELATION, unit_rows=WHOLE)
"""The terms of an account that is opened."""
ACCOUNT: Final = Schema(
    Account, **OPENED.parts, spent=COST, releases=WHOLE, moved=if_any(TEXT)
)
"""Everything but the fingerprint."""
_PAID_FOR: Final = several(TEXT)
_MOVED: Final = optional(TEXT)


def account_after(account: Account | None, entry: Entry) -> Account:
    """Return the account that an entry leaves; the first entry opens it.

    Raises:
        UntrustedLedgerError: The entry was damaged.

    """
    try:
        return _after(account, entry)
    except (LookupError, TypeError, ValueError, DPCoreError):
        message = f"entry {entry.sequence} of the ledger cannot be read."
        raise UntrustedLedgerError(message) from None


def _after(account: Account | None, entry: Entry) -> Account:
    content = entry.content
    if account is None:
        return OPENED.read(content, fingerprint=entry.fingerprint)
    if entry.kind is EntryKind.BUDGET:
        moved = _MOVED.read(content.get("moved"))
        return replace(account, budget=BUDGET.read(content["budget"]), moved=moved)
    if entry.kind is EntryKind.RELATION:
        return replace(
            account,
            relation=RELATION.read(content["relation"]),
            unit_rows=WHOLE.read(content["unit_rows"]),
        )
    spent = account.spent + COST.read(content["cost"])
    # The debit of a plan names the releases that it paid for.
    made = len(_PAID_FOR.read(content["plan"])) if "plan" in content else 1
    return replace(account, spent=spent, releases=account.releases + made)
