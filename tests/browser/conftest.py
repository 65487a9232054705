"""Start the real app, once a worker, and drive it with an installed Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Error, expect, sync_playwright

from epsilon_studio import hosts
from tests.browser.rest import DEADLINE, listened, settled
from tests.browser.server import FLAGS, HOST, Server, system_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

# Python reads this file as it starts: every name that the server looks up is noted.
LOOKUPS = """
import os, socket

def noted(host, *rest, known=socket.getaddrinfo, **named):
    with open(os.environ["LOOKUPS"], "a") as file:
        print(host, file=file)
    return known(host, *rest, **named)

socket.getaddrinfo = noted
socket.getaddrinfo("127.0.0.1", 0)
"""
# The script of the charts is not there: words stand in their place.
UNDRAWN = """Object.defineProperty(HTMLScriptElement.prototype, "src", {
    get() { return this.getAttribute("src"); },
    set(address) {
        if (address.endsWith("/plotly.min.js")) queueMicrotask(() => this.onerror());
        else this.setAttribute("src", address);
    },
})"""
# As the command starts it for a class.
OPTIONS = ["--server.address=0.0.0.0", "--browser.serverAddress=localhost"]
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


@pytest.fixture
def undrawn(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no figure where no test looks at one: a quarter of the cost of a page.

    What the server sends of figures still comes.
    """
    drawn = browser.new_context

    def new_context(**options: object) -> BrowserContext:
        context = drawn(**options)
        context.add_init_script(UNDRAWN)
        return context

    monkeypatch.setattr(browser, "new_context", new_context)


@pytest.fixture(scope="session")
def lookups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file with every name that the server looked up."""
    return tmp_path_factory.mktemp("server") / "lookups"


@pytest.fixture(scope="session")
def server(lookups: Path) -> Iterator[Server]:
    """The app behind its wall, as phones and proxies reach it."""
    (lookups.parent / "sitecustomize.py").write_text(LOOKUPS, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(lookups.parent))
        patch.setenv("LOOKUPS", str(lookups))
        patch.setenv(hosts.VARIABLE, HOST)
        patch.delenv("EPSILON_STUDIO_METRICS", raising=False)
        server = Server(lookups.parent, entry="asgi.py", options=OPTIONS)
    with server:
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
