"""Take the pictures of the documentation anew: ``python -m tests.browser.pictures``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.rest import listened
from tests.browser.server import FLAGS, ROOT, Server, system_browser
from tests.browser.visitor import visit

_VIEW = {"width": 1280, "height": 900}


def main() -> None:
    """Release a mean of the built-in survey, and take a picture of the page."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder), "asgi.py") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=system_browser(), args=FLAGS)
        visitor = visit(listened(browser).new_context(viewport=_VIEW), server.url)
        visitor.use_example()
        visitor.go("release")
        visitor.press_release()
        visitor.settle()
        visitor.page.screenshot(path=ROOT / "docs" / "release.png")
        browser.close()


if __name__ == "__main__":
    main()
