"""Small public files kept for when their table comes again: one for each name.

Each holds what a person typed, such as a plan, and nothing computed from the table.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

from dpcore.errors import LedgerError

LARGEST: Final = 1 << 20
"""Bytes of the largest file that is read."""


class Kept:
    """The files of a folder, by name. A file appears as a whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, name: str, text: str) -> None:
        """Keep a text in the place of the one before of the same name.

        Raises:
            LedgerError: The folder cannot be written to.

        """
        draft = self._folder / f"draft-{secrets.token_hex(8)}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(text.encode())
                draft.replace(self._path(name))
            finally:
                draft.unlink(missing_ok=True)
        except OSError as error:
            raise LedgerError(f"what was typed cannot be kept: {error.strerror}.") from None

    def of(self, name: str) -> bytes | None:
        """Return the text of a name as it was kept, if there is one."""
        path = self._path(name)
        try:
            return path.read_bytes() if path.stat().st_size <= LARGEST else None
        except OSError:
            return None

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"
