"""Resized bootstrap: a sample as the only noise."""

import streamlit as st

from ui import session

session.require_router("pages/resized.py")
st.title("Resized bootstrap")
