"""Start the real app once and drive it with an installed Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Error, expect, sync_playwright

from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
)
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

expect.set_options(timeout=20_000)


def _system_browser() -> str | None:
    candidates = [os.environ.get("CHROMIUM"), *map(shutil.which, _NAMES), _MAC]
    return next((path for path in candidates if path and Path(path).exists()), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            # None selects Playwright's own download, if there is one.
            browser = playwright.chromium.launch(
                executable_path=_system_browser(), args=_FLAGS
            )
        except Error:
            if os.environ.get("REQUIRE_BROWSER"):
                raise
            pytest.skip("no Chromium found: run `make browser`, or set CHROMIUM=/path")
        yield browser
        browser.close()


class Server:
    """The app in a process of its own, with a home and a log of its own."""

    def __init__(self, folder: Path, entry: str = "app.py") -> None:
        self.home = folder / "home"
        self.log = folder / "server.log"
        self._entry = entry
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "streamlit", "run", self._entry]
        command += ["--server.headless=true", f"--server.port={self._port}"]
        environment = os.environ | {"EPSILON_STUDIO_HOME": str(self.home)}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1)
                break
            except OSError:
                assert self.process.poll() is None, self.log.read_text()
                assert time.monotonic() < deadline, "the server did not start"
                time.sleep(0.1)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.kill()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, server: Server) -> Page:
    page = context.new_page()
    page.goto(server.url)
    settled(page)
    return page


def settled(page: Page) -> None:
    """Wait until the script has run to its end."""
    page.wait_for_selector(
        "[data-testid=stApp][data-test-script-state=notRunning]"
        "[data-test-connection-state=CONNECTED]",
        timeout=30_000,
    )
