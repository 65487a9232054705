"""Start the real app, once a worker, and drive it with an installed Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Error, expect, sync_playwright

from tests.browser.rest import DEADLINE, listened, settled
from tests.browser.server import FLAGS, Server, system_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

expect.set_options(timeout=DEADLINE)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=system_browser(), args=FLAGS)
        except Error:
            if os.environ.get("REQUIRE_BROWSER"):
                raise
            pytest.skip("no Chromium found: run `make browser`, or set CHROMIUM=/path")
        yield listened(browser)
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.kill()


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Server]:
    """A server whose long work can be held."""
    with Server(tmp_path, program="tests.browser.held") as server:
        yield server


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(DEADLINE)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, server: Server) -> Page:
    page = context.new_page()
    page.goto(server.url)
    settled(page)
    return page
