"""Meaning: what a budget or a release says about people, and what others promised."""

import streamlit as st

from ui import session, tabs
from ui.meaning import asking, label, odds, precedents

session.require_router("pages/meaning.py")
st.title("Meaning")
st.markdown("What could an attacker learn about one person, and what not?")
subject = asking.ask()
odds.answer(subject)
tabs.show(
    {
        "In odds": odds.worlds,
        "Before and after": odds.beliefs,
        "Found or named wrongly": odds.found,
        "Label": label.show_label,
        "What others promised": precedents.show_precedents,
    },
    subject,
    key="meaning-side",
)
with st.expander("What is this?"):
    odds.details()
