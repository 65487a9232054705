"""Pictures a second while a slider is dragged, by the page's own processor time.

``python -m benchmarks.films`` drags the slider of each film and counts the pictures that
are drawn. A busy machine draws fewer, so that they are divided by the time that the page
itself used.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from benchmarks.server import MeasuredServer
from tests.browser.rest import listened, settled
from tests.browser.server import FLAGS, system_browser
from tests.browser.test_live_charts import drag
from tests.browser.visitor import visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

_FILMS = {
    "home": "miniature",
    "lab": "lab-epsilon",
    "meaning": "meaning-epsilon-slider",
    "release": "epsilon-slider",
}
_ROUNDS = 5


def main() -> None:
    """Print the median of several rounds, and the least and the most."""
    with (
        tempfile.TemporaryDirectory() as folder,
        MeasuredServer(Path(folder), "app.py") as server,
        sync_playwright() as playwright,
    ):
        browser = listened(playwright.chromium.launch(executable_path=system_browser(), args=FLAGS))
        visitor = visit(browser.new_context(), server.url)
        visitor.open()
        for view, slider in _FILMS.items():
            if view == "release":
                visitor.go("home")
                visitor.use_example()
            else:
                visitor.go(view)
            visitor.page.locator(".live-chart path.js-line").first.wait_for()
            visitor.page.locator(f".st-key-{slider}").hover()
            visitor.settle()
            found = sorted(_rate(visitor.page, slider) for _ in range(_ROUNDS))
            print(
                f"{view}: {statistics.median(found):.0f} pictures a second "
                f"({found[0]:.0f} to {found[-1]:.0f})"
            )


def _rate(page: Page, slider: str) -> float:
    """Return the pictures that are drawn, divided by the processor time of the page."""
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _used(client.send("Performance.getMetrics"))
    drawn = drag(page, slider)["pictures"]
    used = _used(client.send("Performance.getMetrics")) - before
    page.mouse.up()
    settled(page)
    client.detach()
    return float(drawn / used)


def _used(answer: dict[str, list[dict[str, float | str]]]) -> float:
    return float({one["name"]: one["value"] for one in answer["metrics"]}["TaskDuration"])


if __name__ == "__main__":
    main()
