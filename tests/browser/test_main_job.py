"""The main job: from a table to a sanitized answer, its price and its downloads."""

from __future__ import annotations

import csv
import io
import re
import time

import pytest
from playwright.sync_api import Locator, Page, expect

from dpcore.analyses.base import Mode
from dpcore.releases.record import Release
from tests.browser.rest import DEADLINE, settled
from tests.browser.test_accessibility import fits
from tests.browser.visitor import Visitor, table, visit
from tests.browser.wire import Wire
from tests.registry import NAMES
from tests.written import spellings

pytestmark = pytest.mark.browser

AGES = [18 + i * i % 71 for i in range(2000)]
MEAN = sum(AGES) / len(AGES)
# The noise of these releases has scale 100 / 2000 / 0.4 = 0.125.
OFF = 5.0
MOST_TABS = 90
FILLED = 7  # The cell that a declared row fills in: what happens to a missing value.
POLICY = "Content Security Policy"


def first_number(answer: str) -> float:
    """Return the first number below the title of an answer, or at the start of a text."""
    found = re.search(r"[\d,]*\.?\d+", answer.partition("Private ")[2] or answer)
    assert found is not None, answer
    return float(found[0].replace(",", ""))


MOST_CLICKS = 6
COUNT_CLICKS = """
window.clicks = 0;
addEventListener("click", event => { window.clicks += event.isTrusted && event.detail > 0; }, true);
"""


