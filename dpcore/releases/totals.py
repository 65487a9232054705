"""What a person has spent who is in everything: by account, by table and by period.

Costs are added up, as the ledger does when it admits them: that holds whatever was
asked in view of earlier answers, across tables and periods too. Costs under two
relations, or for other rows a unit, do not add up, and are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal

from dpcore.privacy_filter import COST, PrivacyCost
from dpcore.relations import NeighboringRelation
from dpcore.releases import periods
from dpcore.releases.account import Account
from dpcore.releases.hash_chain import Entry, EntryKind
from dpcore.releases.periods import Period

_UP = Context(prec=60, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
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


def together(accounts: Iterable[Account]) -> tuple[Together, ...]:
    """Return the totals over some accounts, one for each kind of terms."""
    kinds: dict[tuple[NeighboringRelation, int], list[Account]] = {}
    for account in accounts:
        kinds.setdefault((account.relation, account.unit_rows), []).append(account)
    return tuple(
        Together(
            relation=relation,
            unit_rows=rows,
            accounts=tuple(members),
            spent=sum((one.spent for one in members), PrivacyCost()),
        )
        for (relation, rows), members in kinds.items()
    )


def by_table(account: Account, history: Iterable[Entry]) -> dict[str, PrivacyCost]:
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


def by_period(account: Account) -> tuple[tuple[Period | None, PrivacyCost], ...]:
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
    parts: list[tuple[Period | None, PrivacyCost]] = [(one, one.spent) for one in leaves]
    return tuple(parts if outside == PrivacyCost() else [(None, outside), *parts])


def _beyond(total: Decimal, part: Decimal) -> Decimal:
    return Decimal() if total <= part else _UP.subtract(total, part)
