"""A browser tab without a browser: Streamlit's own messages over a websocket."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect

if TYPE_CHECKING:
    from streamlit.proto.Button_pb2 import Button
    from streamlit.proto.Delta_pb2 import Delta
    from websockets.asyncio.client import ClientConnection

PATIENCE: Final = 120.0
"""Seconds that a run of a page may take before the tab gives up."""
_LOOPBACK = "127.0.0.1"
_ENDS: Final = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
)


class Tab:
    """A tab on one page of a server on this machine; an asynchronous context manager.

    The host of its address is sent and not looked up. The tab presses buttons by their
    labels, opens expanders, and asks for the parts of the page that run again by
    themselves, as a browser does.
    """

    def __init__(
        self, url: str, page: str = "", query: str = "", cookies: Mapping[str, str] | None = None
    ) -> None:
        self._url, self._page, self._query = url, page, query
        self._cookies = cookies or {}
        self._radios: dict[str, str] = {}
        self.texts: list[str] = []
        self._widgets: dict[str, WidgetState] = {}
        self._buttons: dict[str, tuple[Button, str]] = {}
        self._expanders: dict[str, str] = {}
        self._fragments: dict[str, float] = {}
        self._lock = asyncio.Lock()
        self._socket: ClientConnection
        self.codes: list[str] = []

    async def __aenter__(self) -> Self:
        """Open the tab, and wait until its page is drawn."""
        parts = urlsplit(self._url)
        self._socket = await connect(
            f"ws://{parts.netloc}/_stcore/stream",
            host=_LOOPBACK,
            port=parts.port,
            origin=self._url,
            # Streamlit knows who is signed in only where the token comes both ways.
            subprotocols=["streamlit", *filter(None, [self._cookies.get("_streamlit_xsrf")])],
            additional_headers={
                "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())
            },
            max_size=None,
            open_timeout=PATIENCE,
            ping_interval=None,
        )
        await self.run()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Leave, as a closed tab does."""
        await self._socket.close()

    async def run(self, fragment: str = "", *, by_itself: bool = False) -> None:
        """Run the page, or a part of it, and wait for the end of the run."""
        async with self._lock:
            await self._run(fragment, by_itself=by_itself)

    async def press(self, label: str) -> None:
        """Press a button."""
        async with self._lock:
            button, fragment = self._buttons[label]
            await self._run(fragment, WidgetState(id=button.id, trigger_value=True))

    async def unfold(self, label: str) -> None:
        """Open an expander."""
        async with self._lock:
            state = WidgetState(id=self._expanders[label], bool_value=True)
            self._widgets[state.id] = state
            await self._run()

    async def choose(self, label: str, option: str) -> None:
        """Choose an option of a radio group."""
        async with self._lock:
            state = WidgetState(id=self._radios[label], string_value=option)
            self._widgets[state.id] = state
            await self._run()

    @property
    def buttons(self) -> frozenset[str]:
        """Return the labels of all buttons that were drawn."""
        return frozenset(self._buttons)

    async def live(self) -> None:
        """Run again what runs by itself, until cancelled."""
        while True:
            fragment, seconds = next(iter(self._fragments.items()), ("", 1.0))
            await asyncio.sleep(seconds)
            if fragment:
                await self.run(fragment, by_itself=True)

    async def _run(
        self, fragment: str = "", pressed: WidgetState | None = None, *, by_itself: bool = False
    ) -> None:
        message = BackMsg()
        asked = message.rerun_script
        asked.page_name, asked.query_string = self._page, self._query
        asked.fragment_id, asked.is_auto_rerun = fragment, by_itself
        asked.context_info.url = f"{self._url}/{self._page}"
        asked.widget_states.widgets.extend(self._widgets.values())
        if pressed is not None:
            asked.widget_states.widgets.append(pressed)
        if not fragment:
            self._fragments.clear()
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while not self._took(await self._socket.recv(decode=False)):
                pass

    def _took(self, frame: bytes) -> bool:
        """Take over a message; return whether it ends a run."""
        message = ForwardMsg.FromString(frame)
        kind = message.WhichOneof("type")
        if kind == "auto_rerun":
            one = message.auto_rerun
            self._fragments[one.fragment_id] = one.interval
        elif kind == "delta":
            self._draw(message.delta)
        return kind == "script_finished" and message.script_finished in _ENDS

    def _draw(self, delta: Delta) -> None:
        if delta.HasField("add_block"):
            area = delta.add_block.expandable
            if area.id:
                self._expanders[area.label] = area.id
            return
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "button":
            self._buttons[element.button.label] = (element.button, delta.fragment_id)
        elif kind == "radio":
            self._radios[element.radio.label] = element.radio.id
        elif kind == "alert":
            self.texts.append(element.alert.body)
        elif kind == "code":
            self.codes.append(element.code.code_text)
