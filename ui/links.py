"""Settings that came with the address."""

from __future__ import annotations

import math

import streamlit as st


def drop_infinite() -> None:
    """Take numbers beyond all floats out of the address, and run anew without them.

    Streamlit fails to make whole numbers of them.
    """
    found = [key for key, text in st.query_params.items() if _is_infinite(text)]
    for key in found:
        del st.query_params[key]
    if found:
        st.rerun()


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
