"""What is set aside, and what must not stay."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest
from starlette.formparsers import MultiPartParser
from starlette.requests import Request

from ui import memory

tidy = memory.tidy


class Table:
    """Something that can be watched, in a circle with itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def put_back():
    yield
    gc.unfreeze()


def test_what_has_gone_is_freed_even_where_it_was_set_aside():
    table = Table()
    watched = weakref.ref(table)
    tidy()
    assert gc.get_freeze_count() > 0
    del table
    gc.collect()
    assert watched() is not None, "set aside: no longer looked at"
    tidy()
    assert watched() is None


def test_a_collection_does_not_look_at_what_is_set_aside():
    tidy()
    assert len(gc.get_objects()) < gc.get_freeze_count() / 10


def test_a_file_that_is_sent_stays_in_memory(monkeypatch):
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1 << 20)
    memory.keep_uploads(4 << 20)
    part = b'Content-Disposition: form-data; name="f"; filename="f.csv"'
    sent = b"".join((b"--x\r\n", part, b"\r\n\r\n", bytes(3 << 20), b"\r\n--x--\r\n"))
    headers = [(b"content-type", b"multipart/form-data; boundary=x")]

    async def receive():
        return {"type": "http.request", "body": sent, "more_body": False}

    async def on_disk():
        async with Request(
            {"type": "http", "headers": headers}, receive
        ).form() as form:
            file = form["f"].file
            assert len(file.read()) == 3 << 20
            return file.name

    assert asyncio.run(on_disk()) is None


def test_memory_at_hand_is_given_back_even_where_a_file_cannot_be_read(monkeypatch):
    done = []
    monkeypatch.setattr(memory, "_keep_at_hand", lambda *sizes: done.append(sizes))
    monkeypatch.setattr(memory, "give_back", lambda: done.append("back"))

    @memory.some_at_hand()
    def read() -> None:
        assert len(done) == 1
        message = "no table"
        raise ValueError(message)

    with pytest.raises(ValueError, match="no table"):
        read()
    (kept, taken), (left, nothing), last = done
    assert kept > left
    assert taken > nothing == 0
    assert last == "back"
