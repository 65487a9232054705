"""Attacks: what released numbers give away, tried out, and what stops it."""

import streamlit as st

from ui import session
from ui.attacks import attack_tabs

session.require_router("pages/attacks.py")
st.title("Attacks")
st.markdown(
    "What can somebody find out about one person from released numbers, and what stops "
    "it? Each attack runs against a careless release first, then against a private one."
)
attack_tabs.show()
with st.expander("What is this?"):
    attack_tabs.details()
