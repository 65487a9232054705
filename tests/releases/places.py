"""Where a ledger of the tests is: in a file, or on a server that machines share."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from dpcore.ledger.ledger import Ledger
from dpcore.ledger.opening import on_server
from dpcore.ledger.server import ServerLedger
from dpcore.ledger.store import keyfile


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place that several machines open a ledger at.

    ``home`` is the folder of the first; without an ``address`` all of them use it.
    """

    home: Path
    address: str = ""
    _ledgers: list[Ledger] = field(default_factory=list)

    def opening(self, machine: int = 0) -> str:
        """Return what ``opened`` makes a ledger of, in another process, too."""
        if not self.address:
            return str(self.home / "ledger.sqlite3")
        home = self.home.with_name(f"home-{machine}")
        if machine:
            home.mkdir(exist_ok=True)
            keyfile(self.home)
            shutil.copy(self.home / "key", home)
        return f"{self.address} {home if machine else self.home}"

    def ledger(self, machine: int = 0) -> Ledger:
        self._ledgers.append(opened(self.opening(machine)))
        return self._ledgers[-1]

    def close(self) -> None:
        for ledger in self._ledgers:
            if isinstance(ledger, ServerLedger):
                ledger.close()


def opened(opening: str) -> Ledger:
    """Return the ledger at a place."""
    if opening.startswith("postgresql:"):
        address, _, home = opening.partition(" ")
        return on_server(address, Path(home))
    return Ledger.at(Path(opening))
