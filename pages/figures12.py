"""Figures 1 and 2: the simulations on everybody's own loss."""

import streamlit as st

from ui import session

session.require_router("pages/figures12.py")
st.title("Figures 1 and 2")
