"""A file holds what is on the screen when its button is pressed."""

from __future__ import annotations

import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from ui import downloads
from ui.downloads import File, Offer


@pytest.fixture
def pool():
    with ThreadPoolExecutor(1) as pool:
        yield pool


def file(content, name="a.txt"):
    return File(name=name, mime="text/plain", content=lambda: content)


def started(pool, offer, press):
    """Ask for the file as Streamlit does: in a thread of its own, once it waits."""
    waits = threading.Event()

    def ask():
        waits.set()
        return offer.content(press)

    asked = pool.submit(ask)
    waits.wait()
    return asked


def test_a_file_waits_for_the_run_that_its_press_asks_for(pool):
    offer = Offer()
    press = offer.renew(file("before"))
    asked = started(pool, offer, press)
    # The run that began when the field was left knows nothing of the press yet.
    assert offer.renew(file("typed")) == press
    assert not asked.done()
    offer.press()
    offer.renew(file("typed, and pressed"))
    assert asked.result() == "typed, and pressed"
    # The next press waits again.
    assert offer.renew(file("typed, and pressed")) == press + 1


@pytest.mark.parametrize("ended", [Offer.end_run, Offer.close])
def test_a_button_that_is_gone_gives_the_file_that_it_offered(pool, ended):
    offer = Offer()
    asked = started(pool, offer, offer.renew(file("own")))
    offer.press()
    ended(offer)
    assert asked.result() == "own"


def test_a_button_keeps_its_own_file_where_the_page_offers_another_one(pool):
    offer = Offer()
    asked = started(pool, offer, offer.renew(file("own")))
    offer.press()
    offer.renew(file("another", "b.txt"))
    assert asked.result() == "own"


def test_a_closed_button_holds_no_file_but_a_pressed_one():
    offer = Offer()
    makers = [lambda: "before", lambda: "pressed", lambda: "on screen"]
    held = [weakref.ref(maker) for maker in makers]
    for maker in makers:
        press = offer.renew(File(name="a.txt", mime="text/plain", content=maker))
        offer.press()
    offer.renew(file("last"))
    offer.close()
    del maker, makers
    assert [reference() is None for reference in held] == [True, True, False]
    assert offer.content(press) == "on screen"
    assert held[-1]() is None
    with pytest.raises(LookupError):
        offer.content(press)


def test_a_press_that_is_never_answered_fails(monkeypatch):
    monkeypatch.setattr(downloads, "_PATIENCE", 0.0)
    offer = Offer()
    press = offer.renew(file("stale"))
    with pytest.raises(TimeoutError):
        offer.content(press)


def test_a_press_that_is_taken_up_late_finds_its_file(monkeypatch):
    monkeypatch.setattr(MediaFileManager, "_remove_orphaned_deferred_callables", None)
    downloads.keep_pressed()
    now = [0.0]
    monkeypatch.setattr("ui.downloads.time.monotonic", lambda: now[0])
    manager = MediaFileManager(MemoryMediaFileStorage("/media"))

    def run_of_the_page():
        manager.clear_session_refs()
        name = manager.add_deferred(lambda: "text", "text/plain", "0.1", "a.txt")
        manager.remove_orphaned_files()
        return name

    pressed = run_of_the_page()
    now[0] = 1000.0
    latest = run_of_the_page()
    assert manager.execute_deferred(pressed)
    now[0] += 19.0
    manager.remove_orphaned_files()
    assert manager.execute_deferred(pressed)
    now[0] += 2.0
    manager.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError, match="not found"):
        manager.execute_deferred(pressed)
    assert manager.execute_deferred(latest)
