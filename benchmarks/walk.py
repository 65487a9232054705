"""The main job, step by step, as a person would click it."""

from __future__ import annotations

import copy
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import FilePayload

from tests.browser.rest import settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

_STATISTICS = ("mean", "sum")
_MECHANISMS = ("laplace", "bit", "truncated", "folded", "averaged")
# Seconds that imports in the background take.
_BACKGROUND = 5
# Milliseconds between two looks at a page whose time is taken.
_RARELY = 100
# The answer is there with the last change of the script's state, of a figure, a number
# or a text. A short run may pass without the state being drawn at all.
_STOPWATCH = """() => {
    const app = document.querySelector("[data-testid=stApp]");
    const shown = ["PlotlyChart", "MarkdownContainer", "Metric"]
        .map(name => `[data-testid=st${name}]`).join();
    window.benchmark?.observer.disconnect();
    const watch = (window.benchmark = {begin: null, answer: null});
    const begin = () => { watch.begin ??= performance.now(); };
    addEventListener("keydown", begin, {capture: true, once: true});
    addEventListener("pointerdown", begin, {capture: true, once: true});
    addEventListener("change", begin, {capture: true, once: true});
    watch.observer = new MutationObserver(changes => {
        const seen = ({target}) =>
            target === app || target.parentElement?.closest(shown);
        if (watch.begin !== null && changes.some(seen))
            watch.answer = performance.now() - watch.begin;
    });
    watch.observer.observe(app, {
        subtree: true, childList: true, characterData: true, attributes: true,
    });
}"""


def _varied(item: Any, columns: Sequence[str]) -> Iterator[Any]:  # noqa: ANN401 - JSON
    """Yield a planned question about other columns, of other kinds and mechanisms."""
    for name, kind, mechanism in product(columns, _STATISTICS, _MECHANISMS):
        other = copy.deepcopy(item)
        other["name"] = f"{kind} of {name}, {mechanism}"
        other["request"]["mechanism"] = mechanism
        other["request"]["query"]["kind"] = kind
        other["request"]["query"]["column"]["name"] = name
        yield other


