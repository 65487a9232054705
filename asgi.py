"""The app behind its wall: security headers, its own hosts, pages and messages only."""

from __future__ import annotations

import os
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Match
from streamlit import config
from streamlit.file_util import get_static_dir
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from epsilon_studio import hosts
from ui import roles
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
_POLICY_VIOLATION = 1008
_SCRIPTS = "/_stcore/bidi-components/"
_KEPT = "public, max-age=31536000, immutable"
_SCHEMES = {"ws": "http", "wss": "https"}
# By the other types a tab would empty the caches of all tabs, ask for the repository
# that the server runs in, or install files on the server.
_MESSAGES = frozenset(("rerun_script", "stop_script", "app_heartbeat", "file_urls_request"))
_OPERATIONS = frozenset(("deferred_file", "dataframe_chunk"))
_ROOT = Path(__file__).parent
# Any other path gets Streamlit's page, too, which then says that there is no such page.
# Home is at "/".
_PAGES = {f"/{page.stem}" for page in _ROOT.glob("pages/*.py")} - {"/home"}
_ANY_PATH = "static-assets"
_NO_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No page · Epsilon Studio</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; }
body { font: 1.1rem/1.6 system-ui, sans-serif; margin: 0 auto; padding: 2rem 1rem;
  max-width: 34rem; }
h1 { font-size: 1.6rem; line-height: 1.3; }
</style>
<main>
<h1>There is no page at this address</h1>
<p>Open one of these instead:</p>
<ul></ul>
</main>
"""
_METRICS = "/_stcore/metrics"
_METRICS_VARIABLE = "EPSILON_STUDIO_METRICS"


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


class AllowedHostsOnly:
    """Refuse requests to a host that ``server.allowedHosts`` does not name.

    Streamlit checks the host of websockets alone.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is sent to an allowed host, and refuse everything else."""
        if scope["type"] == "lifespan" or is_host_allowed(Headers(scope=scope).get("host")):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        else:
            refusal = PlainTextResponse("This host is not served here.", 421)
            await refusal(scope, receive, send)


class KnownPathsOnly:
    """Answer 404 where the app has no page and the server no file and no service.

    The answer is a page that links to the places of the app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on requests of a known path, and refuse all others."""
        if scope["type"] != "http" or _is_known(scope):
            await self._app(scope, receive, send)
        else:
            await HTMLResponse(_no_page(), 404)(scope, receive, send)


def _base() -> str:
    """Return the path that the app is served below, empty or with a slash before it."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}" if base else ""


def _is_known(scope: Scope) -> bool:
    whole = scope["path"].rstrip("/")  # Streamlit leads on from a slash at the end.
    path = whole.removeprefix(_base())
    if path == _METRICS and not os.environ.get(_METRICS_VARIABLE):
        return False
    if path in _PAGES or path in _assets() or not path:
        return True
    served = any(
        getattr(route, "name", None) != _ANY_PATH
        and route.matches({**scope, "path": whole})[0] is not Match.NONE
        for route in scope["app"].routes
    )
    return served or path in _earlier_links()


@cache
def _assets() -> frozenset[str]:
    """Return the paths of Streamlit's own files, which are looked up when one is asked for."""
    folder = Path(get_static_dir())
    files = (file for file in folder.rglob("*") if file.is_file())
    return frozenset(f"/{file.relative_to(folder).as_posix()}" for file in files)


@cache
def _earlier_links() -> frozenset[str]:
    """Return the links of earlier versions, which lead to the view of today."""
    from ui.places import VIEWS  # noqa: PLC0415 - with all of the core: not before it is asked for

    return frozenset(f"/{path}" for view in VIEWS.values() for path in view.earlier)


def _no_page() -> str:
    """Return the page that stands at every address without one."""
    from ui.places import PLACES  # noqa: PLC0415 - as above

    home, *others = PLACES
    paths = {home.name: ""} | {place.name: place.views[0].script for place in others}
    links = (f'<li><a href="{_base()}/{path}">{name}</a>' for name, path in paths.items())
    return _NO_PAGE.replace("<ul>", "<ul>" + "".join(links))


class KeptScripts:
    """Let browsers keep the scripts of charts, whose addresses name their versions.

    They are sent as they are, like Streamlit's own: to compress them takes a third of a
    second, in which the server does nothing else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, for a script without the offer to unpack it."""
        if _SCRIPTS not in scope.get("path", ""):
            await self._app(scope, receive, send)
            return

        async def send_to_keep(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
                MutableHeaders(scope=message)["Cache-Control"] = _KEPT
            await send(message)

        headers = [each for each in scope["headers"] if each[0] != b"accept-encoding"]
        await self._app({**scope, "headers": headers}, receive, send_to_keep)


class OwnPagesOnly:
    """Refuse websockets, unless a page of this server opens them.

    Streamlit also admits every port of this machine, and it asks a server outside for
    its own address before it refuses another site.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Close a websocket of another origin, and pass on everything else."""
        if scope["type"] != "websocket" or _is_own(scope):
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})


def _is_own(scope: Scope) -> bool:
    """Return whether the page is of this server, or of the proxy before it.

    A proxy that ends TLS hands on a plain websocket. Its host is one that was named.
    """
    headers = Headers(scope=scope)
    origin, host = headers.get("origin"), headers.get("host", "")
    own = {f"{_SCHEMES[scope['scheme']]}://{host}"}
    if urlsplit(f"//{host}").hostname in hosts.named():
        own.add(f"https://{host}")
    return origin in own or origin in st.get_option("server.corsAllowedOrigins")


class OwnTabOnly:
    """Drop websocket messages by which a tab acts on other tabs or on the server."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a connection, without the messages that the app has no use for."""

        async def receive_permitted() -> Message:
            message = await receive()
            while message["type"] == "websocket.receive" and not _is_permitted(message):
                message = await receive()
            return message

        await self._app(scope, receive_permitted, send)


def _is_permitted(message: Message) -> bool:
    data = message.get("bytes")
    if data is None or len(data) > get_max_widget_state_size_bytes():
        return True  # Streamlit closes the connection.
    try:
        sent = BackMsg.FromString(data)
    except Exception:  # noqa: BLE001 - protobuf has two implementations, Streamlit closes
        return True
    kind = sent.WhichOneof("type")
    if kind == "backend_operation_request":
        return sent.backend_operation_request.WhichOneof("payload") in _OPERATIONS
    return kind in _MESSAGES


if hosts.named():
    config.set_option("server.allowedHosts", [*hosts.LOCAL, *hosts.named()])
if os.environ.get(roles.VARIABLE):
    config.set_option("secrets.files", [os.environ[roles.VARIABLE]])
# By default, what is larger than a megabyte is written to the temporary folder.
MultiPartParser.spool_max_size = st.get_option("server.maxUploadSize") * 2**20
app = st.App(
    "app.py",
    routes=phones.routes(),
    middleware=[
        Middleware(SecurityHeaders),
        Middleware(AllowedHostsOnly),
        Middleware(KnownPathsOnly),
        Middleware(KeptScripts),
        Middleware(OwnPagesOnly),
        Middleware(OwnTabOnly),
    ],
)
