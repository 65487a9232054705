"""A cluster of Dask of the tests' own: a scheduler and workers, each a process."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

MISSING = "no cluster: install what requirements-cluster.txt lists, on Linux or macOS"
AVAILABLE = importlib.util.find_spec("distributed") is not None and os.name == "posix"
ROOT = Path(__file__).resolve().parents[1]
_EVERY = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """A scheduler on the loopback, and workers that nobody starts anew once killed."""

    folder: Path
    patience: float
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def address(self) -> str:
        return json.loads(self._file.read_text())["address"]

    def start(self) -> None:
        """Start a scheduler, and wait until it says where it is."""
        self._file.unlink(missing_ok=True)
        words = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", self._file)
        self._start("dask_scheduler", *words)
        self.wait(lambda: self._file.exists() and self._file.read_text().endswith("}"))

    def staff(self, number: int = 2) -> None:
        """Start workers until there are so many, and wait until all are known."""
        while sum(one.poll() is None for one in self._workers.values()) < number:
            name = f"worker-{next(self._numbers)}"
            words = ("--name", name, "--no-nanny", "--nthreads", "1")
            place = ("--scheduler-file", self._file, "--host", "127.0.0.1")
            folder = ("--local-directory", self.folder / name)
            self._workers[name] = self._start("dask_worker", *words, *place, *folder)
        self.wait(lambda: self._known() == self._alive())

    def kill(self, process: int) -> None:
        """End a worker, which is not asked."""
        os.kill(process, signal.SIGKILL)
        for one in self._processes:
            if one.pid == process:
                one.wait()

    def kill_one(self) -> None:
        """End a worker, whichever."""
        self.kill(self._workers[min(self._alive())].pid)

    def log(self) -> str:
        """Return what all processes wrote to their logs."""
        return self._log.read_text()

    def kill_scheduler(self) -> None:
        self.kill(self.scheduler)

    @property
    def scheduler(self) -> int:
        """Return the process of the scheduler."""
        return self._processes[0].pid

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait for something to be so, which it is soon on a quiet machine."""
        deadline = time.monotonic() + self.patience
        while not until():
            assert time.monotonic() < deadline, self.log()
            time.sleep(_EVERY)

    def end(self) -> None:
        for one in self._processes:
            if one.poll() is None:
                self.kill(one.pid)

    @property
    def _file(self) -> Path:
        return self.folder / "scheduler.json"

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    def _alive(self) -> set[str]:
        return {name for name, one in self._workers.items() if one.poll() is None}

    def _known(self) -> set[str]:
        from distributed import Client  # noqa: PLC0415 - not everybody has it

        with Client(self.address, set_as_default=False) as client:
            known = client.scheduler_info()["workers"].values()
        return {worker["name"] for worker in known}

    def _start(self, program: str, *words: str | Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard"]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [*command, *map(str, words)],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        return process


@contextlib.contextmanager
def running(patience: float) -> Iterator[Machines]:
    """Start a scheduler, and end it with its workers."""
    with tempfile.TemporaryDirectory(prefix="dask-") as folder:
        machines = Machines(folder=Path(folder), patience=patience)
        try:
            machines.start()
            yield machines
        finally:
            machines.end()
