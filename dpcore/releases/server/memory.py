"""What one machine remembers of a ledger on a server: the last checkpoint it saw."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from dpcore.errors import LedgerError
from dpcore.releases.checkpoint import Checkpoint
from dpcore.releases.storage import REMEMBERED, explained, stored_key, write_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A file of its own in the folder of the key, for each server.

    An older copy of the server's tables lacks what this machine has seen since.

    Attributes:
        folder: Where the key lies.
        server: Name of the server's database.

    """

    folder: Path
    server: str

    def read(self) -> Checkpoint | None:
        """Return the last checkpoint that was seen; ``None`` if there is none.

        Raises:
            LedgerError: The folder cannot be read.
            UntrustedLedgerError: It was changed, or the key was.

        """
        with explained():
            key = stored_key(self.folder)
            text = b""
            with contextlib.suppress(FileNotFoundError):
                text = self._path.read_bytes()
            return Checkpoint.unsealed(text, key) if key and text else None

    def keep(self, seen: Checkpoint) -> None:
        """Remember a checkpoint, if it is not remembered already.

        Where the folder cannot be written, what was remembered before stays: what was
        charged on the server is charged, and may be looked at.
        """
        with contextlib.suppress(LedgerError), explained():
            key = stored_key(self.folder)
            if key is not None and seen.length and self.read() != seen:
                write_whole(self._path, seen.sealed(key))

    @property
    def _path(self) -> Path:
        return self.folder / f"{REMEMBERED}{self.server}"
