"""What ε means: what a budget or a release says about people, and what others promised."""

import streamlit as st

from ui import interpretation, layout, session

session.require_router("pages/meaning.py")
st.title("What ε means")
st.markdown("What could an attacker learn about one person, and what not?")
subject = interpretation.ask()
interpretation.answer(subject)
layout.show(
    {
        "In odds": interpretation.worlds,
        "Before and after": interpretation.beliefs,
        "Found or named wrongly": interpretation.found,
        "Label": interpretation.show_label,
        "What others promised": interpretation.show_precedents,
    },
    subject,
    key="meaning-side",
)
with st.expander("What is this?"):
    interpretation.details()
