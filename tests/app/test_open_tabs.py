"""A tab keeps what it holds until it closes, and no longer."""

from __future__ import annotations

import threading

import pytest
import streamlit as st

from tests.app.test_pages import release_buttons, use_example
from tests.conftest import PATIENCE
from ui import session
from ui.open_tabs import OpenTabs
from ui.study import Upload


@pytest.fixture
def connected():
    return {"a", "b"}


@pytest.fixture
def closed():
    return []


@pytest.fixture
def tabs(connected, closed):
    return OpenTabs(closed.append, is_open=connected.__contains__)


def test_a_tab_keeps_its_own_object(tabs):
    first = tabs.get("a", object)
    assert tabs.get("b", object) is not first
    assert tabs.get("a", object) is first


def test_a_closed_tab_is_let_go_of_alone(tabs, connected, closed):
    first, second = tabs.get("a", object), tabs.get("b", object)
    connected.remove("a")
    tabs.let_closed_go()
    assert closed == [first]
    assert tabs.get("b", object) is second


def test_a_run_that_outlives_its_tab_leaves_nothing_behind(tabs, connected, closed):
    connected.clear()
    late = tabs.get("a", object)
    tabs.let_closed_go()
    assert closed == [late]


def test_a_tab_that_fails_to_close_keeps_no_other_open(connected, closed, caplog):
    def close(what):
        closed.append(what)
        int("SECRET")

    tabs = OpenTabs(close, is_open=connected.__contains__)
    for name in ("a", "b"):
        tabs.get(name, object)
    connected.clear()
    tabs.let_closed_go()
    assert len(closed) == 2
    assert "ValueError" in caplog.text
    assert "SECRET" not in caplog.text


def test_closed_tabs_are_noticed_without_a_further_call(connected, monkeypatch):
    monkeypatch.setattr("ui.open_tabs._EVERY_SECONDS", 0.001)
    let_go = threading.Event()
    tabs = OpenTabs(lambda _: let_go.set(), is_open=connected.__contains__)
    tabs.get("a", object)
    connected.clear()
    assert let_go.wait(PATIENCE)
    connected.add("a")
    let_go.clear()
    tabs.get("a", object)
    connected.clear()
    assert let_go.wait(PATIENCE)


def test_clearing_the_caches_of_streamlit_takes_no_table(open_page):
    # Any client of Streamlit can ask for it.
    app = use_example(open_page)
    st.cache_data.clear()
    st.cache_resource.clear()
    app = open_page("release")
    assert release_buttons(app)


def test_only_a_tab_with_a_table_is_tidied_up_after(monkeypatch):
    requests = []
    monkeypatch.setattr("ui.session._tidying.request", lambda: requests.append(1))
    for upload in (None, Upload(name="a.csv", data=b"a\n1\n")):
        vault = session._Vault(remove_files=lambda: None)  # noqa: SLF001 - no public way
        vault.upload = upload
        session._close(vault)  # noqa: SLF001 - no public way
        assert vault.upload is None
    assert len(requests) == 1
