"""Where the ledger lives: its folder, key and checkpoint, and its database."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from dpcore.errors import LedgerError, UntrustedLedgerError
from dpcore.ledger.chain import SqliteEntries
from dpcore.ledger.checkpoint import Checkpoint

KEY_BYTES = 32
LEDGER = "ledger.sqlite3"
_KEY, _CHECKPOINT, _DRAFT = "key", "checkpoint", "checkpoint.new"
REMEMBERED = "checkpoint-of-"
"""How the names of files begin that remember a ledger on a server."""
_LOOKING_SECONDS = 1.0
_BYTES = getattr(os, "O_BINARY", 0)
_PART = 1 << 20
_RESTORE_KEY = "Put back a copy of the key, or start a new ledger, on record."


def default_folder() -> Path:
    """Return ``$EPSILON_STUDIO_HOME``, or ``.epsilon-studio`` in the home folder."""
    chosen = os.environ.get("EPSILON_STUDIO_HOME")
    return Path(chosen) if chosen else Path.home() / ".epsilon-studio"


def keyfile(folder: Path) -> bytes:
    """Return the secret key of the folder, 32 bytes; the first call creates it.

    Raises:
        LedgerError: The file cannot be read or written.
        UntrustedLedgerError: It holds no key, or is gone while there is a ledger.

    """
    return stored_key(folder) or create_key(folder)


def stored_key(folder: Path) -> bytes | None:
    """Return the secret key of the folder, ``None`` before the first ledger.

    Raises:
        LedgerError: The file cannot be read.
        UntrustedLedgerError: It holds no key, or is gone while there is a ledger.

    """
    key = _read_key(folder)
    # Another process may have made both since: a ledger has its key before it is there.
    if key is None and _is_used(folder) and (key := _read_key(folder)) is None:
        raise UntrustedLedgerError(f"the key of the ledger is gone. {_RESTORE_KEY}")
    if key is not None and len(key) != KEY_BYTES:
        raise UntrustedLedgerError(
            f"the key of the ledger must have {KEY_BYTES} bytes, got {len(key)}. {_RESTORE_KEY}"
        )
    return key


def _read_key(folder: Path) -> bytes | None:
    with _key_errors(), contextlib.suppress(FileNotFoundError):
        return _content(folder / _KEY)
    return None


def create_key(folder: Path) -> bytes:
    """Return the key of the folder, made now unless somebody else was first.

    The file appears complete or not at all, also when two processes come first at
    once, because it is linked into place after it is written.

    Raises:
        LedgerError: The file cannot be written.

    """
    path = folder / _KEY
    with _key_errors():
        create_folder(folder)
        draft = folder / f"key-{secrets.token_hex(8)}"
        _create_file(draft, secrets.token_bytes(KEY_BYTES))
        try:
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(draft)
        finally:
            draft.unlink()
        return path.read_bytes()


PATIENCE = 30.0
"""Seconds in the queue after which a release is refused."""
MANY = "many releases are waiting for the ledger. Nothing was charged. Try again in a moment."


class Turns:
    """The queue of the threads that want to write to one ledger: first come, first served.

    A database lets its waiting writers in by chance. One writer of a process at a time
    asks it, so that nobody of the others is passed.

    Attributes:
        seen: How the file of the ledger looked when this process last found it right,
            or left it.
        connection: What the turn before wrote through, open for the next one.

    """

    def __init__(self) -> None:
        self.seen: tuple[int, ...] = ()
        self.connection: sqlite3.Connection | None = None
        self._guard = threading.Lock()
        self._queue: deque[threading.Event] = deque()
        self._is_outside = False

    @property
    def is_awaited(self) -> bool:
        """Return whether another thread waits for the end of this turn."""
        return len(self._queue) > 1

    @contextlib.contextmanager
    def taken(self, patience: float, busy: str) -> Iterator[None]:
        """Wait for a turn, and take it.

        Args:
            patience: How many seconds to wait; 0 takes a turn only if it is free.
            busy: What is said where the thread in front waits for another program.

        Raises:
            LedgerError: The turn did not come in that time.

        """
        turn = threading.Event()
        with self._guard:
            if self._queue and patience <= 0:
                raise LedgerError(MANY)  # so that nobody in front is awaited by it
            self._queue.append(turn)
            if self._queue[0] is turn:
                turn.set()
        try:
            if not turn.wait(patience):
                raise LedgerError(busy if self._is_outside else MANY)
            yield
        finally:
            with self._guard:
                self._queue.remove(turn)
                if self._queue:
                    self._queue[0].set()
                else:
                    self.close()

    def close(self) -> None:
        """Close what the turn before has left open."""
        left, self.connection = self.connection, None
        if left is not None:
            left.close()

    @contextlib.contextmanager
    def outside(self) -> Iterator[None]:
        """Note that the thread whose turn it is waits for another program."""
        self._is_outside = True
        try:
            yield
        finally:
            self._is_outside = False


@cache
def turns_at(place: str) -> Turns:
    """Return the queue before the ledger at a place; there is one in a process."""
    del place
    return Turns()


class FileDatabase:
    """An SQLite file that only its owner may read, with one connection a use.

    Beside it lie the key and the checkpoint.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.turns = turns_at(str(path.absolute()))

    @property
    def look(self) -> tuple[int, ...]:
        """Return what changes whenever anybody writes to the file.

        The log beside it counts as long as something is in it.
        """
        parts: list[int] = []
        for path in (self.path, self.log):
            with contextlib.suppress(FileNotFoundError):
                found = path.stat()
                if found.st_size:
                    parts += [found.st_ino, found.st_size, found.st_mtime_ns]
        return tuple(parts)

    @property
    def log(self) -> Path:
        """Return the file of what is written and not yet part of the database."""
        return self.path.with_name(f"{self.path.name}-wal")

    @contextlib.contextmanager
    def reading(self) -> Iterator[SqliteEntries]:
        """See the database as it is at one moment; no lock is taken or waited for.

        A file that is not there, or holds nothing, is seen as an empty database.
        """
        if not self.look:
            with contextlib.closing(sqlite3.connect(":memory:")) as empty:
                yield SqliteEntries(empty)
            return
        mode = "mode=ro"
        if not os.access(self.path.parent, os.W_OK):
            # SQLite cannot put its files beside this one, and nobody else writes it.
            mode = "mode=ro&immutable=1"
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{mode}",
            uri=True,
            timeout=_LOOKING_SECONDS,
            isolation_level=None,
        )
        with contextlib.closing(_read_leniently(connection)):
            connection.execute("BEGIN")
            yield SqliteEntries(connection)

    @contextlib.contextmanager
    def writing(self, patience: float) -> Iterator[SqliteEntries]:
        """Open a transaction that no other writer is beside, and commit it at the end.

        What is committed survives a crash and a power cut.

        Args:
            patience: How many seconds to wait for another writer.

        """
        connection, self.turns.connection = self.turns.connection, None
        if connection is None:
            connection = self._connection(patience)
        with contextlib.ExitStack() as stack:
            stack.callback(connection.close)
            with _transaction(connection, self.turns):
                yield SqliteEntries(connection)
            # Closing puts the log into the file, which takes long: the last one does.
            if patience and self.turns.is_awaited:
                stack.pop_all()
                self.turns.connection = connection

    def _connection(self, patience: float) -> sqlite3.Connection:
        """Return a new connection that may write, and create the file before."""
        keyfile(self.path.parent)  # before the ledger: one without a key is refused
        with contextlib.suppress(FileExistsError):
            _create_file(self.path, b"")
        connection = sqlite3.connect(
            self.path, timeout=patience, isolation_level=None, check_same_thread=False
        )
        try:
            with self.turns.outside():
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        except sqlite3.Error:
            connection.close()
            raise
        return _read_leniently(connection)

    def checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint, ``None`` if there is none.

        Raises:
            UntrustedLedgerError: It was changed, or sealed with another key.

        """
        folder = self.path.parent
        key = stored_key(folder)
        if key is None:
            return None
        try:
            text = _content(folder / _CHECKPOINT)
        except FileNotFoundError:
            return None
        return Checkpoint.unsealed(text, key)

    def keep(self, checkpoint: Checkpoint) -> None:
        """Put a checkpoint in the place of the one before, as a whole or not at all.

        The caller holds the only transaction that writes.
        """
        folder = self.path.parent
        draft = folder / _DRAFT
        draft.unlink(missing_ok=True)
        _create_file(draft, checkpoint.sealed(keyfile(folder)))
        draft.replace(folder / _CHECKPOINT)
        _sync_folder(folder)

    def set_aside(self, name: str) -> None:
        """Copy ledger, checkpoint and key, as far as they are there, to a folder.

        A key that is none is removed, and a new one is made where there is none.
        """
        folder = self.path.parent
        aside = folder / name
        create_folder(aside)
        key = folder / _KEY
        for path in (self.path, self.log, folder / _CHECKPOINT, key):
            if path.exists() and path.stat().st_size:
                shutil.copy2(path, aside)
        if key.exists() and key.stat().st_size != KEY_BYTES:
            key.unlink()
        if not key.exists():
            create_key(folder)

    def replace(self, draft: Path) -> None:
        """Put another database in the place of this one.

        The log goes first: SQLite would write it into the new file.
        """
        for path in (self.log, self.path.with_name(f"{self.path.name}-shm")):
            path.unlink(missing_ok=True)
        draft.replace(self.path)
        _sync_folder(self.path.parent)


class MemoryDatabase:
    """A database that dies with this object; its users take turns."""

    look: tuple[int, ...] = ()

    def __init__(self) -> None:
        self._connection = _read_leniently(
            sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        )
        self.turns = Turns()
        self._turn = threading.RLock()
        self._checkpoint = Checkpoint()

    @contextlib.contextmanager
    def reading(self) -> Iterator[SqliteEntries]:
        """Wait for the only connection and use it."""
        with self._turn:
            yield SqliteEntries(self._connection)

    @contextlib.contextmanager
    def writing(self, patience: float) -> Iterator[SqliteEntries]:  # noqa: ARG002 - a turn is short
        """Wait for the only connection, and commit at the end."""
        with self._turn, _transaction(self._connection, self.turns):
            yield SqliteEntries(self._connection)

    def checkpoint(self) -> Checkpoint | None:
        """Return how far the chain was followed."""
        return self._checkpoint

    def keep(self, checkpoint: Checkpoint) -> None:
        """Note how far the chain was followed."""
        self._checkpoint = checkpoint

    def __del__(self) -> None:
        self._connection.close()


def create_folder(folder: Path) -> None:
    """Create a folder for its owner only, unless it is there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextlib.contextmanager
