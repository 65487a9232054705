"""A tab keeps its table to itself, and nothing in it leaves or runs."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dpcore.releases.record import Release
from tests.browser.server import Server
from tests.browser.visitor import Visitor, table, visit
from tests.browser.wire import Wire
from tests.conftest import PATIENCE
from tests.registry import FIRST
from tests.written import Written

pytestmark = pytest.mark.browser

# Large enough that Streamlit's own caches would hash a sample of it only.
MANY = [i % 101 for i in range(60_000)]
HOSTILE = (
    "![x](https://evil.test/p.png) <img src=https://evil.test/i.png onerror=alert(1)> "
    ":material/bomb: :red[stop] $\\latex$ [link](https://evil.test/l) "
    '<a href="https://evil.test/a">link</a>'
)
HOSTILE_FILE = "![x](https:evil.test) <img src=x onerror=alert(2)> $\\f$.csv"
NAMING_COLUMNS = (
    *("data", "release", "accuracy", "privacy_loss", "regression", "plan", "budget"),
    *("documents", "manage"),
)
CELL = "SENTINEL-7391"
# Python reads this file as it starts, so that the app itself needs no back door.
CENSUS = """
import gc, os, signal

LARGE = 50_000
HOLDERS = {
    "DataFrame": len,
    "Upload": lambda file: len(file.data),
    "UploadedFile": lambda file: 0 if file.closed else file.getbuffer().nbytes,
    "UploadedFileRec": lambda file: len(file.data),
}

def count(*_):
    gc.collect()
    gc.unfreeze()  # what is set aside counts, too
    held = [thing for thing in gc.get_objects() if type(thing).__name__ in HOLDERS]
    large = [kind for thing in held
             if HOLDERS[kind := type(thing).__name__](thing) > LARGE]
    with open(os.environ["CENSUS"], "w") as file:
        print(*large, file=file)

signal.signal(signal.SIGUSR1, count)
"""


@pytest.mark.usefixtures("undrawn")
def test_tables_that_differ_in_one_person_stay_apart(browser, server):
    tables = [[0, *MANY], [100, *MANY]]
    totals = [float(sum(values)) for values in tables]
    sums = [Written(head=f"{total}", number=total) for total in totals]
    tabs, wires = [], []
    for values in tables:
        context = browser.new_context()
        page = context.new_page()
        wires.append(Wire(page))
        tab = Visitor(page, server.url)
        tab.open()
        tab.use_common(table(values))
        tab.choose("Statistic", "sum")
        tabs.append(tab)
    first, second = tabs
    first.release()
    second.go("budget")
    expect(second.page.get_by_text("Nothing has been released yet")).to_be_visible()
    second.go("release")
    second.release()
    # As they are, not as they are shown: rounded they may be alike.
    first_drawn, second_drawn = (
        Release.from_json(tab.download("Download JSON")).values for tab in tabs
    )
    assert first_drawn != second_drawn
    for wire in wires:
        assert not wire.holds(*sums)
    for tab in tabs:
        tab.pick("Classroom")
    # Both have asked the same by now, so that a shared result would show.
    for tab in tabs:
        tab.release()
        expect(tab.page.get_by_text("Classroom: answers without noise")).to_be_visible()
        tab.settle()
    for wire, own, other in zip(wires, sums, reversed(sums), strict=True):
        assert wire.holds(own)
        assert not wire.holds(other)
    for tab in tabs:
        tab.page.context.close()


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A server that tells which large tables and files it holds."""
    if not hasattr(signal, "SIGUSR1"):
        pytest.skip("needs Unix signals")
    (tmp_path / "sitecustomize.py").write_text(CENSUS, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("CENSUS", str(tmp_path / "census"))
    server = Server(tmp_path)
    yield server
    server.kill()


@pytest.mark.usefixtures("undrawn")
def test_closed_tabs_free_what_was_sent_and_what_is_in_use(browser, counted, tmp_path):
    # Nobody comes after these tabs: Streamlit tidies up after one when another closes.
    contexts = [browser.new_context() for _ in range(2)]
    first, second = (visit(context, counted.url) for context in contexts)
    for visitor, tail in ((first, ""), (second, "1,2,3\n")):
        visitor.go("data")
        visitor.upload(table(MANY))
        if tail:
            visitor.upload(table(MANY) + tail, "broken.csv")
            unchanged = visitor.page.get_by_text("Your previous data are unchanged.")
            expect(unchanged).to_be_visible()
    # Streamlit, which outlives the tab, holds neither file.
    assert before_long(counted, tmp_path, {"DataFrame", "Upload"})
    contexts[1].close()
    first.use(0, 100)
    # Callbacks of every place, which Streamlit keeps for a while, hold no table.
    for script in FIRST.values():
        first.go(script)
    first.go("privacy_loss")
    first.open_confidential()
    expect(first.page.get_by_text("Most exposed", exact=True)).to_be_visible()
    assert before_long(counted, tmp_path, {"DataFrame"})
    contexts[0].close()
    assert before_long(counted, tmp_path, set())


def before_long(server: Server, folder: Path, kinds: set[str]) -> bool:
    """Return whether the server comes to hold these kinds of tables and files alone.

    What a run held is freed when its thread lets go of it, some time after the page is
    at rest.
    """
    deadline = time.monotonic() + PATIENCE
    while held(server, folder) != kinds:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.5)
    return True


