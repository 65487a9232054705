"""Mechanism lab: why cutting off the noise is not harmless, and what to use instead."""

import streamlit as st

from dpcore.studies.teaching.laboratory import measure
from ui import session
from ui.teaching import lab_tour, laboratory

session.require_router("pages/lab.py")
st.title("Mechanism lab")
st.markdown("Why is cutting off the noise not harmless, and what should one use instead?")
setup = laboratory.ask()
meter = measure(setup)
laboratory.answer(setup, meter)
laboratory.worlds(setup, meter)
laboratory.meters(setup, meter)
laboratory.why(setup)
st.header("Look further")
lab_tour.show(setup)
with st.expander("What is this?"):
    lab_tour.details()
