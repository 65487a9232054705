"""What the wrapper of the app lets through, and what it says about itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from streamlit import config, net_util
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

import asgi

HOST = "127.0.0.1:8501"
ORIGINS = st.one_of(
    st.none(),
    st.builds(
        "{}://{}{}".format,
        st.sampled_from(["http", "https", "ws", "file", ""]),
        st.sampled_from(
            ["127.0.0.1", "localhost", "LOCALHOST", "evil.test", "127.0.0.1.evil.test"]
        )
        | st.text("a.:@[]1/", max_size=8),
        st.sampled_from(["", ":8501", ":1", ":x", "/", "@evil.test"]),
    ),
    st.just("null"),
    st.text(max_size=20),
)


def answer(origin, *, kind="websocket", host=HOST):
    """What the server says to a request; None stands for what the app would say."""
    sent = []

    async def app(_scope, _receive, _send):
        sent.append(None)

    async def send(message):
        sent.append(message)

    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode("latin-1", "replace")))
    scope = {"type": kind, "headers": headers}
    # Nothing in it waits, so that it needs no event loop, of which another may run.
    with pytest.raises(StopIteration):
        asgi.OwnPagesOnly(app)(scope, None, send).send(None)
    (only,) = sent
    return only


@pytest.mark.parametrize(
    "origin",
    ["https://evil.test", "null", "http://127.0.0.1.evil.test", "http://[", "x", ""],
)
def test_a_websocket_of_another_site_is_closed_before_the_app_hears_of_it(origin):
    assert answer(origin) == {"type": "websocket.close", "code": 1008}
    assert answer(origin, kind="http") is None


@pytest.mark.parametrize("origin", [None, f"http://{HOST}", "http://localhost:8501"])
def test_a_websocket_of_the_own_pages_is_passed_on(origin):
    assert answer(origin) is None


def test_an_origin_that_the_configuration_names_is_passed_on():
    before = config.get_option("server.corsAllowedOrigins")
    config.set_option("server.corsAllowedOrigins", ["https://proxy.test"])
    try:
        assert answer("https://proxy.test") is None
        assert answer("https://other.test") is not None
    finally:
        config.set_option("server.corsAllowedOrigins", before)


@given(origin=ORIGINS)
def test_streamlit_asks_for_no_address_outside_about_what_is_passed_on(origin):
    if answer(origin) is not None:
        return
    heard = None if origin is None else origin.encode("latin-1", "replace").decode("l1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(net_util, "get_external_ip", _outside)
        _is_origin_allowed(heard, HOST)


def test_streamlit_still_asks_about_what_is_refused(monkeypatch):
    # Once it no longer does, the wrapper can go.
    monkeypatch.setattr(net_util, "get_external_ip", _outside)
    with pytest.raises(AssertionError, match="outside"):
        _is_origin_allowed("https://evil.test", HOST)


def _outside():
    message = "asked outside"
    raise AssertionError(message)


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

    scope = {
        "type": "http",
        "headers": [(b"content-type", b"multipart/form-data; boundary=x")],
    }

    async def kept():
        async with Request(scope, receive).form() as form:
            return form["f"].size

    # Nothing in it waits: what goes to a disk would.
    with pytest.raises(StopIteration) as ended:
        kept().send(None)
    assert ended.value.value == megabytes * 2**20


def test_a_tab_has_one_run_at_a_time():
    # Streamlit's own state of a session is not made for two.
    assert config.get_option("runner.fastReruns") is False
