"""The app in a process of its own, and how much memory it takes."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Self

_ROOT = Path(__file__).resolve().parents[1]
_EVERY = 0.02


class Server:
    """A running app; a context manager."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._peak = 0
        self._ended = False
        command = [sys.executable, "-m", "streamlit", "run", "app.py"]
        command += ["--server.headless=true", f"--server.port={port}"]
        start = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd=_ROOT,
            env=os.environ | {"EPSILON_STUDIO_HOME": str(folder / "home")},
        )
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(_EVERY)
        self.started_in = time.perf_counter() - start

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        time.sleep(2 * _EVERY)
        self._process.kill()

    def memory(self) -> int:
        """Return the resident memory in bytes."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        line = next(row for row in status.splitlines() if row.startswith("VmRSS"))
        return int(line.split()[1]) * 1024

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


def browser_path() -> str | None:
    """Return an installed Chromium, ``None`` for Playwright's own."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = [os.environ.get("CHROMIUM"), *map(shutil.which, names)]
    return next((path for path in found if path), None)
