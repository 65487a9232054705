"""The account of one table: its terms, and what was spent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpcore.budget import PrivacyBudget, PrivacyCost
from dpcore.errors import DPCoreError, LedgerError
from dpcore.relations import NeighboringRelation
from dpcore.releases.chain import EntryKind
from dpcore.releases.reading import object_in, text_in, whole_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpcore.releases.chain import Entry

TERMS = (EntryKind.ACCOUNT, EntryKind.BUDGET, EntryKind.RELATION, EntryKind.DEBIT)
"""The kinds of entries that ``account_from`` needs."""


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
    spent: PrivacyCost
    releases: int

    @property
    def remaining(self) -> PrivacyCost:
        """Return what is left of the budget."""
        return self.budget.remaining(self.spent)


def account_from(entries: Iterable[Entry]) -> Account | None:
    """Return the account that its entries add up to; ``None`` if there are none.

    Raises:
        LedgerError: An entry was damaged.

    """
    account: Account | None = None
    for entry in entries:
        try:
            account = _after(account, entry)
        except (LookupError, TypeError, ValueError, DPCoreError):
            message = f"entry {entry.sequence} of the ledger cannot be read."
            raise LedgerError(message) from None
    return account


def _after(account: Account | None, entry: Entry) -> Account:
    content = entry.content
    if account is None:
        return Account(
            fingerprint=entry.fingerprint,
            budget=_budget_in(content["budget"]),
            relation=NeighboringRelation(text_in(content["relation"])),
            unit_rows=whole_in(content["unit_rows"]),
            spent=PrivacyCost(),
            releases=0,
        )
    if entry.kind is EntryKind.BUDGET:
        return replace(account, budget=_budget_in(content["budget"]))
    if entry.kind is EntryKind.RELATION:
        return replace(
            account,
            relation=NeighboringRelation(text_in(content["relation"])),
            unit_rows=whole_in(content["unit_rows"]),
        )
    cost = PrivacyCost.from_json(_texts_in(content["cost"]))
    return replace(account, spent=account.spent + cost, releases=account.releases + 1)


def _budget_in(content: object) -> PrivacyBudget:
    return PrivacyBudget.from_json(_texts_in(content))


def _texts_in(content: object) -> dict[str, str]:
    return {name: text_in(part) for name, part in object_in(content).items()}
