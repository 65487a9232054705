"""A tab keeps its table to itself, and gives it up as it closes."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.browser.server import Server
from tests.browser.tab import Tab
from tests.browser.test_classes import in_a_thread
from tests.browser.test_ledger_browser import Book
from tests.browser.visitor import table
from tests.conftest import PATIENCE
from tests.registry import FIRST
from tests.written import Written

pytestmark = pytest.mark.browser

# Large enough that Streamlit's own caches would hash a sample of it only.
MANY = [i % 101 for i in range(60_000)]
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


def test_tables_that_differ_in_one_person_stay_apart(server):
    in_a_thread(apart(server))


async def apart(server):
    tables = [[0, *MANY], [100, *MANY]]
    totals = [float(sum(values)) for values in tables]
    sums = [Written(head=f"{total}", number=total) for total in totals]
    async with Tab(server.url) as first, Tab(server.url) as second:
        for tab, values in zip((first, second), tables, strict=True):
            await tab.use(table(values).encode())
            await tab.put("Statistic", "sum")
        await first.release()
        await second.go("budget")
        assert any(text.startswith("Nothing has been released") for text in second.texts)
        await second.go("release")
        await second.put("Statistic", "sum")
        await second.release()
        drawn = [Book(server, table(values)).releases[-1].values for values in tables]
        assert drawn[0] != drawn[1]
        for tab in (first, second):
            assert not any(total.within(frame) for total in sums for frame in tab.frames)
        # Both have asked the same by now, so that a shared result would show.
        for tab in (first, second):
            await tab.put("Mode", "Classroom")
            await tab.release()
        for tab, own, other in zip((first, second), sums, reversed(sums), strict=True):
            assert any(own.within(frame) for frame in tab.frames)
            assert not any(other.within(frame) for frame in tab.frames)


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


def test_closed_tabs_free_what_was_sent_and_what_is_in_use(counted, tmp_path):
    in_a_thread(closed(counted, tmp_path))


async def closed(server, folder):
    # Nobody comes after these tabs: Streamlit tidies up after one when another closes.
    async with Tab(server.url) as first:
        async with Tab(server.url) as second:
            for tab in (first, second):
                await tab.go("data")
                await tab.upload(table(MANY).encode())
            await second.upload(f"{table(MANY)}1,2,3\n".encode(), "broken.csv")
            assert any("Your previous data are unchanged." in text for text in second.texts)
            # Streamlit, which outlives the tab, holds neither file.
            assert before_long(server, folder, {"DataFrame", "Upload"})
        await first.use()
        # Callbacks of every place, which Streamlit keeps for a while, hold no table.
        for script in FIRST.values():
            await first.go("" if script == "home" else script)
        await first.go("privacy_loss")
        await first.put("Show everybody's own privacy loss", value=True)
        assert "**Most exposed**" in first.texts
        assert before_long(server, folder, {"DataFrame"})
    assert before_long(server, folder, set())


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