def test_own_table_answers_within_six_clicks_and_goes_all_the_way(context, server, record_property):
    context.add_init_script(COUNT_CLICKS)
    said = []
    context.on("console", lambda message: said.append(message.text))
    wire, visitor = Wire(context), visit(context, server.url)
    page = visitor.page
    began = time.monotonic()
    # The click that opens the file dialog, which no test can answer.
    clicks = 1
    # No other test uploads a table with these columns: a first visit is asked nothing.
    text = table(AGES, flag="six_clicks")
    file = {"name": "own.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file)
    visitor.button("Common bounds").click()
    visitor.settle()
    visitor.button("Continue to Release").click()
    visitor.heading("Release").wait_for()
    visitor.settle()
    interval = in_view(visitor)
    clicks += page.evaluate("window.clicks")
    assert abs(first_number(interval.partition("95% CI ")[2]) - MEAN) < OFF
    record_property("seconds", time.monotonic() - began)
    assert clicks <= MOST_CLICKS

    record = Release.from_json(visitor.download("Download JSON"))
    assert (record.mechanism, record.mode) == ("laplace", Mode.RELEASE)
    assert record.title == "mean of age"
    assert float(record.cost.epsilon) == 0.5
    shown = first_number(visitor.answer.inner_text())
    assert record.values[0] == pytest.approx(shown, abs=0.01)
    (row,) = csv.DictReader(io.StringIO(visitor.download("Download CSV")))
    assert row["table"] == "a sample"
    assert float(row["value"]) == record.values[0]
    assert float(row["noise_lower"]) < record.values[0] < float(row["noise_upper"])
    visitor.go("privacy_loss")
    the_switch_and_what_is_shown_agree(visitor, wire)
    expect(page.get_by_role("figure")).to_have_count(1)
    visitor.go("budget")
    assert "0.5" in visitor.metric("Spent")
    assert Release.from_json(visitor.download("Download JSON")) == record
    # Whoever comes back finds the area closed.
    visitor.go("privacy_loss")
    agrees(visitor, shown=False)
    visitor.go("release")
    sharpened(visitor, record)
    assert not [text for text in said if POLICY in text]
    the_policy_is_in_force(page)


def the_policy_is_in_force(page: Page) -> None:
    """What it forbids is refused, and said on the console."""
    with page.expect_console_message(lambda message: POLICY in message.text, timeout=DEADLINE):
        page.evaluate("new Image().src = 'http://localhost:1/refused.png'")


def sharpened(visitor: Visitor, first: Release) -> None:
    """Release a sharper answer from the popover below the first one, for the difference."""
    visitor.button("Sharpen this answer").click()
    visitor.button("Sharpen and spend ε = 0.5").click()
    visitor.settle()
    charged = visitor.page.get_by_text("for this one ε = 0.5 was charged")
    expect(charged.first).to_be_visible()
    visitor.page.keyboard.press("Escape")
    second = Release.from_json(visitor.download("Download JSON"))
    assert (second.sharpens, float(second.debit.epsilon)) == (first.id, 0.5)
    assert float(second.cost.epsilon) == 1.0


def the_switch_and_what_is_shown_agree(visitor: Visitor, wire: Wire) -> None:
    """Open the confidential area, close it, and open it again; nothing came before."""
    agrees(visitor, shown=False)
    assert wire.holds("Most exposed", *spellings(MEAN)) == []
    for shown in (True, False, True):
        visitor.open_confidential()  # and, where it is open, closes it
        agrees(visitor, shown=shown)
    assert wire.holds("Most exposed")


def agrees(visitor: Visitor, *, shown: bool) -> None:
    """Check that the switch and the page say the same."""
    switch = visitor.page.get_by_role("switch").first
    expect(switch).to_be_checked(checked=shown)
    expect(visitor.page.get_by_text("Most exposed", exact=True)).to_have_count(int(shown))


@pytest.mark.usefixtures("undrawn")
def test_the_grid_keeps_what_is_typed_cell_by_cell_and_takes_what_is_pasted(context, server):
    """The editor of cells is there before the first one opens."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    visitor = visit(context, server.url)
    page = visitor.page
    with page.expect_response(re.compile("data-grid-overlay-editor")):
        visitor.go("data")
        visitor.upload("c,d\n1.5,2.5\n2.5,3.5\n", "typed.csv")
    grid = page.get_by_test_id("stDataFrame").first
    grid.get_by_test_id("data-grid-canvas").wait_for()
    # A press while the page is still being drawn may miss the cell.
    visitor.settle()
    row = grid.locator("tbody tr").first.locator("td")
    type_into(page, grid, 280, "18")
    expect(row.nth(3)).to_have_text("18")
    visitor.settle()
    type_into(page, grid, 360, "95")
    expect(row.nth(FILLED)).to_have_text("impute")
    visitor.settle()
    type_into(page, grid, 360, "99")
    expect(row.nth(4)).to_have_text("99")
    visitor.settle()
    expect(row.nth(3)).to_have_text("18")
    expect(row.nth(FILLED)).to_have_text("impute")
    # A column of a spreadsheet is pasted at the first bound, as on paper.
    page.evaluate("navigator.clipboard.writeText('0\\t9\\n1\\t8')")
    click_cell(page, grid, 280)
    page.keyboard.press("Control+V")
    expect(row.nth(4)).to_have_text("9")
    visitor.settle()
    visitor.edit_columns()
    for label, value in (("Lower bound", "0"), ("Upper bound", "9")):
        expect(page.get_by_role("spinbutton", name=label, exact=True)).to_have_value(value)


@pytest.mark.usefixtures("undrawn")
def test_what_is_typed_on_release_stays_while_the_page_follows_it(context, server):
    """Each field is typed while the run that the one before asked for is drawn."""
    visitor = visit(context, server.url)
    rows = "".join(f"{20 + i},{900 + i}\n" for i in range(30))
    visitor.use_common(f"age,pay\n{rows}")
    visitor.choose("Column", "pay")
    fields = {
        "Lower bound": "10",
        "Upper bound": "9000",
        "Missing-value codes": "-9; -8",
        "Meaning": "paid in a month",
    }
    anew = {"Upper bound": "5000", "Lower bound": "25"}
    for label, text in [*fields.items(), *anew.items()]:
        box = visitor.page.get_by_label(label, exact=True)
        box.clear()
        box.press_sequentially(text, delay=60)
    visitor.settle()
    for label, text in (fields | anew).items():
        expect(visitor.page.get_by_label(label, exact=True)).to_have_value(text)
    visitor.button("Done").click()
    visitor.settle()
    visitor.button("Bounds and missing values").click()
    visitor.settle()
    for label, text in (fields | anew).items():
        expect(visitor.page.get_by_label(label, exact=True)).to_have_value(text)


def type_into(page, grid, right, text):
    """Type into the cell of the first row that is so far to the right."""
    click_cell(page, grid, right)
    page.keyboard.press("Enter")
    editor = page.locator("#portal textarea, #portal input").first
    editor.fill(text)
    editor.press("Enter")


def click_cell(page, grid, right):
    box = grid.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + right, box["y"] + 52)


@pytest.mark.usefixtures("undrawn")
def test_keyboard_alone_does_the_main_job(context, server):
    visitor = visit(context, server.url)
    page = visitor.page
    reach(page, page.get_by_test_id("stFileUploaderDropzone").locator("button"))
    # No key can answer the file dialog of a browser without a screen.
    # Other columns and another name: nobody is taken for the people of another test.
    visitor.upload(table([*AGES, 50], column="years"), "keyboard.csv")
    press(page, visitor.button("Edit column"), "Enter")
    enter(page, "Lower bound", "0")
    enter(page, "Upper bound", "100")
    page.keyboard.press("Escape")
    onward = visitor.button("Continue to Release")
    press(page, onward, "Enter")
    visitor.heading("Release").wait_for()
    settled(page)
    reach(page, page.get_by_role("combobox", name="Mechanism", exact=True))
    page.keyboard.type("BIT")
    page.keyboard.press("Enter")
    settled(page)
    enter(page, "ε for this release", "0.4")
    press(page, visitor.release_button, "Enter")
    visitor.spend.wait_for()
    settled(page)
    # What is asked once more stands right after the pressed button.
    page.keyboard.press("Tab")
    expect(visitor.spend).to_be_focused()
    page.keyboard.press("Enter")
    expect(visitor.answer).to_be_visible()
    settled(page)
    assert abs(first_number(visitor.answer.inner_text()) - MEAN) < OFF
    assert "BIT Laplace, noise scale" in visitor.text
    press(page, page.locator(".st-key-files-answer").get_by_role("button"), "Enter")
    visitor.button("Download JSON").wait_for()
    with page.expect_download() as download:
        press(page, visitor.button("Download JSON"), "Enter")
    page.keyboard.press("Escape")
    record = Release.from_json(download.value.path().read_text(encoding="utf-8"))
    assert record.mechanism == "bit"
    press(page, page.get_by_role("link", name=NAMES["privacy_loss"], exact=True), "Enter")
    visitor.heading("Privacy loss").wait_for()
    settled(page)
    press(page, page.get_by_role("switch"), "Space")
    expect(page.get_by_text("Most exposed", exact=True)).to_be_visible()


def test_phone_does_the_main_job_without_sideways_scroll(browser, server):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    visitor = visit(context, server.url)
    visitor.go("data")
    visitor.use_common(table([*AGES, 51]))
    in_view(visitor)
    assert abs(first_number(visitor.answer.inner_text()) - MEAN) < OFF
    fits(visitor.page, "the answer")
    context.close()


def in_view(visitor: Visitor) -> str:
    """Release: what is pressed and the interval, which is returned, are in view."""
    page = visitor.page
    expect(visitor.release_button).to_be_in_viewport(ratio=1)
    visitor.press_release()
    interval = page.get_by_text(re.compile(r"95% CI [\d.]+ to")).first
    expect(interval).to_be_in_viewport(ratio=0.9)
    expect(visitor.answer.get_by_test_id("stMetricValue")).to_be_in_viewport(ratio=1)
    assert page.get_by_test_id("stMain").evaluate("element => element.scrollTop") == 0
    return interval.inner_text()


def reach(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus."""
    target.wait_for()
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    pytest.fail(f"{target} is not within reach of {MOST_TABS} tabs")


def press(page: Page, target: Locator, key: str) -> None:
    reach(page, target)
    page.keyboard.press(key)


def enter(page: Page, label: str, text: str) -> None:
    reach(page, page.get_by_role("spinbutton", name=label, exact=True))
    page.keyboard.press("Control+A")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    settled(page)
