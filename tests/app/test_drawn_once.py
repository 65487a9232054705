"""A short run is sent as a whole, a long one as it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import cast
from unittest.mock import patch

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from ui import drawn_once


class Tab:
    """A tab whose script is played by the test."""

    def __init__(self) -> None:
        self._browser_queue = ForwardMsgQueue()
        self._message_enqueued_callback = self._wake
        self._state = AppSessionState.APP_NOT_RUNNING
        self.woken = asyncio.Event()

    def _wake(self) -> None:
        self.woken.set()

    def status(self, *, running: bool) -> None:
        self._state = AppSessionState.APP_IS_RUNNING if running else AppSessionState.APP_NOT_RUNNING
        message = ForwardMsg()
        message.session_status_changed.script_is_running = running
        self._browser_queue.enqueue(message)

    def element(self, text: str, place: int) -> None:
        message = ForwardMsg()
        message.metadata.delta_path[:] = [0, place]
        message.delta.new_element.markdown.body = text
        self._browser_queue.enqueue(message)

    def sent(self) -> list[str | bool]:
        return [
            each.session_status_changed.script_is_running
            if each.HasField("session_status_changed")
            else each.delta.new_element.markdown.body
            for each in drawn_once.sent_now(cast("AppSession", self))
        ]


def _run(test: Coroutine[None, None, None], seconds: float) -> None:
    # In a thread: where this worker has a browser, its own loop runs here.
    with patch.object(drawn_once, "_SHORT_SECONDS", seconds), ThreadPoolExecutor() as pool:
        pool.submit(asyncio.run, test).result()


def test_a_short_run_is_sent_as_it_has_ended_without_saying_that_it_went_on() -> None:
    async def test() -> None:
        tab = Tab()
        for text in ("first", "second"):
            tab.status(running=True)
            tab.element(text, 0)
            assert tab.sent() == []
            tab.element("more", 1)
            assert tab.sent() == []
            tab.status(running=False)
            assert tab.sent() == [text, "more", False]
            assert tab.sent() == []

    _run(test(), 60)


def test_a_long_run_is_woken_and_sends_what_it_has_and_then_each_element() -> None:
    async def test() -> None:
        tab = Tab()
        tab.status(running=True)
        tab.element("first", 0)
        assert tab.sent() == []
        await tab.woken.wait()
        assert tab.sent() == [True, "first"]
        tab.element("second", 1)
        assert tab.sent() == ["second"]
        tab.status(running=False)
        assert tab.sent() == [False]
        tab.status(running=True)
        assert tab.sent() == []

    _run(test(), 0.01)
