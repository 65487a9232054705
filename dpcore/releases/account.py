"""The account of one table: its terms, and what was spent."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dpcore.budget import PrivacyBudget, PrivacyCost
from dpcore.errors import DPCoreError, UntrustedLedgerError
from dpcore.relations import NeighboringRelation
from dpcore.releases.chain import EntryKind
from dpcore.releases.reading import object_in, text_in, whole_in

if TYPE_CHECKING:
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

    """

    fingerprint: str
    budget: PrivacyBudget
    relation: NeighboringRelation
    unit_rows: int
    spent: PrivacyCost = field(default_factory=PrivacyCost)
    releases: int = 0

    @property
    def remaining(self) -> PrivacyCost:
        """Return what is left of the budget."""
        return self.budget.remaining(self.spent)

    def to_json(self) -> dict[str, object]:
        """Return everything but the fingerprint, as JSON content."""
        return {
            "budget": self.budget.to_json(),
            "relation": self.relation.value,
            "unit_rows": self.unit_rows,
            "spent": self.spent.to_json(),
            "releases": self.releases,
        }

    @classmethod
    def from_json(cls, fingerprint: str, content: object) -> Account:
        """Return the account that ``to_json`` wrote."""
        parts = object_in(content)
        return cls(
            fingerprint=fingerprint,
            budget=PrivacyBudget.from_json(parts["budget"]),
            relation=NeighboringRelation(text_in(parts["relation"])),
            unit_rows=whole_in(parts["unit_rows"]),
            spent=PrivacyCost.from_json(parts["spent"]),
            releases=whole_in(parts["releases"]),
        )


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
        return Account(
            fingerprint=entry.fingerprint,
            budget=PrivacyBudget.from_json(content["budget"]),
            relation=NeighboringRelation(text_in(content["relation"])),
            unit_rows=whole_in(content["unit_rows"]),
        )
    if entry.kind is EntryKind.BUDGET:
        return replace(account, budget=PrivacyBudget.from_json(content["budget"]))
    if entry.kind is EntryKind.RELATION:
        return replace(
            account,
            relation=NeighboringRelation(text_in(content["relation"])),
            unit_rows=whole_in(content["unit_rows"]),
        )
    cost = PrivacyCost.from_json(content["cost"])
    return replace(account, spent=account.spent + cost, releases=account.releases + 1)
