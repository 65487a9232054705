"""Where the ledger lives: its folder, its key, and connections to its database."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY_BYTES = 32
_BUSY_SECONDS = 30.0


def default_folder() -> Path:
    """Return ``$EPSILON_STUDIO_HOME``, or ``.epsilon-studio`` in the home folder."""
    chosen = os.environ.get("EPSILON_STUDIO_HOME")
    return Path(chosen) if chosen else Path.home() / ".epsilon-studio"


def keyfile(folder: Path) -> bytes:
    """Return the secret key of the folder, 32 bytes; the first call creates it.

    The file appears complete or not at all, also when two processes come first at
    once, because it is linked into place after it is written.

    Raises:
        LedgerError: The file cannot be read or written, or holds no key.

    """
    path = folder / "key"
    try:
        _create_folder(folder)
        if not path.exists():
            draft = folder / f"key-{secrets.token_hex(8)}"
            _create_file(draft, secrets.token_bytes(KEY_BYTES))
            try:
                with contextlib.suppress(FileExistsError):
                    path.hardlink_to(draft)
            finally:
                draft.unlink()
        key = path.read_bytes()
    except OSError as error:
        message = f"the key of the ledger cannot be used: {error.strerror}."
        raise LedgerError(message) from None
    if len(key) != KEY_BYTES:
        message = (
            f"the key of the ledger must have {KEY_BYTES} bytes, got {len(key)}. "
            "Restore it from a backup; a new key starts new accounts."
        )
        raise LedgerError(message)
    return key


class FileDatabase:
    """An SQLite file that only its owner may read, with one connection a use."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            _create_folder(path.parent)
            with contextlib.suppress(FileExistsError):
                _create_file(path, b"")
        except OSError as error:
            message = f"the ledger cannot be created: {error.strerror}."
            raise LedgerError(message) from None

    @contextlib.contextmanager
    def connect(self) -> Iterator[sqlite3.Connection]:
        """Open a connection whose commits survive a crash and a power cut."""
        connection = sqlite3.connect(
            self._path, timeout=_BUSY_SECONDS, isolation_level=None
        )
        with contextlib.closing(connection):
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            yield connection


class MemoryDatabase:
    """A database that dies with this object; its users take turns."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        self._turn = threading.RLock()

    @contextlib.contextmanager
    def connect(self) -> Iterator[sqlite3.Connection]:
        """Wait for the only connection and use it."""
        with self._turn:
            yield self._connection

    def __del__(self) -> None:
        self._connection.close()


def _create_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _create_file(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
