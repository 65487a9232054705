"""Behind ``asgi.py`` the app sends security headers, and still works."""

from __future__ import annotations

import http.client
import urllib.request
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.rest import DEADLINE
from tests.browser.server import Server
from tests.browser.visitor import table, visit

# Python reads this file as it starts: every name that the server looks up is noted.
LOOKUPS = """
import os, socket

def noted(host, *rest, known=socket.getaddrinfo, **named):
    with open(os.environ["LOOKUPS"], "a") as file:
        print(host, file=file)
    return known(host, *rest, **named)

socket.getaddrinfo = noted
socket.getaddrinfo("127.0.0.1", 0)
"""

pytestmark = pytest.mark.browser


@pytest.fixture
def hardened(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(LOOKUPS, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("LOOKUPS", str(tmp_path / "lookups"))
    server = Server(tmp_path, entry="asgi.py")
    yield server
    server.kill()


def test_app_works_under_its_content_security_policy(context, hardened):
    with urllib.request.urlopen(hardened.url) as response:
        headers = response.headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    for rule in ("frame-ancestors 'none'", "base-uri 'self'", "form-action 'self'"):
        assert rule in headers["Content-Security-Policy"].split("; ")
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"

    said = []
    context.on("console", lambda message: said.append(message.text))
    visitor = visit(context, hardened.url)
    expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    expect(visitor.page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    visitor.use_upload(table(range(100)))
    visitor.go("Release")
    visitor.release()
    assert '"mean of age"' in visitor.download("Download JSON")
    assert not [text for text in said if "Content Security Policy" in text]
    # The policy is in force: what it forbids is refused, and said on the console.
    with visitor.page.expect_console_message(
        lambda message: "Content Security Policy" in message.text, timeout=DEADLINE
    ):
        visitor.page.evaluate("new Image().src = 'http://localhost:1/refused.png'")


def test_another_site_is_refused_and_nobody_outside_is_asked(hardened, tmp_path):
    assert handshake(hardened, "https://evil.test") == 403
    assert handshake(hardened, hardened.url) == 101
    looked_up = (tmp_path / "lookups").read_text(encoding="utf-8").split()
    assert set(looked_up) <= {"127.0.0.1", "localhost"}


def handshake(server, origin):
    """What the server answers to a page of that origin which opens a websocket."""
    connection = http.client.HTTPConnection(
        urlsplit(server.url).netloc, timeout=DEADLINE / 1000
    )
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
        "Origin": origin,
    }
    connection.request("GET", "/_stcore/stream", headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status
