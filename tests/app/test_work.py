"""What is pressed while long work goes on is heard."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.conftest import PATIENCE
from ui.work import Work


def test_a_link_that_is_followed_as_work_ends_is_not_forgotten(monkeypatch):
    monkeypatch.setattr("ui.work._AT_FIRST", -1.0)
    app = AppTest.from_string(
        """
import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

from ui import work


def begin():
    yield "the first piece"
    context = get_script_run_ctx()
    link = RerunData(query_string="link=yes", page_script_hash=context.page_script_hash)
    context.script_requests.request_rerun(link)
    yield "the last piece"


if "link" in st.query_params:
    st.write("The link was followed")
else:
    work.follow("some", "key", 2, begin, doing="Working")
""",
        default_timeout=PATIENCE,
    ).run()
    assert [one.value for one in app.markdown] == ["The link was followed"]


def test_a_timer_of_the_page_before_does_not_run_on_the_next_one():
    app = AppTest.from_string(
        """
import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

from ui import session

context = get_script_run_ctx()
context.script_requests.request_rerun(RerunData(fragment_id="of the page before"))
session.start()
st.write(context.script_requests._state.name)
""",
        default_timeout=PATIENCE,
    ).run()
    assert [one.value for one in app.markdown] == ["CONTINUE"]


def test_work_that_is_closed_while_it_runs_is_closed_once_it_has_its_piece():
    said = []

    def pieces():
        try:
            yield 1
            # As another thread does when the tab is closed.
            work.close()
            yield 2
            yield 3
        finally:
            said.append("closed")

    work = Work(key="", total=3, pending=pieces())
    work.go_on(PATIENCE)
    assert said == ["closed"]
    assert work.pieces == [1]
    work.go_on(PATIENCE)
    assert work.pieces == [1]


def test_work_that_waits_is_closed_at_once():
    said = []

    def pieces():
        try:
            yield from range(9)
        finally:
            said.append("closed")

    work = Work(key="", total=9, pending=pieces())
    work.go_on(-1.0)
    work.close()
    assert said == ["closed"]
    work.go_on(PATIENCE)
    assert work.pieces == [0]
