"""What is set aside, and what must not stay."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.formparsers import MultiPartParser
from starlette.requests import Request

from tests.conftest import PATIENCE
from ui import open_tabs, session

set_aside = open_tabs.set_aside


class Table:
    """Something that can be watched, in a circle with itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def put_back():
    yield
    gc.unfreeze()


def test_a_table_that_has_gone_is_freed():
    set_aside()
    table = Table()
    watched = weakref.ref(table)
    del table
    open_tabs.collect()
    assert watched() is None


def test_a_collection_does_not_look_at_what_is_set_aside():
    set_aside()
    assert len(gc.get_objects()) < gc.get_freeze_count() / 10


def test_objects_are_set_aside_before_any_tab_can_have_a_table(monkeypatch):
    order = []
    monkeypatch.setattr(open_tabs, "set_aside", lambda: order.append("set aside"))
    monkeypatch.setattr(threading.Thread, "start", lambda _: order.append("thread"))
    session._warm_up.__wrapped__()  # noqa: SLF001 - no public way
    assert order == ["set aside", "thread"]


def test_one_collection_follows_however_many_tabs_leave(monkeypatch):
    started, runs = [], []
    monkeypatch.setattr(
        threading.Timer,
        "start",
        lambda timer: started.append(timer),  # noqa: PLW0108 - binds
    )
    tidying_up = open_tabs.Postponed(lambda: runs.append(1))
    for _ in range(80):
        tidying_up.request()
    assert runs == []
    (timer,) = started
    timer.function()
    assert runs == [1]


def test_a_tab_that_leaves_during_a_collection_is_followed_by_another():
    threads, ended = [], threading.Event()

    def job():
        threads.append(threading.current_thread())
        if len(threads) == 1:
            tidying_up.request()
        else:
            ended.set()

    tidying_up = open_tabs.Postponed(job, seconds=0.0)
    tidying_up.request()
    assert ended.wait(PATIENCE)
    assert threading.current_thread() not in threads


def test_a_file_that_is_sent_stays_in_memory(monkeypatch):
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1 << 20)
    open_tabs.keep_uploads(4 << 20)
    part = b'Content-Disposition: form-data; name="f"; filename="f.csv"'
    sent = b"".join((b"--x\r\n", part, b"\r\n\r\n", bytes(3 << 20), b"\r\n--x--\r\n"))
    headers = [(b"content-type", b"multipart/form-data; boundary=x")]

    async def receive():
        return {"type": "http.request", "body": sent, "more_body": False}

    async def on_disk():
        async with Request({"type": "http", "headers": headers}, receive).form() as form:
            file = form["f"].file
            assert len(file.read()) == 3 << 20
            return file.name

    # A browser of other tests may have left an event loop in this thread.
    with ThreadPoolExecutor(max_workers=1) as pool:
        assert pool.submit(lambda: asyncio.run(on_disk())).result() is None
