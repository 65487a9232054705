"""The app behind security headers, for its own pages only, with uploads in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware

from ui.lessons import phones

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)
_HEADERS = {
    "Content-Security-Policy": "; ".join(_POLICY),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_LOCAL = frozenset(("localhost", "127.0.0.1"))
_POLICY_VIOLATION = 1008


class SecurityHeaders:
    """Add the security headers to every HTTP response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the start of its response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class OwnPagesOnly:
    """Refuse websockets that another site's page opens.

    Streamlit refuses them too, but asks a server outside for its own address first.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Close a websocket of another origin, and pass on everything else."""
        if scope["type"] != "websocket" or _is_own(Headers(scope=scope)):
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})


def _is_own(headers: Headers) -> bool:
    origin = headers.get("origin")
    if origin is None:  # Not a page: browsers always send it.
        return True
    try:
        parts = urlsplit(origin)
        own = parts.netloc == headers.get("host") or parts.hostname in _LOCAL
    except ValueError:
        return False
    return own or origin in st.get_option("server.corsAllowedOrigins")


# By default, what is larger than a megabyte is written to the temporary folder.
MultiPartParser.spool_max_size = st.get_option("server.maxUploadSize") * 2**20
app = st.App(
    "app.py",
    middleware=[Middleware(SecurityHeaders), Middleware(OwnPagesOnly)],
    routes=phones.routes(),
)