class Walk:
    """One browser tab that does the main job.

    Between two measurements it waits for ``quiet`` milliseconds, so that what the last
    answer left to draw is not a part of the next.
    """

    def __init__(self, page: Page, url: str, *, quiet: int) -> None:
        self._page = page
        self._url = url
        self._quiet = quiet

    def warm_up(self) -> None:
        """Open the app once, and give the background imports time to end."""
        self.open()
        time.sleep(_BACKGROUND)

    def open(self) -> None:
        """Open the app."""
        self._page.goto(self._url)
        settled(self._page)

    def second_view(self) -> float:
        """Return how long a page takes to be usable once the server is warm."""
        start = time.perf_counter()
        self._page.goto(f"{self._url}/data")
        self._page.get_by_role("heading", name="Data", exact=True).wait_for()
        settled(self._page)
        return time.perf_counter() - start

    def upload(self, path: Path) -> float:
        """Upload the table; return how long until its columns could be declared."""

        def choose() -> None:
            self._page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(path)
            self._page.get_by_role("button", name="Continue to Release").wait_for()

        return self._answered(choose)

    def use(self, columns: Sequence[str], lower: str, upper: str) -> None:
        """Declare bounds of some columns and put the table in use."""
        self._page.get_by_role("button", name="Edit column").click()
        for column in columns:
            self._choose("Column", column)
            self._number("Lower bound", lower)
            self._number("Upper bound", upper)
        self._choose("Column", columns[0])
        self._page.keyboard.press("Escape")
        self._page.get_by_role("button", name="Continue to Release").click()
        self._page.get_by_role("heading", name="Release", exact=True).wait_for()
        settled(self._page)

    def ask_mean(self) -> None:
        """Ask for the mean with BIT Laplace noise, at a small price."""
        self._choose("Statistic", "mean")
        self._choose("Mechanism", "BIT Laplace")
        self._number("ε for this release", "0.1")

    def ask(self, statistic: str) -> None:
        """Ask for another statistic, by the mechanism that is offered first."""
        self._choose("Statistic", statistic)

    def ask_matrix(self, others: Sequence[str]) -> None:
        """Ask for the covariance matrix of the column in use and some others."""
        self._choose("Statistic", "covariance matrix")
        self._choose_all("Together with", others)

    def release(self) -> None:
        """Press the button and wait for the sanitized answer."""
        self._page.get_by_role("button", name=re.compile("^Release and spend")).click()
        again = self._page.get_by_role("button", name=re.compile("^Release again"))
        # The first real release is asked about once more.
        spend = self._page.get_by_role("button", name=re.compile("^Spend "))
        again.or_(spend).first.wait_for()
        if spend.is_visible():
            spend.click()
        again.wait_for()

    def released(self) -> float:
        """Press the button; return how long it took until the answer was there."""
        took = self._answered(
            self._page.get_by_role("button", name=re.compile("^Release and spend")).click
        )
        self._page.get_by_role("button", name=re.compile("^Release again")).wait_for()
        return took

    def go(self, name: str, menu: str | None = None) -> None:
        """Open a page from the top bar, or from a menu in it."""
        if menu is None:
            self._page.get_by_role("link", name=name, exact=True).first.click()
        else:
            self._page.get_by_test_id("stTopNavSection").filter(has_text=menu).click()
            self._page.get_by_role("menuitem", name=name, exact=True).click()
        self._page.get_by_role("heading", name=name, exact=True).wait_for()
        settled(self._page)

    def plan(self, count: int, columns: Sequence[str]) -> None:
        """Plan so many questions: one by hand, the others in the file of the plan.

        The question that is asked on Release has a mean, and one of the columns.
        """
        self._page.get_by_role("button", name="Add to plan").click()
        settled(self._page)
        self.go("plan")
        with self._page.expect_download() as wanted:
            self._page.get_by_role("button", name="Download the plan (JSON)").click()
        content = json.loads(wanted.value.path().read_text())
        (item,) = content["items"]
        content["items"] = list(_varied(item, columns))[:count]
        file = FilePayload(
            name="plan.json", mimeType="application/json", buffer=json.dumps(content).encode()
        )
        box = self._page.get_by_test_id("stFileUploaderDropzoneInput").first
        box.set_input_files(file)
        self._page.get_by_text(f"What {count} planned answers").first.wait_for()
        settled(self._page)

    def show_everybody(self) -> None:
        """Open the confidential area of Individual privacy; wait for its picture."""
        self._page.get_by_text("Show everybody").click()
        self._page.get_by_role("figure").first.wait_for()
        settled(self._page)

    def explain(self, others: Sequence[str]) -> None:
        """Ask for a regression of the first column on some others."""
        self.pick("a regression model")
        self._choose_all("Predictors", others)

    def unfold(self, label: str) -> None:
        """Open an expander."""
        self._page.locator("summary").get_by_text(label, exact=True).click()
        settled(self._page)

    def tabs(self) -> list[str]:
        """Return the names of the tabs on the page."""
        self._page.get_by_role("tab").first.wait_for()
        return self._page.get_by_role("tab").all_inner_texts()

    def turn(self, name: str) -> float:
        """Turn to a tab; return how long the answer took."""
        return self._answered(self._page.get_by_role("tab", name=name, exact=True).click)

    def type(self, label: str, value: str) -> float:
        """Type a number; return how long the answer took."""
        field = self._page.get_by_role("spinbutton", name=label)
        field.fill(value)
        return self._answered(lambda: field.press("Enter"))

    def slide(self, label: str, key: str) -> float:
        """Press a key on a slider; return how long the answer took."""
        handle = self._page.get_by_role("slider", name=label).first
        handle.focus()
        return self._answered(lambda: handle.press(key))

    def pick(self, words: str) -> float:
        """Click on an option of a radio group; return how long the answer took."""
        return self._answered(
            self._page.get_by_role("radiogroup").get_by_text(words, exact=True).click
        )

    def pick_another(self, label: str) -> float:
        """Click on another option of a radio group; return the time as ``pick``."""
        return self._answered(
            self._page.get_by_role("radiogroup", name=label)
            .locator("label")
            .filter(has=self._page.get_by_role("radio", checked=False))
            .first.click
        )

    def choose(self, label: str, option: str) -> float:
        """Choose an option of a select box; return how long the answer took."""
        self._open(label)
        found = self._page.get_by_role("option", name=option, exact=True)
        found.wait_for()
        return self._answered(found.click)

    def _answered(self, action: Callable[[], object]) -> float:
        """Act; return the seconds from the key or click to the answer on the screen.

        The page itself keeps the time, so that the remote control does not count. It is
        asked rarely whether it has ended: to be asked with every frame would make it
        draw every frame.
        """
        self._page.wait_for_timeout(self._quiet)
        self._page.evaluate(_STOPWATCH)
        action()
        settled(self._page, every=_RARELY)
        self._page.wait_for_function(
            """quiet => {
    const {begin, answer} = window.benchmark;
    return answer !== null && performance.now() - begin - answer > quiet;
}""",
            arg=2 * self._quiet,
            polling=_RARELY,
        )
        return float(self._page.evaluate("window.benchmark.answer")) / 1000

    def _choose_all(self, label: str, names: Sequence[str]) -> None:
        box = self._page.get_by_role("combobox", name=label, exact=True)
        chosen = self._page.get_by_test_id("stMultiSelect")
        # The page takes some of the columns by itself, the first one always.
        chosen.get_by_text(names[0], exact=True).wait_for()
        for name in names:
            if not chosen.get_by_text(name, exact=True).count():
                box.click()
                self._option(name)
        box.press("Tab")
        settled(self._page)

    def _open(self, label: str) -> None:
        box = self._page.get_by_role("combobox", name=label, exact=True)
        box.click()
        # After a press elsewhere, the click alone may only bring the focus.
        box.press("ArrowDown")

    def _choose(self, label: str, option: str) -> None:
        self._open(label)
        self._option(option)

    def _option(self, name: str) -> None:
        self._page.get_by_role("option", name=name, exact=True).click()
        settled(self._page)

    def _number(self, label: str, value: str) -> None:
        field = self._page.get_by_role("spinbutton", name=label)
        field.fill(value)
        field.press("Enter")
        settled(self._page)
