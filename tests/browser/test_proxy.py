"""Behind a proxy with TLS, under a host name of its own."""

from __future__ import annotations

import http.client
import ssl
from contextlib import closing

import pytest

from dpcore.lessons.paths import LESSONS, PATHS
from dpcore.releases.record import Release
from tests.browser.proxy import Proxy
from tests.browser.rest import DEADLINE
from tests.browser.server import HOST
from tests.browser.visitor import table, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow]

QUESTION = LESSONS[next(iter(PATHS["class"].lessons))].text().predict


@pytest.fixture(scope="module")
def proxy(tmp_path_factory, server):
    with Proxy(tmp_path_factory.mktemp("proxy"), HOST, server.port) as proxy:
        yield proxy


@pytest.fixture
def hosted(browser):
    """A browser that takes the certificate of the proxy."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, ignore_https_errors=True)
    yield context
    context.close()


@pytest.mark.usefixtures("undrawn")
def test_upload_release_download_and_a_class_that_joins_by_its_address(hosted, proxy):
    visitor = visit(hosted, f"https://{HOST}:{proxy.port}")
    visitor.use_common(table(range(100)))
    visitor.release()
    visitor.open_downloads()
    with visitor.page.expect_download() as download:
        visitor.button("Download JSON").click()
    read = "address => fetch(address).then(response => response.text())"
    record = Release.from_json(visitor.page.evaluate(read, download.value.url))
    assert record.title == "mean of age"

    visitor.go("lessons")
    visitor.button("Teach").click()
    visitor.button("Open a class for phones").click()
    visitor.settle()
    code = visitor.page.get_by_text("/class/").first.inner_text()
    assert code.startswith(f"https://{HOST}:{proxy.port}/class/")
    phone = hosted.new_page()
    phone.goto(code)
    phone.get_by_role("heading", name=QUESTION.text).wait_for()
    phone.get_by_role("button", name=QUESTION.choices[0].text).click()
    phone.get_by_text("Answer sent").wait_for()
    (seat,) = (cookie for cookie in hosted.cookies() if cookie["name"] == "seat")
    assert seat["secure"]
    assert seat["httpOnly"]


def asked(proxy, path, **headers):
    """The status of a request to the proxy."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection(
        "127.0.0.1", proxy.port, timeout=DEADLINE / 1000, context=context
    )
    with closing(connection):
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status


@pytest.mark.parametrize(
    ("host", "status"), [(HOST, 200), (HOST.upper(), 200), ("evil.test", 421), ("x." + HOST, 421)]
)
def test_only_the_named_host_is_served(proxy, host, status):
    assert asked(proxy, "/_stcore/health", Host=host) == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://{}:{}", 101),
        ("https://evil.test", 403),
        ("https://{}.evil.test:{}", 403),
        ("https://{}", 403),
        ("null", 403),
    ],
)
def test_only_its_own_pages_open_a_websocket(proxy, origin, status):
    handshake = {
        "Host": f"{HOST}:{proxy.port}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
        "Origin": origin.format(HOST, proxy.port),
    }
    assert asked(proxy, "/_stcore/stream", **handshake) == status
