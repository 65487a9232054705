"""What is set aside, and what must not stay."""

from __future__ import annotations

import gc
import weakref

import pytest

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
