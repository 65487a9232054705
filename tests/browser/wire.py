"""Everything that passes between the server and a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.written import Needle, within

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Request, WebSocket

_INLINE = ("data:", "blob:", "about:")


class Wire:
    """Listens to a tab, or to every tab of a context that is opened from here on."""

    def __init__(self, source: BrowserContext | Page) -> None:
        self.requests: list[Request] = []
        self.frames: list[bytes] = []
        source.on("request", self._note)
        if hasattr(source, "new_page"):
            source.on("page", lambda page: page.on("websocket", self._listen))
        else:
            source.on("websocket", self._listen)

    @property
    def urls(self) -> list[str]:
        return [request.url for request in self.requests]

    def outside(self, server: str) -> list[str]:
        """Return the addresses asked for that are not the server's."""
        inside = (server, server.replace("http", "ws", 1), *_INLINE)
        return [url for url in self.urls if not url.startswith(inside)]

    def holds(self, *needles: Needle) -> list[Needle]:
        """Return those of the needles that came over the websocket."""
        # Plotly writes a slash, a digit of base64, as an escape.
        haystack = b"".join(self.frames).replace(b"\\u002f", b"/")
        return [needle for needle in needles if within(needle, haystack)]

    def _note(self, request: Request) -> None:
        self.requests.append(request)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: self.frames.append(_bytes(payload)))


def _bytes(payload: str | bytes) -> bytes:
    return payload.encode() if isinstance(payload, str) else payload