def file_errors() -> Iterator[None]:
    """Say in plain words what keeps a ledger from being used, as LedgerError."""
    try:
        yield
    except sqlite3.Error as error:
        # Its lower eight bits name the kind.
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF in _FOREIGN:
            raise UntrustedLedgerError(_FOREIGN[code & 0xFF]) from None
        if code == sqlite3.SQLITE_IOERR_SHMSIZE:  # SQLite's file of locks has no room.
            code = sqlite3.SQLITE_FULL
        raise LedgerError(
            _PASSING.get(code & 0xFF, f"the ledger cannot be used: {error}.")
        ) from None
    except OSError as error:
        raise LedgerError(_file_error("folder", error)) from None


_NO_WRITING = (
    "the folder of the ledger cannot be written to. Nothing was charged. Allow it, or "
    "choose another folder with EPSILON_STUDIO_HOME."
)
BUSY = (
    "another program is still writing to the ledger. Nothing was "
    "charged. Try again. If the error persists, close the other program."
)
_PASSING = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_FULL: (
        "the disk that holds the ledger is full. Nothing was charged. Make room, and try again."
    ),
    sqlite3.SQLITE_READONLY: _NO_WRITING,
    sqlite3.SQLITE_CANTOPEN: _NO_WRITING,
    sqlite3.SQLITE_PERM: _NO_WRITING,
}
_FILE_ERRORS = {
    errno.ENOSPC: _PASSING[sqlite3.SQLITE_FULL],
    errno.EDQUOT: _PASSING[sqlite3.SQLITE_FULL],
    errno.EROFS: _NO_WRITING,
}


