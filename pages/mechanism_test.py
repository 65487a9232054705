"""Test: what draws of the mechanism of a question show of its epsilon."""

import streamlit as st

from ui import auditing, session
from ui.asking import inputs

session.require_router("pages/mechanism_test.py")
st.title("Test")
st.markdown("Does the mechanism of this question keep its ε? Draws of it give a lower bound.")
asked = inputs.ask(session.require_study())
auditing.offer(asked)
