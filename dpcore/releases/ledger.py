"""The privacy ledger: who may still ask what, and every answer that was given.

The file holds keyed fingerprints, public parameters and sanitized values, and nothing
else about a table.
"""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Self

from dpcore.budget import PrivacyCost
from dpcore.errors import BudgetExceeded, DataError, LedgerError, ParameterError
from dpcore.releases import chain
from dpcore.releases.account import TERMS, Account, account_from
from dpcore.releases.chain import Entry, EntryKind
from dpcore.releases.identity import canonical
from dpcore.releases.record import Release
from dpcore.releases.storage import FileDatabase, MemoryDatabase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dpcore.budget import PrivacyBudget
    from dpcore.relations import NeighboringRelation


class Ledger:
    """A ledger of privacy budgets in one SQLite file.

    Several threads and processes may use it at once. Every method raises LedgerError if
    it cannot be read or written.
    """

    def __init__(self, database: FileDatabase | MemoryDatabase) -> None:
        self._database = database
        with self._write() as connection:
            chain.prepare(connection)

    @classmethod
    def at(cls, path: Path) -> Self:
        """Open the ledger file, or create it for its owner only (mode 0600)."""
        return cls(FileDatabase(path))

    @classmethod
    def in_memory(cls) -> Self:
        """Return an empty ledger that lives as long as the object."""
        return cls(MemoryDatabase())

    def open_account(
        self,
        fingerprint: str,
        budget: PrivacyBudget,
        relation: NeighboringRelation,
        unit_rows: int = 1,
    ) -> Account:
        """Return the account of a table; the first call sets its terms.

        A later call returns the account as it stands, whatever terms it names.
        """
        with self._write() as connection:
            account = _account(connection, fingerprint)
            if account is not None:
                return account
            chain.append(
                connection,
                fingerprint=fingerprint,
                kind=EntryKind.ACCOUNT,
                body=canonical(
                    {
                        "budget": budget.to_json(),
                        "relation": relation.value,
                        "unit_rows": unit_rows,
                    }
                ),
            )
            return _open_account(connection, fingerprint)

    def account(self, fingerprint: str) -> Account | None:
        """Return the account of a table, ``None`` if it has none."""
        with self._read() as connection:
            return _account(connection, fingerprint)

    def change_budget(
        self, fingerprint: str, budget: PrivacyBudget, reason: str
    ) -> Account:
        """Replace the cap; the change and its reason stay in the chain."""
        if not reason.strip():
            message = "a change of the budget needs a reason."
            raise ParameterError(message)
        with self._write() as connection:
            account = _open_account(connection, fingerprint)
            if not budget.admits(account.spent, PrivacyCost.of()):
                message = (
                    f"{budget.caption(account.spent)} is spent already, and cannot be "
                    "taken back. The budget cannot be less than that."
                )
                raise ParameterError(message)
            chain.append(
                connection,
                fingerprint=fingerprint,
                kind=EntryKind.BUDGET,
                body=canonical({"budget": budget.to_json(), "reason": reason}),
            )
            return _open_account(connection, fingerprint)

    def change_relation(
        self, fingerprint: str, relation: NeighboringRelation, unit_rows: int
    ) -> Account:
        """Replace the neighboring relation and the unit, as long as nothing was spent.

        Raises:
            LedgerError: There are releases: costs under two relations do not add up.

        """
        with self._write() as connection:
            account = _open_account(connection, fingerprint)
            if account.releases:
                message = (
                    f"{account.releases} releases were made for "
                    f"{account.relation.phrase}, and costs under two relations do not "
                    "add up. Keep the relation and the unit of this table."
                )
                raise LedgerError(message)
            chain.append(
                connection,
                fingerprint=fingerprint,
                kind=EntryKind.RELATION,
                body=canonical({"relation": relation.value, "unit_rows": unit_rows}),
            )
            return _open_account(connection, fingerprint)

    def charge(
        self,
        fingerprint: str,
        request: str,
        cost: PrivacyCost,
        compute: Callable[[], Release],
        *,
        unit_rows: int = 1,
    ) -> Release:
        """Return the answer to a request, and spend its cost the first time.

        One transaction checks the budget, writes the debit, draws, and stores the
        answer. A crash before its end leaves neither debit nor answer; after it, the
        same request returns the stored answer at no cost.

        Raises:
            BudgetExceeded: The cost does not fit into what is left.
            LedgerError: There is no account, it is kept for other rows a unit, or
                ``compute`` answered another request.

        """
        with self._write() as connection:
            stored = chain.release_for(connection, request)
            if stored is not None:
                return _release(stored)
            account = _open_account(connection, fingerprint)
            if account.unit_rows != unit_rows:
                message = (
                    f"the account is kept for at most {account.unit_rows} rows a unit, "
                    f"and {unit_rows} were asked for. Keep the terms of this table."
                )
                raise LedgerError(message)
            if not account.budget.admits(account.spent, cost):
                raise BudgetExceeded(_refusal(account, cost))
            chain.append(
                connection,
                fingerprint=fingerprint,
                kind=EntryKind.DEBIT,
                request=request,
                body=canonical({"cost": cost.to_json()}),
            )
            release = compute()
            promised = (request, cost, account.relation)
            if (release.id, release.cost, release.relation) != promised:
                message = "the answer has another request, cost or relation than asked."
                raise LedgerError(message)
            chain.append(
                connection,
                fingerprint=fingerprint,
                kind=EntryKind.RELEASE,
                request=request,
                body=release.to_json(),
            )
            return release

    def stored(self, request: str) -> Release | None:
        """Return the answer that was given to a request, ``None`` if there is none."""
        with self._read() as connection:
            entry = chain.release_for(connection, request)
            return None if entry is None else _release(entry)

    def releases(self, fingerprint: str) -> tuple[Release, ...]:
        """Return all answers about a table, in the order in which they were given."""
        with self._read() as connection:
            entries = chain.entries_of(connection, fingerprint, EntryKind.RELEASE)
            return tuple(_release(entry) for entry in entries)

    def draws(self, fingerprint: str, analysis: str) -> int:
        """Return how many answers the same analysis has had so far."""
        with self._read() as connection:
            entries = chain.entries_of(connection, fingerprint, EntryKind.DEBIT)
            return sum(
                (entry.request or "").rpartition("-")[0] == analysis
                for entry in entries
            )

    def history(self, fingerprint: str) -> tuple[Entry, ...]:
        """Return every entry of the account in order."""
        with self._read() as connection:
            return chain.entries_of(connection, fingerprint)

    def verify(self) -> None:
        """Follow the whole chain; LedgerError names the first broken entry."""
        with self._read() as connection:
            chain.verify(connection)

    @contextlib.contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._database.connect() as connection:
                yield connection
        except sqlite3.Error as error:
            message = f"the ledger cannot be used: {error}."
            raise LedgerError(message) from None

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._read() as connection:
            connection.execute("BEGIN IMMEDIATE")  # one writer at a time, from here on
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()


def _account(connection: sqlite3.Connection, fingerprint: str) -> Account | None:
    return account_from(chain.entries_of(connection, fingerprint, *TERMS))


def _open_account(connection: sqlite3.Connection, fingerprint: str) -> Account:
    account = _account(connection, fingerprint)
    if account is None:
        message = "the table has no account in the ledger. Set its budget first."
        raise LedgerError(message)
    return account


def _release(entry: Entry) -> Release:
    try:
        return Release.from_json(entry.body)
    except DataError as error:
        message = f"entry {entry.sequence} of the ledger cannot be read: {error}"
        raise LedgerError(message) from None


def _refusal(account: Account, cost: PrivacyCost) -> str:
    budget = account.budget
    return (
        f"the release costs {budget.caption(cost)}, but only "
        f"{budget.caption(account.remaining)} is left of {budget.describe()}. "
        "Lower its cost, use an earlier answer again, or raise the budget, "
        "which the ledger records."
    )
