"""Made-up table: people who do not exist, from released counts."""

import streamlit as st

from ui import confidential, controls, session, synthetic_table

session.require_router("pages/synthetic_data.py")
st.title("Synthetic data")
st.markdown(
    "How can a class or a developer have data like ours, and nobody's? From counts "
    "that were released with noise, a table of people who do not exist is made."
)
study = session.require_study()
known = synthetic_table.find_sources(study)
synthetic_table.offer_plan(study, opened=known is None)
if known is None:
    st.info(
        "No counts of this table have been released yet: plan them above, or release a "
        "histogram or a cross table."
    )
    session.end_page()
with controls.valid():
    made = synthetic_table.make(known, study)
synthetic_table.show_made(made)
synthetic_table.tell_sources(known)
chosen = synthetic_table.keeps(known, made)
synthetic_table.breaks(known)
with confidential.area("made-up", "it beside the original") as shown:
    if shown:
        synthetic_table.beside_the_original(known, made, chosen, study)
