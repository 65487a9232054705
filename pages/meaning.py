"""What ε means: what a budget reveals about people, and what others chose."""

import streamlit as st

from ui import interpretation, session

session.require_router("pages/meaning.py")
st.title("What ε means")
st.markdown("See what a budget lets an attacker learn about one person.")
interpretation.answer(interpretation.ask())
with st.expander("Methods"):
    interpretation.details()
