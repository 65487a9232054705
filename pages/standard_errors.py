"""Standard errors: the bootstrap under differential privacy."""

import streamlit as st

from ui import controls, session
from ui.resampling import standard_errors, standard_errors_release, standard_errors_settings

session.require_router("pages/standard_errors.py")
st.title("Standard errors")
st.markdown(
    "Can a private release come with its standard error for free? A published method "
    "resamples the table many times, adds noise to each mean, and reads the error off "
    "their spread (Brawner and Honaker 2018). No table is needed to see what becomes "
    "of it."
)
with controls.valid():
    asked = standard_errors.answer(standard_errors_settings.ask_settings())
st.header("Look at it from all sides")
standard_errors.show(asked)
st.header("Averages of several answers")
standard_errors.show_averages(asked)
st.header("On your own table")
own = st.expander("Release one of your own", key="se-own", on_change="rerun")
if own.open:
    with own:
        query = standard_errors_release.show(asked)
        if query is not None:
            standard_errors_release.show_column(query, asked)
with st.expander("What is this?"):
    standard_errors.details()
