"""Every run of the app begins at the top of the page."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.conftest import PATIENCE

# What a part of the page leaves behind that another run of the same thread follows.
LEFT_INSIDE_A_PART = """
import streamlit as st
from streamlit.delta_generator_singletons import context_dg_stack

from ui import session

part = st.container()
context_dg_stack.set((*context_dg_stack.get(), part))
if begins_anew:
    session.start()
st.title("A page")
"""


def drawn(*, begins_anew: bool) -> AppTest:
    script = LEFT_INSIDE_A_PART.replace("begins_anew", str(begins_anew))
    return AppTest.from_string(script, default_timeout=PATIENCE).run()


def test_a_page_is_not_drawn_into_the_part_that_ran_before_it():
    inside, anew = drawn(begins_anew=False), drawn(begins_anew=True)
    assert [type(one).__name__ for one in inside.main.children.values()] == ["Block"]
    assert [type(one).__name__ for one in anew.main.children.values()][-1] == "Title"
