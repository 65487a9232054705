"""A browser tab without a browser: Streamlit's own messages over a websocket."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import UploadedFileInfo
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
_BOUNDARY = "epsilon-studio"
_VALUES: Final = {
    "number_input": "double_value",
    "radio": "string_value",
    "selectbox": "string_value",
    "checkbox": "bool_value",
}
"""Controls that are known by their labels, and where their messages have the value."""
_ENDS: Final = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
)


class Tab:
    """A tab on one page of a server on this machine; an asynchronous context manager.

    The host of its address is sent and not looked up. The tab uploads and declares a
    table, sets controls and presses buttons by their labels, opens expanders, and asks for
    the parts of the page that run again by themselves, as a browser does.
    """

    def __init__(
        self, url: str, page: str = "", query: str = "", cookies: Mapping[str, str] | None = None
    ) -> None:
        self._url, self._page, self._query = url, page, query
        self._cookies = cookies or {}
        self._controls: dict[str, tuple[str, str]] = {}
        self._session = self._uploader = self._grid = ""
        self.texts: list[str] = []
        self.frames: list[bytes] = []
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

    async def put(self, label: str, value: str | float) -> None:
        """Set a control: an option, a number, or a switch."""
        async with self._lock:
            key, field = self._controls[label]
            self._widgets[key] = WidgetState(id=key, **{field: value})
            await self._run()

    async def go(self, page: str) -> None:
        """Open another page."""
        self.leave_for(page)
        await self.run()

    def leave_for(self, page: str) -> None:
        """Send nothing of this page any more: the next run is one of another page."""
        self._page = page
        self._widgets.clear()
        self._buttons.clear()
        self.texts.clear()

    async def upload(self, content: bytes, name: str = "people.csv") -> None:
        """Choose a file where the page asks for one."""
        message = BackMsg()
        message.file_urls_request.request_id = "1"
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self._session
        await self._socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(await self._socket.recv(decode=False))
            if answer.WhichOneof("type") == "file_urls_response":
                break
        place = answer.file_urls_response.file_urls[0]
        await asyncio.to_thread(self._send, place.upload_url, content, name)
        info = UploadedFileInfo(file_id=place.file_id, name=name, size=len(content))
        info.file_urls.CopyFrom(place)
        state = WidgetState(id=self._uploader)
        state.file_uploader_state_value.uploaded_file_info.append(info)
        self._widgets[state.id] = state
        await self.run()
        # The page takes the file over, and shows another uploader.
        del self._widgets[state.id]

    def declare(self, **cells: str) -> None:
        """Type cells of the first column into the grid; the next run of the page reads them."""
        edits = {"edited_rows": {"0": cells}, "added_rows": [], "deleted_rows": []}
        self._widgets[self._grid] = WidgetState(id=self._grid, string_value=json.dumps(edits))

    async def use(self, content: bytes = b"") -> None:
        """Upload a table, declare its first column between 0 and 100, and go on to Release.

        Without one, use the table that was uploaded.
        """
        if content:
            await self.go("data")
            await self.upload(content)
        self.declare(lower="0", upper="100")
        await self.run()
        # As in a browser, the press itself opens the next page.
        await self.press("Continue to Release")
        self.leave_for("release")
        await self.run()

    async def release(self) -> None:
        """Release the question of the page, and confirm where that is asked."""
        for named in (r"Release( and spend .*)?", r"Spend .*"):
            for label in [label for label in self._buttons if re.fullmatch(named, label)][-1:]:
                await self.press(label)

    def _send(self, path: str, content: bytes, name: str) -> None:
        """Send the file as a browser does, with the token of the server's cookie."""
        place = http.client.HTTPConnection(urlsplit(self._url).netloc, timeout=PATIENCE)
        place.request("GET", "/_stcore/health")
        with place.getresponse() as answer:
            answer.read()
            token = str(answer.getheader("set-cookie")).partition(";")[0]
        head = (
            f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; '
            f'filename="{name}"\r\nContent-Type: text/csv\r\n\r\n'
        )
        place.request(
            "PUT",
            path,
            head.encode() + content + f"\r\n--{_BOUNDARY}--\r\n".encode(),
            {
                "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
                "Cookie": token,
                "X-Xsrftoken": token.partition("=")[2].strip('"'),
            },
        )
        with place.getresponse() as answer:
            assert answer.status < 300, answer.read()
            answer.read()
        place.close()

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
        self.frames.append(frame)
        message = ForwardMsg.FromString(frame)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._session = message.new_session.initialize.session_id or self._session
        elif kind == "auto_rerun":
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
            self._buttons.pop(element.button.label, None)
            self._buttons[element.button.label] = (element.button, delta.fragment_id)
        elif kind in _VALUES:
            control = getattr(element, kind)
            self._controls[control.label] = (control.id, _VALUES[kind])
        elif kind == "dataframe":
            self._grid = element.dataframe.id or self._grid
        elif kind == "file_uploader":
            self._uploader = element.file_uploader.id
        elif kind in {"alert", "markdown"}:
            self.texts.append(getattr(element, kind).body)
        elif kind == "code":
            self.codes.append(element.code.code_text)
