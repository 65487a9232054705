"""Mechanism lab: why cutting off the noise is not harmless, and what to use instead."""

import streamlit as st

from dpcore.studies.teaching.laboratory import measure
from ui import mechanism_lab, session

session.require_router("pages/lab.py")
st.title("Mechanism lab")
st.markdown("Why is cutting off the noise not harmless, and what should one use instead?")
setup = mechanism_lab.ask()
meter = measure(setup)
mechanism_lab.answer(setup, meter)
mechanism_lab.worlds(setup, meter)
mechanism_lab.meters(setup, meter)
mechanism_lab.why(setup)
st.header("Look further")
mechanism_lab.show(setup)
with st.expander("What is this?"):
    mechanism_lab.details()
