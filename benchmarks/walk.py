"""The main job, step by step, as a person would click it."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Page

_IDLE = (
    "[data-testid=stApp][data-test-script-state=notRunning]"
    "[data-test-connection-state=CONNECTED]"
)
_STOPWATCH = """() => {
    const app = document.querySelector("[data-testid=stApp]");
    const watch = (window.benchmark = {begin: null, answer: null});
    const begin = () => { watch.begin ??= performance.now(); };
    addEventListener("keydown", begin, {capture: true, once: true});
    addEventListener("pointerdown", begin, {capture: true, once: true});
    new MutationObserver((_, observer) => {
        if (app.dataset.testScriptState !== "notRunning") return;
        watch.answer = performance.now() - watch.begin;
        observer.disconnect();
    }).observe(app, {attributeFilter: ["data-test-script-state"]});
}"""


class Walk:
    """One browser tab that does the main job."""

    def __init__(self, page: Page, url: str) -> None:
        self._page = page
        self._url = url

    def warm_up(self) -> None:
        """Open the app once, and give the background imports time to end."""
        self._page.goto(self._url)
        self._idle()
        time.sleep(5)

    def second_view(self) -> float:
        """Return how long a page takes to be usable once the server is warm."""
        start = time.perf_counter()
        self._page.goto(f"{self._url}/data")
        self._page.get_by_role("heading", name="Data", exact=True).wait_for()
        self._idle()
        return time.perf_counter() - start

    def upload(self, path: Path) -> None:
        """Upload the table and wait until its columns can be declared."""
        self._page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(path)
        self._page.get_by_label("Lower bound").wait_for(timeout=60_000)
        self._idle()

    def use(self, lower: str, upper: str) -> None:
        """Declare bounds and put the table in use."""
        self._number("Lower bound", lower)
        self._number("Upper bound", upper)
        self._page.get_by_role("button", name="Use this data").click()
        self._page.get_by_text("In use:").wait_for()
        self._go("Release")

    def release(self) -> None:
        """Press the button and wait for the sanitized answer."""
        self._page.get_by_role("button", name="Release", exact=True).click()
        self._page.get_by_text("from the noise alone").first.wait_for()

    def controls(self) -> Iterator[tuple[str, Callable[[], float]]]:
        """Yield, by name, a change of a control on each page that returns its time."""
        epsilons = (f"{0.1 + i / 1000:g}" for i in itertools.count())
        yield "Release, epsilon", lambda: self._epsilon(next(epsilons))
        self._go("Trade-offs")
        yield "Trade-offs, epsilon", lambda: self._epsilon(next(epsilons))
        self._go("Individual privacy")
        self._page.get_by_text("Show everybody").click()
        self._page.get_by_test_id("stPlotlyChart").first.wait_for()
        self._idle()
        yield "Individual privacy, epsilon", lambda: self._epsilon(next(epsilons))
        views = itertools.cycle(["had not been there", "had been another"])
        yield "Individual privacy, what if", lambda: self._what_if(next(views))

    def _epsilon(self, value: str) -> float:
        field = self._page.get_by_role("spinbutton", name="ε for this release")
        field.fill(value)
        return self._answered(lambda: field.press("Enter"))

    def _what_if(self, words: str) -> float:
        return self._answered(self._page.get_by_text(words).first.click)

    def _answered(self, action: Callable[[], object]) -> float:
        """Act; return the seconds from the key or click to the end of the run.

        The page itself keeps the time, so that the remote control does not count.
        """
        self._page.evaluate(_STOPWATCH)
        action()
        self._page.wait_for_function("window.benchmark.answer !== null")
        self._idle()
        return float(self._page.evaluate("window.benchmark.answer")) / 1000

    def _number(self, label: str, value: str) -> None:
        field = self._page.get_by_role("spinbutton", name=label)
        field.fill(value)
        field.press("Enter")
        self._idle()

    def _go(self, name: str) -> None:
        self._page.get_by_role("link", name=name, exact=True).first.click()
        self._page.get_by_role("heading", name=name, exact=True).wait_for()
        self._idle()

    def _idle(self) -> None:
        self._page.wait_for_selector(_IDLE, timeout=60_000)
