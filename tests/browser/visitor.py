"""What a person does in one browser tab, in the words of the screen."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from playwright.sync_api import Error, expect

from tests import registry
from tests.browser.rest import DEADLINE, settled

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

# Below this width Streamlit moves the links of the top bar into the side bar.
_TOP_BAR = 768
# How long a list takes to open, in milliseconds, and how often it is tried.
_OPENED, _TRIES = 30_000, 5


class Visitor:
    """One tab of the app."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self._url = url

    def open(self, path: str = "") -> None:
        self.page.goto(f"{self._url}/{path}")
        self.settle()

    def go(self, script: str) -> None:
        """Follow the links to a view: of its place and its section, where those are not open."""
        if not self._link(script).count():
            self._open_place(registry.IN[script])
        for view in (registry.SECTIONS[script], script):
            if self.heading(registry.HEADINGS[script]).count():
                break
            if view == script or not self._link(script).count():
                self._link(view).click()
                self.heading(registry.HEADINGS[view]).wait_for()
                self.settle()

    def _open_place(self, place: str) -> None:
        """Follow the link of a place, in the top bar or in the side bar."""
        if self._narrow:
            self.button("Expand sidebar").click()
        self.page.get_by_role("link", name=place, exact=True).first.click()
        self.heading(registry.HEADINGS[registry.FIRST[place]]).wait_for()
        if self._narrow:
            # The page is not left below the menu.
            self.button("Expand sidebar").wait_for()
        self.settle()

    def _link(self, script: str) -> Locator:
        """Return the link to a view in the rows of the place that is open."""
        main = self.page.get_by_test_id("stMainBlockContainer")
        return main.locator(f"a[href='{script}']").filter(visible=True).first

    def upload(self, text: str | bytes, name: str = "people.csv") -> None:
        """Choose a file on the Data page, and wait until it can be declared."""
        self.send(text, name)
        self.button("Continue to Release").wait_for()
        self.settle()

    def send(self, text: str | bytes, name: str) -> None:
        """Choose a file on the Data page, readable or not."""
        content = text.encode() if isinstance(text, str) else text
        file = {"name": name, "mimeType": "text/csv", "buffer": content}
        if self.button("Replace").count():
            self.button("Replace").click()
        box = self.page.get_by_test_id("stFileUploaderDropzoneInput").first
        with self.page.expect_response(lambda answer: "/upload_file/" in answer.url):
            box.set_input_files(file)
        self.settle()

    def go_on_to_release(self) -> None:
        """Take the table of the Data page into use, as one about other people."""
        self.say_other_people()
        self.button("Continue to Release").click()
        self.heading("Release").wait_for()
        self.settle()

    def edit_columns(self) -> None:
        """Open “Edit column”, if it is not open."""
        column = self.page.get_by_role("combobox", name="Column", exact=True)
        for _ in range(_TRIES):
            if column.count():
                break
            # On a busy machine a click may be lost: a person would click again.
            self.button("Edit column").click()
            with suppress(Error):
                column.wait_for(timeout=_OPENED)
        expect(column).to_be_visible()

    def declare(self, lower: float, upper: float) -> None:
        """Type the bounds of the column that is chosen under “Edit column”."""
        self.edit_columns()
        self.number("Lower bound", lower)
        self.number("Upper bound", upper)
        self.page.keyboard.press("Escape")
        self.settle()

    def say_other_people(self) -> None:
        """Say of a table like an earlier one that it is about other people."""
        offer = self.page.get_by_test_id("stRadio").get_by_text("Entirely different people")
        if offer.count():
            offer.click()
            self.settle()
            self.page.get_by_text("Nobody in this table is in").click()
            self.settle()

    def use_common(self, text: str) -> None:
        """Choose a file on Home, take the common bounds, and go on to Release."""
        self.send(text, "people.csv")
        self.button("Common bounds").click()
        self.settle()
        self.go_on_to_release()

    def use_example(self) -> None:
        for _ in range(_TRIES):
            self.button("Try the survey").click()
            with suppress(Error):
                self.heading("Release").wait_for(timeout=_OPENED)
                break
            # On a busy machine a click may be lost: a person would click again.
        self.settle()

    def settle(self) -> None:
        """Wait until every run that was asked for has ended, and is drawn."""
        settled(self.page)

    def await_work(self) -> None:
        """Wait until no work of the page goes on: one may begin as another ends."""
        going_on = True
        while going_on:
            expect(self.button("Stop")).to_have_count(0)
            self.settle()
            going_on = self.button("Stop").count() > 0

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a selectbox."""
        box = self.page.get_by_role("combobox", name=label, exact=True)
        item = self.page.get_by_role("option", name=option, exact=True)
        for _ in range(_TRIES):
            box.click()
            # After a press elsewhere, the click alone may only bring the focus.
            box.press("ArrowDown")
            with suppress(Error):
                item.click(timeout=_OPENED)
                break
            # The script ran once more, or the page moved, and closed the list.
        else:
            item.click()
        self.settle()

    def pick(self, option: str) -> None:
        """Choose an option of a radio group."""
        self.page.get_by_role("radiogroup").get_by_text(option, exact=True).click()
        expect(self.page.get_by_role("radio", name=option, exact=True)).to_be_checked()
        self.settle()

    def number(self, label: str, value: float) -> None:
        field = self.page.get_by_role("spinbutton", name=label, exact=True)
        field.fill(f"{value:g}")
        field.press("Enter")
        self.settle()

    def release(self) -> str:
        """Press the button and return the answer as it is shown."""
        self.press_release()
        answer = self.answer
        answer.wait_for()
        self.settle()
        return answer.inner_text()

    def press_release(self) -> None:
        """Press the button, and confirm where the first one of a tab asks for it."""
        self.release_button.click()
        self.settle()
        if self.spend.count():
            self.spend.click()

    def draw_again(self, draw: int, *, clicks: int = 1) -> None:
        """Press until that draw is shown.

        The app takes a press that follows the last draw closely for the same click, and
        charges nothing for it.
        """
        shown = self.page.get_by_text(f"Release {draw} of this question")
        deadline = time.monotonic() + DEADLINE / 1000
        while not shown.count():
            assert time.monotonic() < deadline, f"draw {draw} never comes"
            self.again_button.click(click_count=clicks)
            self.settle()

    @property
    def release_button(self) -> Locator:
        """The button of the question of the page: released, or not yet, or never."""
        named = re.compile("^Release( and spend .*|d ✓)?$")
        return self.page.get_by_role("button", name=named)

    @property
    def again_button(self) -> Locator:
        """The button that releases the question of the page again, with new noise."""
        return self.page.get_by_role("button", name=re.compile("^Release again"))

    @property
    def spend(self) -> Locator:
        """The button that confirms the first real release of a tab about a table."""
        return self.page.get_by_role("button", name=re.compile("^Spend "))

    def open_confidential(self) -> None:
        """Open the confidential area of the page."""
        self.page.get_by_text("Show ").filter(visible=True).first.click()
        self.settle()

    def unfold(self) -> None:
        """Open every expander of the page."""
        for summary in self.page.locator("summary").all():
            if summary.locator("..").get_attribute("open") is None:
                summary.click()
        self.settle()

    def download(self, label: str) -> str:
        """Return what a download button saves.

        It is read from the address that the browser was sent to: Chromium now and then
        cancels one of two downloads that follow each other faster than a person clicks.
        """
        for _ in range(_TRIES):
            if not self.button(label).count():
                self.open_downloads()
            # Streamlit forgets a file as the run ends that offers the next one. A press
            # that it takes up only then finds none: a person would press again.
            with suppress(Error), self.page.expect_download(timeout=_OPENED) as download:
                self.button(label).click()
            if download.is_done():
                break
        self.page.keyboard.press("Escape")
        # The server may just have closed the connection that is kept for the next file.
        text = self.page.context.request.get(download.value.url, max_retries=_TRIES).text()
        # Until it is saved, or was cancelled.
        download.value.failure()
        return text

    def open_downloads(self) -> None:
        """Open the list of the files of an answer."""
        self.page.locator("[class*=st-key-files-]").get_by_role("button").first.click()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def heading(self, name: str) -> Locator:
        return self.page.get_by_role("heading", name=name, exact=True, level=1)

    def metric(self, label: str) -> str:
        return self.tile(label).get_by_test_id("stMetricValue").inner_text()

    def tile(self, label: str) -> Locator:
        """Return a number with its label and the line below it."""
        return self.page.get_by_test_id("stMetric").filter(has_text=label)

    @property
    def answer(self) -> Locator:
        """The card of a question with a single number, once it is answered."""
        return self.page.locator(".st-key-card").filter(has_text="Private ")

    @property
    def text(self) -> str:
        return self.page.locator("body").inner_text()

    @property
    def _narrow(self) -> bool:
        size = self.page.viewport_size
        return size is not None and size["width"] < _TOP_BAR


def visit(context: BrowserContext, url: str, path: str = "") -> Visitor:
    """Open the app in a new tab."""
    visitor = Visitor(context.new_page(), url)
    visitor.open(path)
    return visitor


def table(numbers: Sequence[float], *, column: str = "age", flag: str = "smoker") -> str:
    """Return a CSV with a column of numbers, and every third person flagged."""
    lines = [f"{x},{'no' if i % 3 else 'yes'}" for i, x in enumerate(numbers)]
    return "\n".join([f"{column},{flag}", *lines, ""])
