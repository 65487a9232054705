"""A PostgreSQL of the tests' own, in a temporary folder, started once a session."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

MISSING = "no PostgreSQL found: run `make postgresql`, or put initdb on the PATH"
_QUIET = (
    "-c listen_addresses='' -c fsync=off -c max_connections=60 -c shared_buffers=16MB "
    "-c log_min_messages=fatal"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A server that only its socket in a folder leads to."""

    programs: Path
    folder: Path
    owner: str | None

    @property
    def user(self) -> str:
        return self.owner or getpass.getuser()

    def address(self, schema: str = "public", user: str = "", password: str = "") -> str:
        """Return the address of the ledger in a schema, which is created."""
        if not user:
            self.run(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        secret = f":{password}" if password else ""
        return (
            f"postgresql://{user or self.user}{secret}@/postgres?host={self.folder}"
            f"&options=-csearch_path%3D{schema}"
        )

    def run(self, *statements: str, schema: str = "public") -> list[tuple[object, ...]]:
        """Carry out statements as the owner; return what the last one found."""
        with psycopg.connect(
            host=str(self.folder),
            dbname="postgres",
            user=self.user,
            options=f"-csearch_path={schema} -cclient_min_messages=error",
            autocommit=True,
        ) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def control(self, *words: str) -> None:
        """Start or stop it."""
        _as(self.owner, self.programs / "pg_ctl", "-D", self.folder / "data", *words)

    def start(self) -> None:
        options = f"-k {self.folder} {_QUIET}"
        log = self.folder / "log"
        self.control("-w", "-s", "-l", str(log), "-o", options, "start")

    def stop(self) -> None:
        self.control("-w", "-s", "-m", "immediate", "stop")


@contextlib.contextmanager
def running() -> Iterator[Cluster]:
    """Start a cluster, and remove it; skip where there is no PostgreSQL."""
    programs = _programs()
    owner = _owner()
    if programs is None or os.name != "posix" or (os.geteuid() == 0 and not owner):
        if os.environ.get("REQUIRE_POSTGRESQL"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if owner:
            shutil.chown(folder, owner)
        cluster = Cluster(programs=programs, folder=folder, owner=owner)
        data = folder / "data"
        words = ("-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D", data)
        _as(owner, programs / "initdb", *words)
        rules = data / "pg_hba.conf"
        rules.write_text("local all guest scram-sha-256\n" + rules.read_text())
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder)


def _programs() -> Path | None:
    """Return the folder of initdb; Debian keeps it off the PATH."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


def _owner() -> str | None:
    """Return who shall run the server: it refuses to be run by root."""
    if os.name != "posix" or os.geteuid() != 0:
        return None
    import pwd  # noqa: PLC0415 - only POSIX has it

    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


def _as(owner: str | None, *command: str | Path) -> None:
    words = [str(word) for word in command]
    subprocess.run(
        words, user=owner, cwd="/", check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorman:
    """A server before the cluster that refuses so many connections at first.

    ``words`` are those of the refusal; no SQLSTATE of it reaches a program.
    """

    cluster: Cluster
    words: str
    times: int
    seen: list[int] = field(default_factory=list)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[int]:
        """Give the port that it listens to."""
        with socket.create_server(("127.0.0.1", 0)) as listening:
            threading.Thread(target=self._admit, args=(listening,), daemon=True).start()
            yield listening.getsockname()[1]

    def _admit(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                coming = listening.accept()[0]
                self.seen.append(1)
                serve = self._refuse if len(self.seen) <= self.times else self._pass_on
                threading.Thread(target=serve, args=(coming,), daemon=True).start()

    def _refuse(self, coming: socket.socket) -> None:
        with coming:
            size, code = struct.unpack("!ii", coming.recv(8))
            if code in _ENCRYPTIONS:
                coming.sendall(b"N")
                size = struct.unpack("!ii", coming.recv(8))[0]
            coming.recv(size - 8)
            body = f"SFATAL\0VFATAL\0C00000\0M{self.words}\0\0".encode()
            coming.sendall(b"E" + struct.pack("!i", len(body) + 4) + body)

    def _pass_on(self, coming: socket.socket) -> None:
        with socket.socket(socket.AF_UNIX) as server, coming:
            server.connect(str(self.cluster.folder / ".s.PGSQL.5432"))
            back = threading.Thread(target=_copy, args=(server, coming), daemon=True)
            back.start()
            _copy(coming, server)
            back.join()


_ENCRYPTIONS = {80877103, 80877104}


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while content := source.recv(1 << 16):
            target.sendall(content)
        target.shutdown(socket.SHUT_WR)
