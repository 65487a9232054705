"""The app in a process of its own, and how much memory it takes."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from tests.browser.server import Server

_EVERY = 0.02


def memory_of(process: int | str, entry: str) -> int:
    """Return an entry of what the system knows of a process's memory, in bytes."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    line = next(row for row in status.splitlines() if row.startswith(entry))
    return int(line.split()[1]) * 1024


class MeasuredServer(Server):
    """A running app; a context manager."""

    def __init__(self, folder: Path, entry: str = "asgi.py") -> None:
        self._peak = 0
        self._ended = False
        super().__init__(folder, entry)

    def start(self) -> None:
        """Start the app, and time it."""
        start = time.perf_counter()
        super().start()
        self.started_in = time.perf_counter() - start

    def kill(self) -> None:
        """Look no more, and end the process."""
        self._ended = True
        time.sleep(2 * _EVERY)
        super().kill()

    def memory(self) -> int:
        """Return the resident memory in bytes."""
        return memory_of(self.process.pid, "VmRSS")

    def processor(self) -> float:
        """Return the seconds that the processor has worked for the app so far."""
        status = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        # The name of the program, in parentheses, may contain spaces.
        user, system = status.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def watch_peak(self) -> None:
        """Sample the memory from now on."""
        threading.Thread(target=self._watch, daemon=True).start()

    def peak(self) -> int:
        """Return the largest memory seen since ``watch_peak``."""
        return self._peak

    def _watch(self) -> None:
        while not self._ended:
            self._peak = max(self._peak, self.memory())
            time.sleep(_EVERY)
