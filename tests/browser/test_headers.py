"""Behind ``asgi.py`` the app sends security headers, and still works."""

from __future__ import annotations

import http.client
import re
import urllib.request
from urllib.parse import urlsplit

import pytest

from tests.browser.rest import DEADLINE
from tests.registry import EARLIER, NAMES

pytestmark = pytest.mark.browser


def test_every_answer_has_the_headers_of_a_wall(server):
    with urllib.request.urlopen(server.url) as response:
        headers = response.headers
    rules = headers["Content-Security-Policy"].split("; ")
    for rule in ("default-src 'self'", "frame-ancestors 'none'", "base-uri 'self'"):
        assert rule in rules
    assert "form-action 'self'" in rules
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_another_site_is_refused_and_nobody_outside_is_asked(server, lookups):
    assert handshake(server, "https://evil.test") == 403
    assert handshake(server, "http://localhost:1") == 403
    assert handshake(server, server.url, host="evil.test") == 403
    assert handshake(server, server.url) == 101
    looked_up = lookups.read_text(encoding="utf-8").split()
    assert set(looked_up) <= {"0.0.0.0", "127.0.0.1", "localhost"}  # noqa: S104


@pytest.mark.parametrize("path", ["/", "/release", "/_stcore/health", "/nothing"])
def test_another_host_is_not_served(server, path):
    assert status(server, path, headers={"Host": "evil.test"}) == 421


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
def test_a_known_path_is_served(server, path):
    assert status(server, path) == 200
    assert status(server, path, "HEAD") == 200


def test_every_file_that_a_page_names_is_served(server):
    with urllib.request.urlopen(server.url) as response:
        page = response.read().decode()
    files = re.findall(r'(?:src|href)="\./(static/[^"]+)"', page)
    assert files
    for file in files:
        assert status(server, f"/{file}") == 200


@pytest.mark.parametrize("path", ["/release/", "/class/"])
def test_a_slash_at_the_end_leads_to_the_page(server, path):
    assert status(server, path) == 301


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
def test_an_unknown_path_is_not_found(server, method, path):
    assert status(server, path, method) == 404


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
