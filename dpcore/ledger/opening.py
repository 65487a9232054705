"""How a ledger is opened, on a server or in a file, and read once while a page is drawn."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from dpcore.errors import LedgerError
from dpcore.ledger.account import Account
from dpcore.ledger.chain import EntryTable, LedgerEntry
from dpcore.ledger.checkpoint import Checkpoint
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.store import stored_key
from dpcore.releases.record import Release

if TYPE_CHECKING:
    from dpcore.ledger.server import ServerLedger

_MISSING = (
    "EPSILON_STUDIO_LEDGER names a server, and the packages that speak to it are not "
    "installed. Install epsilon-studio[postgresql], or requirements-postgresql.txt."
)


def address() -> str:
    """Return the address of the ledger's server, empty where a file holds it.

    It is ``$EPSILON_STUDIO_LEDGER``, and may hold a password: it is not to be shown.
    """
    return os.environ.get("EPSILON_STUDIO_LEDGER", "").strip()


def on_server(where: str, folder: Path) -> ServerLedger:
    """Return the ledger at an address; the key lies in the folder.

    It keeps its connections: close it, or keep it.

    Raises:
        LedgerError: The address is none of PostgreSQL, or packages are missing.

    """
    try:
        from dpcore.ledger.server import ServerLedger  # noqa: PLC0415 - only where it is asked for
    except ImportError:
        raise LedgerError(_MISSING) from None
    return ServerLedger.of(where, folder)


_T = TypeVar("_T")


class ReadOnceLedger(Ledger):
    """A view of a ledger for one thread, in which the same look is not taken twice.

    It sees what is written through it, and of what others write only what it has not
    looked at before. Charges are checked by the ledger itself, which reads it anew.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: dict[tuple[Hashable, ...], object] = {}

    def account(self, fingerprint: str) -> Account | None:
        return self._once(super().account, fingerprint)

    def accounts(self) -> tuple[Account, ...]:
        return self._once(super().accounts)

    def stored(self, request: str) -> Release | None:
        return self._once(super().stored, request)

    def releases(self, fingerprint: str) -> tuple[Release, ...]:
        return self._once(super().releases, fingerprint)

    def draws(self, fingerprint: str, analysis: str) -> int:
        return self._once(super().draws, fingerprint, analysis)

    def history(self, fingerprint: str) -> tuple[LedgerEntry, ...]:
        return self._once(super().history, fingerprint)

    def descriptions(self) -> tuple[LedgerEntry, ...]:
        return self._once(super().descriptions)

    def key(self, folder: Path) -> bytes | None:
        """Return the secret key of a folder (``stored_key``)."""
        return self._once(stored_key, folder)

    def forget(self) -> None:
        """Read everything anew: the ledger was written to in another way."""
        self._known.clear()

    def _state(self) -> Checkpoint:
        return self._once(super()._state)

    def _once(self, look: Callable[..., _T], *about: Hashable) -> _T:
        name = (look.__name__, *about)
        if name not in self._known:
            self._known[name] = look(*about)
        return cast("_T", self._known[name])

    def _read(
        self, *, whole: bool = False
    ) -> AbstractContextManager[tuple[EntryTable, Checkpoint]]:
        return self._ledger._read(whole=whole)  # noqa: SLF001 - of the same class

    @contextlib.contextmanager
    def _write(self) -> Iterator[tuple[EntryTable, Checkpoint]]:
        try:
            with self._ledger.transaction() as (entries, state):
                yield entries, state
        finally:
            self.forget()
