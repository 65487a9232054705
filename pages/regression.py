"""Regression: fit a model to your columns and release it."""

import streamlit as st

from ui import session

session.require_router("pages/regression.py")
st.title("Regression")
