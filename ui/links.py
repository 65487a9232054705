"""Settings that came with the address."""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st
from streamlit.errors import StreamlitAPIException

from ui import session

_FIRST_TABLE = 1


def drop_infinite() -> None:
    """Take numbers beyond all floats out of the address, and run anew without them.

    Streamlit fails to make whole numbers of them.
    """
    found = [key for key, text in st.query_params.items() if _is_infinite(text)]
    dropped = [key for key in found if _drop(key)]
    if dropped:
        st.rerun()


def begin(key: str, start: object) -> None:
    """Let the control of a setting begin at ``start`` where the table is another one.

    What was set for one table is not taken over to the next. The address names the
    settings of the first table that a link opens.
    """
    noted = f"_table-of-{key}"
    before, now = session.public(noted) or _FIRST_TABLE, session.generation()
    session.set_public(noted, now)
    if before == now or now < _FIRST_TABLE:
        return
    session.set_public(key, start)
    if key in st.query_params and _drop(key):
        # From another page, the address would win over what is set here. Where the
        # control is on screen, Streamlit keeps its setting, and the address follows.
        st.rerun()


def read_older(key: str, words: Mapping[str, object]) -> None:
    """Take over a setting that an older address calls by another name."""
    text = st.query_params.get(key)
    if text is not None and text in words and session.public(key) is None:
        session.set_public(key, words[text])


def _drop(key: str) -> bool:
    try:
        del st.query_params[key]
    except StreamlitAPIException:
        # A control of the page wrote it there: a text, which the page reads itself.
        return False
    return True


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
