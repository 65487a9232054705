"""Behind ``asgi.py`` the app sends security headers, and still works."""

from __future__ import annotations

import urllib.request

import pytest
from playwright.sync_api import expect

from tests.browser.server import Server
from tests.browser.visitor import table, visit

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture
def hardened(tmp_path):
    server = Server(tmp_path, entry="asgi.py")
    yield server
    server.kill()


def test_app_works_under_its_content_security_policy(context, hardened):
    with urllib.request.urlopen(hardened.url) as response:
        headers = response.headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
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
    visitor.page.evaluate("new Image().src = 'http://localhost:1/refused.png'")
    visitor.page.wait_for_timeout(300)
    assert [text for text in said if "Content Security Policy" in text]