def held(server: Server, folder: Path) -> set[str]:
    """Return the kinds of large tables and files that the server holds."""
    answer = folder / "census"
    answer.unlink(missing_ok=True)
    server.process.send_signal(signal.SIGUSR1)
    deadline = time.monotonic() + PATIENCE
    while not (answer.exists() and answer.read_text(encoding="utf-8")):
        assert time.monotonic() < deadline, "the server did not answer"
        time.sleep(0.1)
    return set(answer.read_text(encoding="utf-8").split())


def test_hostile_names_make_no_request_and_no_markup(context, server):
    wire = Wire(context)
    dialogs = []
    visitor = visit(context, server.url)
    visitor.page.on("dialog", lambda dialog: (dialogs.append(dialog), dialog.dismiss()))
    rows = "\n".join(f"{i % 9},{'ab'[i % 2]}" for i in range(120))
    quoted = HOSTILE.replace('"', '""')
    visitor.go("data")
    visitor.upload(f'"{quoted}","{quoted} group"\n{rows}\n', HOSTILE_FILE)
    visitor.edit_columns()
    visitor.choose("Column", f"{HOSTILE} group")
    visitor.choose("Type", "category")
    categories = visitor.page.get_by_role("textbox", name="Public list")
    categories.fill(f"{HOSTILE}\na\nb")
    categories.press("Control+Enter")
    visitor.settle()
    visitor.choose("Column", HOSTILE)
    visitor.use(0, 10)
    visitor.pick("Classroom")
    visitor.go("privacy_loss")
    visitor.choose("Compare groups by", f"{HOSTILE} group")
    visitor.go("release")
    visitor.release()
    visitor.button("Add to plan").click()
    visitor.settle()
    visitor.choose("Column", f"{HOSTILE} group")
    visitor.choose("Statistic", "histogram")
    visitor.press_release()
    expect(visitor.page.get_by_text("the largest").first).to_be_visible()
    for name in NAMING_COLUMNS:
        visitor.go(name)
        visitor.unfold()
        # Letter by letter in the side bar, and wherever the column is named.
        text = visitor.text.replace("\u2060", "")
        assert HOSTILE_FILE in text
        if name == "release":
            assert f"istogram of {HOSTILE} group" in text
        places = "[src*=evil], [*|href*=evil], [onerror], [src=x], .katex"
        strange = visitor.page.locator(places)
        found = [place.evaluate("place => place.outerHTML") for place in strange.all()]
        assert found == [], name
        expect(visitor.page.get_by_text("bomb", exact=True)).to_have_count(0)
    assert dialogs == []
    assert wire.outside(server.url) == []


@pytest.mark.usefixtures("undrawn")
def test_errors_quote_no_cell(context, server):
    wire = Wire(context)
    said = []
    visitor = visit(context, server.url)
    visitor.page.on("console", lambda message: said.append(message.text))
    visitor.page.on("pageerror", lambda error: said.append(str(error)))
    visitor.go("data")
    text = "age,name\n" + "".join(f"{i % 90},{CELL}-{i}\n" for i in range(300))
    visitor.upload(text)
    visitor.edit_columns()
    visitor.choose("Column", "name")
    visitor.choose("Type", "number")
    visitor.open_confidential()
    # No cell is a number: the page says how many are not, and says it without a cell.
    invalid = "Of these, 300 have a cell that is not of the type number"
    expect(visitor.page.get_by_text(invalid)).to_be_visible()
    visitor.use(0, 10)
    visitor.choose("Column", "name")
    visitor.press_release()
    expect(visitor.page.get_by_text("Release 1 of this question")).to_be_visible()
    for broken in (
        f'age,name\n1,"{CELL}\n2,x\n',
        f"age,name\n1,{CELL},3\n",
        f"age,name\n1,{CELL}\x00\n",
        f"age,name\n1,{CELL}é\n".encode("utf-16")[:-1],
    ):
        visitor.go("data")
        visitor.send(broken, "broken.csv")
        expect(visitor.page.get_by_text("Your previous data are unchanged.")).to_be_visible()
        visitor.settle()
        said.append(visitor.text)
    assert not wire.holds(CELL)
    assert not [text for text in said if CELL in text]
    assert CELL not in server.log.read_text(encoding="utf-8")
