"""Plans kept for when their table comes again: one small file for each account.

A plan is public: it holds what a person typed, and nothing computed from the table.
"""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from dpcore.errors import LedgerError
from dpcore.planning.files import LARGEST

if TYPE_CHECKING:
    from pathlib import Path


class Plans:
    """The plans in a folder, by account. A file appears as a whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, account: str, text: str) -> None:
        """Keep the plan of an account in the place of the one before.

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
                draft.replace(self._path(account))
            finally:
                draft.unlink(missing_ok=True)
        except OSError as error:
            message = f"the plan cannot be kept: {error.strerror}."
            raise LedgerError(message) from None

    def of(self, account: str) -> bytes | None:
        """Return the plan of an account as it was kept, if there is one."""
        path = self._path(account)
        try:
            return path.read_bytes() if path.stat().st_size <= LARGEST else None
        except OSError:
            return None

    def _path(self, account: str) -> Path:
        return self._folder / f"{account}.json"
