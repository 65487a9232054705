"""Resized bootstrap: a sample as the only noise."""

import streamlit as st

from dpcore.errors import ParameterError
from ui import controls, partwise, session
from ui.resampling import resized_bootstrap, resized_column
from ui.text import sentence_of

session.require_router("pages/resized.py")
st.title("Resized bootstrap")
st.markdown("Check the claim that a fresh sample of one row in Z gives ε = 1/Z without noise.")
study = session.study()
own_column = study is not None and (
    controls.HERE.radio("Data", ["simulated", "my column"], key="resized-data") == "my column"
)
try:
    if study is not None and own_column:
        if not partwise.in_memory(study, "A resized bootstrap"):
            session.end_page()
        own, study = resized_column.ask(study)
        resized_column.claims(own)
        st.header("Scores of this column")
        resized_column.show(own, study)
        st.header("Release the repair")
        resized_column.offer(own, study)
    else:
        case = resized_bootstrap.ask_case()
        resized_bootstrap.answer(case)
        st.header("Explore")
        resized_bootstrap.show_tour(case, "resized")
except ParameterError as error:
    st.info(sentence_of(error), icon="✏️")
with st.expander("Methods"):
    resized_bootstrap.details()
