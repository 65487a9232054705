"""Attacks: what released numbers give away, tried out, and what stops it."""

import streamlit as st

from ui import session
from ui.attacks import attack_tabs

session.require_router("pages/attacks.py")
st.title("Attacks")
st.markdown("Run each attack on a release without protection, then on a private one.")
attack_tabs.show()
with st.expander("Methods"):
    attack_tabs.details()
