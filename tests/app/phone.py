"""A phone of a class: requests to the routes of the phones, and one cookie jar."""

from __future__ import annotations

import json
from http.cookies import SimpleCookie

from starlette.applications import Starlette

from ui.lessons import phones

APP = Starlette(routes=phones.routes())


class Phone:
    """A phone with a network address; ``code`` is the class of all its requests."""

    def __init__(self, code: str, address: str = "192.0.2.1") -> None:
        self._code, self._address = code, address
        self.cookies: dict[str, tuple[str, str]] = {}

    def join(self) -> int:
        """Ask for a seat, and return the status."""
        return self.ask("seat", "POST")[0]

    def question(self) -> dict:
        """Return what the phone shows."""
        status, shown = self.ask("question")
        assert status == 200
        return shown

    def answer(self, choice: int, lesson: str = "why-noise") -> int:
        """Answer, and return the status."""
        return self.ask(f"answer/{lesson}/{choice}", "POST")[0]

    def ask(self, path: str, method: str = "GET", *, own: bool = True) -> tuple:
        """Make a request; return its status and content."""
        path = f"{phones.path(self._code)}/{path}"
        sent = [
            f"{name}={value}"
            for name, (value, below) in self.cookies.items()
            if path.startswith(below)
        ]
        headers = [(b"cookie", "; ".join(sent).encode())] if sent else []
        if own:
            headers.append((phones.HEADER.encode(), b"1"))
        scope = {
            "type": "http",
            "method": method,
            "scheme": "http",
            "path": path,
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "client": (self._address, 1),
        }
        messages = []

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            messages.append(message)

        # Nothing in it waits, so that it needs no event loop, of which another may run.
        try:
            APP(scope, receive, send).send(None)
        except StopIteration:
            start, *bodies = messages
        for name, value in start["headers"]:
            if name == b"set-cookie":
                self._keep(value.decode())
        body = b"".join(message["body"] for message in bodies)
        return start["status"], json.loads(body) if body[:1] == b"{" else body.decode()

    def _keep(self, header: str) -> None:
        for name, morsel in SimpleCookie(header).items():
            self.cookies[name] = (morsel.value, morsel["path"])