def _file_error(what: str, error: OSError) -> str:
    otherwise = f"the {what} of the ledger cannot be used: {error.strerror}."
    return _FILE_ERRORS.get(error.errno or 0, otherwise)


_DAMAGED = (
    "the file of the ledger is damaged. Put back a copy of the folder of the ledger, "
    "or start a new ledger, on record."
)
_FOREIGN = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_ERROR: _DAMAGED,  # a table or column is not there
}


@contextlib.contextmanager
def _key_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LedgerError(_file_error("key", error)) from None


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, turns: Turns) -> Iterator[None]:
    with turns.outside():
        connection.execute("BEGIN IMMEDIATE")  # one writer at a time, from here on
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _is_used(folder: Path) -> bool:
    ledger = folder / LEDGER
    if (folder / _CHECKPOINT).exists() or any(folder.glob(f"{REMEMBERED}*")):
        return True
    try:
        return ledger.stat().st_size > 0
    except OSError:
        return False


def _read_leniently(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Let damaged text reach the check of the chain, which names the entry."""
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    return connection


def write_whole(path: Path, content: bytes) -> None:
    """Put a file in the place of the one before, as a whole or not at all."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        _create_file(draft, content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _create_file(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BYTES, 0o600)
    try:
        while content:
            content = content[os.write(descriptor, content) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _content(path: Path) -> bytes:
    """Return the content of a file, in few calls: a thread may lose its turn in each.

    One that others write in the meantime is replaced, and never half written.
    """
    descriptor = os.open(path, os.O_RDONLY | _BYTES)
    try:
        parts = []
        while part := os.read(descriptor, _PART):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """Make a renaming survive a power cut, where the system lets folders be opened."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


LARGEST: Final = 1 << 20
"""Bytes of the largest file that is read."""


class StoredTexts:
    """Public texts in the files of a folder, by name, for when their table comes again.

    Each holds what a person typed, such as a plan, and nothing computed from the table.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, name: str, text: str) -> None:
        """Keep a text in the place of the one before of the same name.

        Raises:
            LedgerError: The folder cannot be written to.

        """
        try:
            create_folder(self._folder)
            write_whole(self._folder / f"{name}.json", text.encode())
        except OSError as error:
            raise LedgerError(f"what was typed cannot be kept: {error.strerror}.") from None

    def read(self, name: str) -> bytes | None:
        """Return the text of a name as it was kept, if there is one."""
        path = self._folder / f"{name}.json"
        try:
            return path.read_bytes() if path.stat().st_size <= LARGEST else None
        except OSError:
            return None
