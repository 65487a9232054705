"""Which accounts a table may belong to, and putting it under one of them.

Whether two tables are about the same people is for a person to say. What is compared to
ask the right question is public: the names of the columns, and the names of the files.
Nothing in the tables is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dpcore.analyses.identity import canonical
from dpcore.codec import TEXT, several
from dpcore.errors import LedgerError, UntrustedLedgerError
from dpcore.formatting import people
from dpcore.ledger.account import Account, name_in
from dpcore.ledger.chain import EntryKind, EntryTable, LedgerEntry
from dpcore.ledger.ledger import Ledger, opened
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation

_ALIKE = 0.5
_LONGEST_NAME = 200
_COLUMNS: Final = several(TEXT)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What tells tables apart without a look into them. PUBLIC.

    Attributes:
        name: What the file is called.
        columns: The names of the columns.

    """

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How a table resembles one that an account was used for.

    Attributes:
        account: The account.
        name: What the file of its table was called; empty where that was not kept.
        shared: How many columns have names that both tables have.
        columns: How many names of columns there are in one or the other.
        same_name: Whether the files are called alike, but for numbers.

    """

    account: Account
    name: str
    shared: int
    columns: int
    same_name: bool

    @property
    def alike(self) -> bool:
        """Return whether it is likely that the people are the same."""
        return bool(self.shared) and (self.same_name or self.shared >= _ALIKE * self.columns)


def likenesses(
    ledger: Ledger, about: Description, same_columns: Iterable[str] = ()
) -> tuple[Likeness, ...]:
    """Return how a table resembles each account of a ledger, the most alike first.

    Args:
        ledger: Where the accounts are.
        about: What is compared.
        same_columns: Fingerprints of tables that have the same columns. It stands in
            where an account was opened before tables were described.

    Returns:
        The best likeness for each account that has any description.

    """
    accounts = {account.name: account for account in ledger.accounts()}
    found: dict[str, Likeness] = {}
    known = {*same_columns}
    for name, account in accounts.items():
        if not account.tables and name in known:
            columns = len({*about.columns})
            found[name] = Likeness(
                account=account, name="", shared=columns, columns=columns, same_name=False
            )
    for entry in ledger.descriptions():
        name = name_in(entry)
        if name in accounts:
            one = _likeness(accounts[name], entry, about)
            if name not in found or _order(one) >= _order(found[name]):
                found[name] = one
    # The sort is stable: of several that are alike, the account opened last is first.
    latest = [found[name] for name in reversed(accounts) if name in found]
    return tuple(sorted(latest, key=_order, reverse=True))


def may_have_account(ledger: Ledger, header: Iterable[str]) -> bool:
    """Return whether a table with these columns may have an account, by its descriptions.

    Only where every table that has one shares no column with it, it surely has none.
    """
    names = {*header}
    columns = {entry.fingerprint: _described(entry).columns for entry in ledger.descriptions()}
    return any(
        table not in columns or names.intersection(columns[table])
        for account in ledger.accounts()
        for table in account.fingerprints
    )


def _likeness(account: Account, entry: LedgerEntry, about: Description) -> Likeness:
    other = _described(entry)
    mine, columns = {*about.columns}, {*other.columns}
    return Likeness(
        account=account,
        name=other.name,
        shared=len(mine & columns),
        columns=len(mine | columns),
        same_name=words(other.name) == words(about.name) != frozenset(),
    )


def _described(entry: LedgerEntry) -> Description:
    try:
        columns = _COLUMNS.read(entry.content["columns"])
        return Description(name=TEXT.read(entry.content["name"]), columns=tuple(columns))
    except (LookupError, TypeError):
        raise UntrustedLedgerError(
            f"entry {entry.sequence} of the ledger cannot be read."
        ) from None


def _order(one: Likeness) -> tuple[bool, float, bool]:
    return one.alike, one.shared / max(one.columns, 1), one.same_name


def words(name: str) -> frozenset[str]:
    """Return the words of a file's name, without its ending, numbers and quarters.

    >>> words("Pay_2026-Q4.csv") == words("pay Q3 2026.csv")
    True
    """
    stem = re.sub(r"\.\w{1,4}$", "", name)
    return frozenset(word.casefold() for word in _WORD.findall(stem))


def describe(ledger: Ledger, fingerprint: str, about: Description) -> None:
    """Note what the first table of an account is called, and its columns, once.

    Raises:
        LedgerError: It has no account.

    """
    account = ledger.account(fingerprint)
    if account is not None and _is_described(account, fingerprint):
        return
    with ledger.transaction() as (entries, state):
        account = state.account(fingerprint)
        if account is None:
            raise LedgerError("the table has no account in the ledger. Set its budget first.")
        if not _is_described(account, fingerprint):
            put_under(entries, fingerprint, account.name, about)


def open_account(
    ledger: Ledger,
    fingerprint: str,
    budget: PrivacyBudget,
    relation: NeighboringRelation,
    unit_rows: int,
    about: Description,
    *,
    others: Iterable[str] = (),
) -> None:
    """Open the account of a table, and note what it is called, in one transaction.

    ``others`` are the accounts of which it was said that their people are others.
    """
    with ledger.transaction() as (entries, state):
        account = opened(entries, state, fingerprint, budget, relation, unit_rows)
        if not _is_described(account, fingerprint):
            put_under(entries, fingerprint, account.name, about, others)


def join(
    ledger: Ledger,
    fingerprint: str,
    name: str,
    about: Description,
    *,
    relation: NeighboringRelation,
    unit_rows: int,
) -> None:
    """Put a table under an account, because it is about the same people.

    From now on its answers are paid from there. What was spent, and every limit, stay
    as they are. An account of its own, of which nothing was spent, is given up.

    Args:
        ledger: Where the account is.
        fingerprint: The table.
        name: The account.
        about: What the table is called, and its columns.
        relation: Which tables count as neighbors, as declared for the table.
        unit_rows: How many rows one unit may own, as declared for it.

    Raises:
        LedgerError: There is no such account, it is kept for other terms, or the table
            has another account, which paid for releases.

    """
    with ledger.transaction() as (entries, state):
        account, own = state.account(name), state.account(fingerprint)
        if account is None:
            raise LedgerError("the account of these people is not in the ledger any more.")
        if own is not None and own.name == account.name:
            return
        if own is not None and not _is_unused(own, fingerprint):
            raise LedgerError(_TWO_ACCOUNTS)
        if (account.relation, account.unit_rows) != (relation, unit_rows):
            raise LedgerError(
                f"the account of these people uses {account.relation.label} and at most "
                f"{people(account.unit_rows, 'row')} of one person. Choose the same for "
                "this table, because costs under other terms cannot be added."
            )
        put_under(entries, fingerprint, account.name, about)


_TWO_ACCOUNTS = (
    "this table has an account of its own, which paid for releases. Two accounts about "
    "the same people cannot be joined: what a person has spent in both is on "
    "Budget."
)


def _is_described(account: Account, fingerprint: str) -> bool:
    return any(table.fingerprint == fingerprint for table in account.tables)


def _is_unused(account: Account, fingerprint: str) -> bool:
    alone = account.fingerprints == (fingerprint,)
    return account.is_unused and alone and account.moved is None and account.closed is None


def put_under(
    entries: EntryTable,
    fingerprint: str,
    account: str,
    about: Description,
    others: Iterable[str] = (),
) -> None:
    """Write that a table is about the people of an account, and how it is described."""
    body: dict[str, object] = {
        "account": account,
        "name": about.name[:_LONGEST_NAME],
        "columns": [*about.columns],
    }
    if apart := sorted(others):
        body["others"] = apart
    entries.append(fingerprint=fingerprint, kind=EntryKind.TABLE, body=canonical(body))


def carry_tables(entries: EntryTable, account: Account) -> None:
    """Put the tables of an account under it in a ledger that was begun anew.

    Their columns are not known any more.
    """
    for table in account.tables:
        about = Description(name=table.name, columns=())
        put_under(entries, table.fingerprint, account.name, about)
