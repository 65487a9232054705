"""What the wrapper of the app lets through, and what it says about itself."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from streamlit import config, net_util
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

import asgi

HOST = "127.0.0.1:8501"
OWN = f"http://{HOST}"
ORIGINS = st.one_of(
    st.none(),
    st.builds(
        "{}://{}{}".format,
        st.sampled_from(["http", "https", "ws", "file", ""]),
        st.sampled_from(["127.0.0.1", "localhost", "LOCALHOST", "evil.test", "127.0.0.1.evil.test"])
        | st.text("a.:@[]1/", max_size=8),
        st.sampled_from(["", ":8501", ":1", ":x", "/", "@evil.test"]),
    ),
    st.just("null"),
    st.text(max_size=20),
)


def run(coroutine):
    """Run what never waits: it needs no event loop, of which another may run."""
    with pytest.raises(StopIteration) as ended:
        coroutine.send(None)
    return ended.value.value


def answer(origin, *, kind="websocket", host=HOST, scheme="ws", wall=asgi.OwnPagesOnly):
    """What the server says to a request; None stands for what the app would say."""
    sent = []

    async def app(_scope, _receive, _send):
        sent.append(None)

    async def send(message):
        sent.append(message)

    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode("latin-1", "replace")))
    run(wall(app)({"type": kind, "scheme": scheme, "headers": headers}, None, send))
    return sent[0]


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "https://evil.test",
        "null",
        "http://127.0.0.1.evil.test",
        "http://[",
        "x",
        "",
        "http://localhost:8501",
        "http://127.0.0.1:9",
        "http://127.0.0.1",
        f"https://{HOST}",
        f"{OWN}/",
        f"http://x@{HOST}",
    ],
)
def test_a_websocket_of_another_site_is_closed_before_the_app_hears_of_it(origin):
    assert answer(origin) == {"type": "websocket.close", "code": 1008}
    assert answer(origin, kind="http") is None


def test_a_websocket_of_the_own_pages_is_passed_on():
    assert answer(OWN) is None
    assert answer(f"https://{HOST}", scheme="wss") is None


def test_an_origin_that_the_configuration_names_is_passed_on():
    before = config.get_option("server.corsAllowedOrigins")
    config.set_option("server.corsAllowedOrigins", ["https://proxy.test"])
    try:
        assert answer("https://proxy.test") is None
        assert answer("https://other.test") is not None
    finally:
        config.set_option("server.corsAllowedOrigins", before)


@pytest.mark.parametrize(
    ("origin", "host", "passes"),
    [
        ("https://studio.test", "studio.test", True),
        ("http://studio.test", "studio.test", True),
        ("https://studio.test:8443", "studio.test:8443", True),
        ("https://studio.test", "studio.test:8443", False),
        ("https://other.test", "other.test", False),
        ("https://studio.test.evil.test", "studio.test", False),
        (f"https://{HOST}", HOST, False),
    ],
)
def test_a_page_of_a_named_host_may_come_by_a_proxy_with_tls(monkeypatch, origin, host, passes):
    monkeypatch.setenv("EPSILON_STUDIO_HOSTS", "studio.test")
    assert (answer(origin, host=host) is None) is passes


@given(origin=ORIGINS | st.just(OWN))
def test_streamlit_asks_for_no_address_outside_about_what_is_passed_on(origin):
    if answer(origin) is not None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(net_util, "get_external_ip", _outside)
        assert _is_origin_allowed(origin, HOST)


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "", "[::1", "x:y"])
def test_another_host_is_refused(host):
    said = answer(None, kind="http", host=host, wall=asgi.AllowedHostsOnly)
    assert said["status"] == 421
    said = answer(None, host=host, wall=asgi.AllowedHostsOnly)
    assert said == {"type": "websocket.close", "code": 1008}


@pytest.mark.parametrize("host", [HOST, "localhost", "LOCALHOST:1", "127.0.0.1"])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_an_allowed_host_is_served(kind, host):
    assert answer(None, kind=kind, host=host, wall=asgi.AllowedHostsOnly) is None


def sent_for(path):
    """What the server says to a request; None stands for what the app would say."""
    sent = []

    async def app(_scope, _receive, _send):
        sent.append({"status": None})

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "app": Starlette(routes=[Route(f"{BASE}/_stcore/metrics", app)]),
    }
    run(asgi.KnownPathsOnly(app)(scope, None, send))
    return sent


def status(path):
    """The status of what it says."""
    return sent_for(path)[0]["status"]


BASE = "/studio"


def test_pages_are_known_below_the_path_that_the_configuration_names():
    before = config.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", BASE)
    try:
        assert status(f"{BASE}/release") is None
        assert status(f"{BASE}/") is None
        assert status(f"{BASE}/nothing") == 404
        page = sent_for(f"{BASE}/nothing")[1]["body"].decode()
        links = re.findall('href="(.*?)"', page)[1:]
        assert [link.removeprefix(f"{BASE}/") for link in links] == [
            *("", "data", "release", "plan", "budget", "lessons")
        ]
        assert all(status(link) is None for link in links)
        assert "There is no page at this address" in page
    finally:
        config.set_option("server.baseUrlPath", before)


@pytest.mark.parametrize(("setting", "answer"), [("", 404), ("1", None)])
def test_metrics_are_served_where_they_are_asked_for(monkeypatch, setting, answer):
    monkeypatch.setenv("EPSILON_STUDIO_METRICS", setting)
    monkeypatch.setattr("tests.test_asgi.BASE", "")
    assert status("/_stcore/metrics") == answer


def passed_on(*frames):
    """What of these frames reaches the app."""
    messages = [{"type": "websocket.receive", "bytes": frame} for frame in frames]
    messages.append({"type": "websocket.disconnect"})
    heard = []

    async def app(_scope, receive, _send):
        while (message := await receive())["type"] == "websocket.receive":
            heard.append(message["bytes"])

    async def receive():
        return messages.pop(0)

    run(asgi.OwnTabOnly(app)({"type": "websocket"}, receive, None))
    return heard


def message(**content):
    return BackMsg(**content).SerializeToString()


def test_messages_of_the_own_tab_are_passed_on():
    frames = [
        message(rerun_script={"query_string": "example=rand-hie"}),
        message(stop_script=True),
        message(app_heartbeat=True),
        message(file_urls_request={"request_id": "1"}),
        message(backend_operation_request={"deferred_file": {"file_id": "1"}}),
        message(backend_operation_request={"dataframe_chunk": {"source_id": "1"}}),
    ]
    assert passed_on(*frames) == frames


def test_every_other_message_is_dropped():
    frames = [
        message(clear_cache=True),
        message(set_run_on_save=True),
        message(debug_disconnect_websocket=True),
        message(debug_shutdown_runtime=True),
        message(load_git_info=True),
        message(backend_operation_request={"install_skills": {}}),
        message(backend_operation_request={"dismiss_skills_nudge": {}}),
        message(backend_operation_request={}),
        message(),
        # The last type counts.
        message(rerun_script={}) + message(clear_cache=True),
    ]
    last = message(rerun_script={})
    assert passed_on(*frames, last) == [last]


def test_streamlit_is_left_to_close_a_connection_that_breaks_its_rules():
    frames = [b"\xff\xff", None]
    assert passed_on(*frames) == frames


def test_every_type_of_message_is_known():
    # A new one is dropped until somebody decides about it.
    dropped = {"clear_cache", "set_run_on_save", "load_git_info"}
    debug = {"debug_disconnect_websocket", "debug_shutdown_runtime"}
    types = {field.name for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields}
    permitted = {"backend_operation_request", *asgi._MESSAGES}  # noqa: SLF001 - the list itself
    assert types == permitted | dropped | debug


def test_streamlit_still_asks_about_what_is_refused(monkeypatch):
    # Once it no longer does, the wrapper can go.
    monkeypatch.setattr(net_util, "get_external_ip", _outside)
    with pytest.raises(AssertionError, match="outside"):
        _is_origin_allowed("https://evil.test", HOST)


def _outside():
    raise AssertionError("asked outside")


@pytest.mark.parametrize("megabytes", [0, 1, 3, 200])
def test_an_upload_stays_in_memory(megabytes):
    parts = [
        b'--x\r\nContent-Disposition: form-data; name="f"; filename="t.csv"\r\n\r\n',
        *[bytes(2**20)] * megabytes,
        b"\r\n--x--\r\n",
    ]
    messages = [{"type": "http.request", "body": b, "more_body": True} for b in parts]
    messages.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive():
        return messages.pop(0)

    scope = {"type": "http", "headers": [(b"content-type", b"multipart/form-data; boundary=x")]}

    async def kept():
        async with Request(scope, receive).form() as form:
            return form["f"].size

    # Nothing in it waits: what goes to a disk would.
    assert run(kept()) == megabytes * 2**20


def test_a_tab_has_one_run_at_a_time():
    # Streamlit's own state of a session is not made for two.
    assert config.get_option("runner.fastReruns") is False


@pytest.mark.parametrize(
    ("path", "status", "kept"),
    [
        ("/_stcore/bidi-components/live.plotly-1/plotly.min.js", 200, True),
        ("/studio/_stcore/bidi-components/live.plotly-1/plotly.min.js", 200, True),
        ("/_stcore/bidi-components/live.plotly-1/nothing.js", 404, False),
        ("/_stcore/health", 200, False),
    ],
)
def test_browsers_keep_the_scripts_of_charts(path, status, kept):
    sent, seen = [], []

    async def app(scope, _receive, send):
        seen.extend(name for name, _ in scope["headers"])
        await send({"type": "http.response.start", "status": status, "headers": []})

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": path, "headers": [(b"accept-encoding", b"gzip")]}
    run(asgi.KeptScripts(app)(scope, None, send))
    assert (b"immutable" in dict(sent[0]["headers"]).get(b"cache-control", b"")) == kept
    assert (b"accept-encoding" in seen) == ("bidi" not in path)
