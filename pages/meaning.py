"""What ε means: what a budget reveals about people, and what others chose."""

import streamlit as st

from ui import session
from ui.budget import meaning

session.require_router("pages/meaning.py")
st.title("What ε means")
st.markdown("See what a budget lets an attacker learn about one person.")
meaning.answer(meaning.ask())
with st.expander("Methods"):
    meaning.details()
