"""The main job, step by step, as a person would click it."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import FilePayload

from tests.browser.rest import settled
from tests.browser.visitor import Visitor

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
    const shown = ["PlotlyChart", "BidiComponentRegular", "MarkdownContainer", "Metric"]
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


class Walk(Visitor):
    """One browser tab that does the main job, and times what a person waits for.

    Between two measurements it waits for ``quiet`` milliseconds, so that what the last
    answer left to draw is not a part of the next.
    """

    def __init__(self, page: Page, url: str, *, quiet: int) -> None:
        super().__init__(page, url)
        self._quiet = quiet

    def warm_up(self) -> None:
        """Open the app once, and give the background imports time to end."""
        self.open()
        time.sleep(_BACKGROUND)

    def second_view(self) -> float:
        """Return how long a page takes to be usable once the server is warm."""
        start = time.perf_counter()
        self.open("data")
        self.heading("Data").wait_for()
        return time.perf_counter() - start

    def uploaded(self, path: Path) -> float:
        """Upload the table; return how long until its columns could be declared."""

        def choose() -> None:
            self.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(path)
            self.button("Continue to Release").wait_for()

        return self._answered(choose)

    def use_columns(self, names: Sequence[str], lower: float, upper: float) -> None:
        """Declare bounds of some columns, the first one last, and put the table in use."""
        self.edit_columns()
        for name in reversed(names):
            self.choose("Column", name)
            self.number("Lower bound", lower)
            self.number("Upper bound", upper)
        self.page.keyboard.press("Escape")
        self.settle()
        self.button("Continue to Release").click()
        self.heading("Release").wait_for()
        self.settle()

    def ask_mean(self) -> None:
        """Ask for the mean with BIT Laplace noise, at a small price."""
        self.choose("Statistic", "mean")
        self.choose("Mechanism", "BIT Laplace")
        self.number("ε for this release", 0.1)

    def ask_matrix(self, others: Sequence[str]) -> None:
        """Ask for the covariance matrix of the column in use and some others."""
        self.choose("Statistic", "covariance matrix")
        self._choose_all("Together with", others)

    def confirm(self) -> None:
        """Release the first answer of this tab, which is asked about once more."""
        self.press_release()
        self.again_button.wait_for()

    def released(self) -> float:
        """Press the button; return how long it took until the answer was there."""
        took = self._answered(self.release_button.click)
        self.again_button.wait_for()
        return took

    def plan(self, count: int, columns: Sequence[str]) -> None:
        """Plan so many questions: one by hand, the others in the file of the plan.

        The question that is asked on Release has a mean, and one of the columns.
        """
        self.button("Add to plan").click()
        self.settle()
        self.go("plan")
        self.open_more()
        self.button("Download plan (JSON)").wait_for()
        content = json.loads(self.download("Download plan (JSON)"))
        (item,) = content["items"]
        content["items"] = list(_varied(item, columns))[:count]
        file = FilePayload(
            name="plan.json", mimeType="application/json", buffer=json.dumps(content).encode()
        )
        self.open_more()
        self.page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file)
        self.page.locator("[class*=st-key-plan-out-]").nth(1).wait_for()
        self.page.keyboard.press("Escape")
        self.settle()

    def open_more(self) -> None:
        """Open the further settings of the page."""
        self.page.get_by_role("button", name="More").click()

    def show_everybody(self) -> None:
        """Open the confidential area of Privacy loss; wait for its picture."""
        self.open_confidential()
        self.page.get_by_role("figure").first.wait_for()
        self.settle()

    def explain(self, others: Sequence[str]) -> None:
        """Ask for a regression of the first column on some others."""
        self.pick("a regression model")
        self._choose_all("Predictors", others)

    def tabs(self) -> list[str]:
        """Return the names of the tabs on the page."""
        self.page.get_by_role("tab").first.wait_for()
        return self.page.get_by_role("tab").all_inner_texts()

    def turned(self, name: str) -> float:
        """Turn to a tab; return how long the answer took."""
        return self._answered(self.page.get_by_role("tab", name=name, exact=True).click)

    def typed(self, label: str, value: str) -> float:
        """Type a number; return how long the answer took."""
        field = self.page.get_by_role("spinbutton", name=label, exact=True)
        field.fill(value)
        return self._answered(lambda: field.press("Enter"))

    def slid(self, label: str, key: str) -> float:
        """Press a key on a slider; return how long the answer took."""
        handle = self.page.get_by_role("slider", name=label).first
        handle.focus()
        return self._answered(lambda: handle.press(key))

    def picked_another(self, label: str) -> float:
        """Click on another option of a radio group; return how long the answer took."""
        return self._answered(
            self.page.get_by_role("radiogroup", name=label)
            .locator("label")
            .filter(has=self.page.get_by_role("radio", checked=False))
            .first.click
        )

    def chosen(self, label: str, option: str) -> float:
        """Choose an option of a select box; return how long the answer took."""
        box = self.page.get_by_role("combobox", name=label, exact=True)
        box.click()
        # After a press elsewhere, the click alone may only bring the focus.
        box.press("ArrowDown")
        found = self.page.get_by_role("option", name=option, exact=True)
        found.wait_for()
        return self._answered(found.click)

    def _answered(self, action: Callable[[], object]) -> float:
        """Act; return the seconds from the key or click to the answer on the screen.

        The page itself keeps the time, so that the remote control does not count. It is
        asked rarely whether it has ended: to be asked with every frame would make it
        draw every frame.
        """
        self.page.wait_for_timeout(self._quiet)
        self.page.evaluate(_STOPWATCH)
        action()
        settled(self.page, every=_RARELY)
        self.page.wait_for_function(
            """quiet => {
    const {begin, answer} = window.benchmark;
    return answer !== null && performance.now() - begin - answer > quiet;
}""",
            arg=2 * self._quiet,
            polling=_RARELY,
        )
        return float(self.page.evaluate("window.benchmark.answer")) / 1000

    def _choose_all(self, label: str, names: Sequence[str]) -> None:
        box = self.page.get_by_role("combobox", name=label, exact=True)
        chosen = self.page.get_by_test_id("stMultiSelect")
        # The page takes some of the columns by itself, the first one always.
        chosen.get_by_text(names[0], exact=True).wait_for()
        for name in names:
            if not chosen.get_by_text(name, exact=True).count():
                box.click()
                self.page.get_by_role("option", name=name, exact=True).click()
                self.settle()
        box.press("Tab")
        self.settle()
