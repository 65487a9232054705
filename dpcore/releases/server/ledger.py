"""A ledger on a server that several machines share.

Entries and checkpoint are written in one transaction, so that the chain never goes on
beyond the checkpoint: nobody without the key can add to it. The key never goes there:
it stays in the folder of each machine, and the curator moves it. Each machine remembers
besides how far it saw the chain, so that it notices an older copy of the tables.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Self

from dpcore.errors import LedgerError, UntrustedLedgerError
from dpcore.releases import hash_chain, turns
from dpcore.releases.checkpoint import Checkpoint, Tally, followed
from dpcore.releases.hash_chain import Entry, EntryKind, EntryTable
from dpcore.releases.identity import canonical
from dpcore.releases.ledger import Ledger
from dpcore.releases.renewal import carry, require_reason
from dpcore.releases.server.database import BUSY, ServerDatabase, explained
from dpcore.releases.server.entries import ServerEntries
from dpcore.releases.server.memory import Memory
from dpcore.releases.storage import keyfile, stored_key

_PATIENCE = 10.0
"""Seconds to wait for another writer before a charge is refused."""


class ServerLedger(Ledger):
    """A ledger in a database of PostgreSQL, with the key in a folder of this machine.

    Looking creates nothing; the first entry creates the tables.
    """

    def __init__(self, database: ServerDatabase, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._memory = Memory(folder=folder, server=database.name)

    @classmethod
    def of(cls, address: str, folder: Path) -> Self:
        """Return the ledger at an address, ``postgresql://user:password@host/name``.

        Raises:
            LedgerError: The address is none of PostgreSQL.

        """
        return cls(ServerDatabase(address), folder)

    def close(self) -> None:
        """Close all connections that nobody uses."""
        self._database.close()

    def begin_anew(self, *, reason: str, now: datetime) -> None:
        """Put new tables in the place of those that cannot be trusted, on record.

        What is still known to be spent is carried over, as in ``renewal``; the tables
        of before stay under other names. All of it is one transaction.

        Raises:
            LedgerError: The ledger is in order, or cannot be written.
            ParameterError: No reason is given.

        """
        require_reason(reason)
        found = self._fault()
        mark = f"set_aside_{now:%Y%m%dt%H%M%S%fz}"
        with explained():
            known = self._salvaged()
            with self._turn(), self._database.writing(_PATIENCE) as entries:
                entries.set_aside(mark)
                hash_chain.prepare(entries)
                body = {"found": found, "reason": reason, "kept": mark}
                hash_chain.append(
                    entries,
                    fingerprint="",
                    kind=EntryKind.ANEW,
                    body=canonical(body | {"length": known.length}),
                )
                for account in known.every_account():
                    carry(entries, account)
                state = followed(entries, Checkpoint(), (), whole=True)
                entries.keep(state.sealed(keyfile(self._folder)))
        self._memory.keep(state)

    @contextlib.contextmanager
    def _read(self, *, whole: bool = False) -> Iterator[tuple[EntryTable, Checkpoint]]:
        with explained(), self._database.reading() as entries:
            state = self._checked(entries, whole=whole)
            yield entries, state
        self._memory.keep(state)

    @contextlib.contextmanager
    def _write(self) -> Iterator[tuple[EntryTable, Checkpoint]]:
        with self._turn():
            with explained(), self._database.writing(_PATIENCE) as entries:
                state = self._checked(entries)
                hash_chain.prepare(entries)
                yield entries, state
                state = followed(entries, state, (), whole=False)
                entries.keep(state.sealed(keyfile(self._folder)))
            self._memory.keep(state)

    def _turn(self) -> AbstractContextManager[None]:
        return self._database.turns.taken(turns.PATIENCE, BUSY)

    def _checked(self, entries: ServerEntries, *, whole: bool = False) -> Checkpoint:
        """Return where the chain stands: at the sealed checkpoint, and not beyond."""
        memory = self._remembered()
        sealed = self._sealed(entries, memory)
        try:
            state = followed(entries, memory or sealed, (), whole=whole)
        except UntrustedLedgerError as error:
            if not self._begun_anew_since(entries, memory):
                raise UntrustedLedgerError(_of_a_server(error)) from None
            state = followed(entries, sealed, (), whole=True)
        if sealed is not None and (state.length, state.head) != (sealed.length, sealed.head):
            raise UntrustedLedgerError(_UNSEALED)
        return sealed or state

    def _remembered(self) -> Checkpoint | None:
        try:
            return self._memory.read()
        except UntrustedLedgerError:
            raise LedgerError(_OTHER_KEY) from None

    def _sealed(self, entries: ServerEntries, memory: Checkpoint | None) -> Checkpoint | None:
        """Return the checkpoint of the server, ``None`` if there is none."""
        text = entries.checkpoint()
        if text is None and entries.format():
            raise UntrustedLedgerError(_CHANGED)
        if text is None:
            return None
        key = stored_key(self._folder)
        try:
            return Checkpoint.unsealed(text, key or b"")
        except UntrustedLedgerError:
            # With a memory that the key seals, it is not the key that is another one.
            if key is None or memory is None:
                raise LedgerError(_OTHER_KEY) from None
            raise UntrustedLedgerError(_CHANGED) from None

    def _begun_anew_since(self, entries: ServerEntries, memory: Checkpoint | None) -> bool:
        """Tell whether another machine began anew, and knew all that this one saw."""
        if memory is None:
            return False
        first: Entry | None = next(hash_chain.walk(entries), None)
        if first is None or first.kind is not EntryKind.ANEW:
            return False
        length = first.content.get("length")
        return isinstance(length, int) and length >= memory.length

    def _fault(self) -> str:
        try:
            self.verify()
        except UntrustedLedgerError as error:
            return str(error)
        raise LedgerError("the ledger is in order. There is nothing to begin anew.")

    def _salvaged(self) -> Checkpoint:
        """Return what is still known of the accounts."""
        known = self._remembered()
        with contextlib.suppress(LedgerError), explained(), self._database.reading() as entries:
            sealed = self._sealed(entries, known)
            if sealed and (known is None or sealed.length > known.length):
                known = sealed
        tally = Tally(known or Checkpoint())
        with contextlib.suppress(LedgerError), explained(), self._database.reading() as entries:
            tally.follow(entries, whole=known is None)
        return tally.reached(())


def _of_a_server(error: UntrustedLedgerError) -> str:
    said = str(error).removesuffix(hash_chain.WAY_ON)
    return said.replace("The file was", "The tables were") + _WAY_ON


_WAY_ON = "Put back a copy of its tables on the server, or begin anew, on record."
_UNSEALED = (
    "entries of the ledger on the server were added or removed by somebody without its "
    f"key. {_WAY_ON}"
)
_CHANGED = f"the checkpoint of the ledger on the server was changed. {_WAY_ON}"
_OTHER_KEY = (
    "the ledger on the server was sealed with another key than the one of this "
    "machine. Copy the file “key” from a machine that uses this ledger to the folder "
    "of this one (EPSILON_STUDIO_HOME), by a way that you trust, and use the table "
    "again on Data. Nothing was charged."
)
