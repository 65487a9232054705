"""The app in a process of its own, and an installed browser to see it with."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
# The host of the tests in a network and behind a proxy, which no server outside knows.
HOST = "studio.test"
# Chromium heeds the last list of features alone: this one has what Playwright's own turns
# off and a test would notice, and the address bar, whose lists each window would load.
_OFF = (
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades"),
    *("MediaRouter", "OptimizationHints", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxPopup"),
)
# Of a browser without a screen, in a machine of its own.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    f"--disable-features={','.join(_OFF)}",
    f"--host-resolver-rules=MAP {HOST} 127.0.0.1",
]
_PATIENCE = 180.0
_EVERY = 0.02


class Server:
    """The app in a process of its own, with a home and a log of its own."""

    folder = ROOT
    """Where the process starts."""

    def __init__(
        self,
        folder: Path,
        entry: str = "app.py",
        program: str = "streamlit",
        tables: Path | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self._program = program
        self._options = options
        self._tables = tables
        self.home = folder / "home"
        folder.mkdir(exist_ok=True)
        self.log = folder / "server.log"
        self._entry = entry
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Start the app, and wait until it answers."""
        environment = os.environ | {
            "EPSILON_STUDIO_HOME": str(self.home),
            "EPSILON_STUDIO_LEDGER": "",
            "EPSILON_STUDIO_DATABASES": "",
            "EPSILON_STUDIO_CLUSTER": "",
            "EPSILON_STUDIO_TABLES": str(self._tables or ""),
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), cwd=self.folder, env=environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1)
                break
            except OSError:
                assert self.process.poll() is None, self.log.read_text()
                assert time.monotonic() < deadline, "the server did not start"
                time.sleep(_EVERY)

    def command(self) -> list[str]:
        """Return what starts the app."""
        command = [sys.executable, "-m", self._program, "run", self._entry]
        command += ["--server.headless=true", f"--server.port={self.port}"]
        return [*command, *self._options]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def system_browser() -> str | None:
    """Return an installed Chromium; ``None`` selects Playwright's own download."""
    candidates = [os.environ.get("CHROMIUM"), *map(shutil.which, _NAMES), _MAC]
    return next((path for path in candidates if path and Path(path).exists()), None)
