"""Controls look their value up instead of copying the state of the tab."""

import pytest
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1 import AppTest

from ui import run_queue
from ui.run_queue import StateLookup


@pytest.fixture
def whole(monkeypatch):
    """Note how often the whole state is copied; leave Streamlit as it was."""
    monkeypatch.setattr(SafeSessionState, "filtered_state", SafeSessionState.filtered_state)
    copied = []
    real = SessionState.filtered_state.fget
    monkeypatch.setattr(
        SessionState, "filtered_state", property(lambda state: copied.append(1) or real(state))
    )
    return copied


def test_a_lookup_says_what_the_copy_says(app):
    state = app.session_state._state._state  # noqa: SLF001 - no public way
    copy = state.filtered_state
    lookup = StateLookup(state)
    assert dict(lookup) == copy
    assert len(copy) > 1
    for key in (*copy, "nobody", *state._keys()):  # noqa: SLF001
        assert (key in lookup) == (key in copy or key in state)
        if key in copy:
            assert lookup[key] == copy[key]


def test_a_control_whose_value_is_none_stays_empty(whole):
    def script() -> None:
        import streamlit as st  # noqa: PLC0415 - the text of a script of its own

        st.session_state.setdefault("empty", None)
        st.number_input("Number", value=7.0, key="empty")
        st.selectbox("Choice", ["a"], key="unset")

    run_queue.install()
    app = AppTest.from_function(script).run()
    assert (app.number_input[0].value, app.selectbox[0].value, whole) == (None, "a", [])
