"""What is set aside, and what must not stay."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest
from starlette.formparsers import MultiPartParser
from starlette.requests import Request

from ui import tidying

tidy = tidying.tidy


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
    tidying.keep_uploads(4 << 20)
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
