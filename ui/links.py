"""Settings that came with the address."""

from __future__ import annotations

import math

import streamlit as st
from streamlit.errors import StreamlitAPIException


def drop_infinite() -> None:
    """Take numbers beyond all floats out of the address, and run anew without them.

    Streamlit fails to make whole numbers of them.
    """
    found = [key for key, text in st.query_params.items() if _is_infinite(text)]
    dropped = [key for key in found if _drop(key)]
    if dropped:
        st.rerun()


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
