"""Behind ``asgi.py`` the app sends security headers, and still works."""

from __future__ import annotations

import http.client
import re
import urllib.request
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.rest import DEADLINE
from tests.browser.server import Server
from tests.browser.visitor import table, visit
from tests.registry import EARLIER, NAMES

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


@pytest.fixture(scope="module")
def lookups(tmp_path_factory):
    return tmp_path_factory.mktemp("names") / "lookups"


@pytest.fixture(scope="module")
def hardened(lookups):
    (lookups.parent / "sitecustomize.py").write_text(LOOKUPS, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(lookups.parent))
        patch.setenv("LOOKUPS", str(lookups))
        patch.delenv("EPSILON_STUDIO_METRICS", raising=False)
        server = Server(lookups.parent, entry="asgi.py")
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
    visitor.go("release")
    visitor.release()
    assert '"mean of age"' in visitor.download("Download JSON")
    assert not [text for text in said if "Content Security Policy" in text]
    # The policy is in force: what it forbids is refused, and said on the console.
    with visitor.page.expect_console_message(
        lambda message: "Content Security Policy" in message.text, timeout=DEADLINE
    ):
        visitor.page.evaluate("new Image().src = 'http://localhost:1/refused.png'")


def test_another_site_is_refused_and_nobody_outside_is_asked(hardened, lookups):
    assert handshake(hardened, "https://evil.test") == 403
    assert handshake(hardened, "http://localhost:1") == 403
    assert handshake(hardened, hardened.url, host="evil.test") == 403
    assert handshake(hardened, hardened.url) == 101
    looked_up = lookups.read_text(encoding="utf-8").split()
    assert set(looked_up) <= {"127.0.0.1", "localhost"}


@pytest.mark.parametrize("path", ["/", "/release", "/_stcore/health", "/nothing"])
def test_another_host_is_not_served(hardened, path):
    assert status(hardened, path, headers={"Host": "evil.test"}) == 421


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?example=rand-hie",
        *(f"/{stem}" for stem in NAMES if stem != "home"),
        *(f"/{path}" for path in EARLIER),
        "/class",
        "/favicon.png",
        "/manifest.json",
        "/_stcore/health",
        "/_stcore/host-config",
    ],
)
def test_a_known_path_is_served(hardened, path):
    assert status(hardened, path) == 200
    assert status(hardened, path, "HEAD") == 200


def test_every_file_that_a_page_names_is_served(hardened):
    with urllib.request.urlopen(hardened.url) as response:
        page = response.read().decode()
    files = re.findall(r'(?:src|href)="\./(static/[^"]+)"', page)
    assert files
    for file in files:
        assert status(hardened, f"/{file}") == 200


@pytest.mark.parametrize("path", ["/release/", "/class/"])
def test_a_slash_at_the_end_leads_to_the_page(hardened, path):
    assert status(hardened, path) == 301


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize(
    "path",
    [
        "/home",
        "/nothing",
        "/nothing/",
        "/Release",
        "/release/nothing",
        "/nothing/release",
        "/release/_stcore/health",
        "/pages/release.py",
        "/static/nothing.js",
        "/_stcore/nothing",
        "/_stcore/metrics",
        "/_stcore/metrics/",
    ],
)
def test_an_unknown_path_is_not_found(hardened, method, path):
    assert status(hardened, path, method) == 404


def status(server, path, method="GET", headers=None):
    """What the server answers to a request."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=DEADLINE / 1000)
    connection.request(method, path, headers=headers or {})
    status = connection.getresponse().status
    connection.close()
    return status


def handshake(server, origin, host=None):
    """What the server answers to a page of that origin which opens a websocket."""
    headers = {
        "Host": host or urlsplit(server.url).netloc,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
        "Origin": origin,
    }
    return status(server, "/_stcore/stream", headers=headers)
