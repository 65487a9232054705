"""What ε means: what a budget reveals about people, and what others chose."""

import streamlit as st

from ui import places
from ui.budget import meaning

places.begin("meaning", "See what a budget lets an attacker learn about one person.")
meaning.answer(meaning.ask())
with st.expander("Methods"):
    meaning.details()
