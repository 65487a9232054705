"""Synthetic data: rows generated from one release, or from counts released before."""

from functools import partial

import streamlit as st

from ui import confidential, controls, places, session, synthetic_release, synthetic_table

places.begin(
    "synthetic_data", "Release a synthetic table with one press, or make one from released counts."
)
study = session.require_study()
ONE, COUNTS = "One release", "Released counts"
source = controls.HERE.radio("Made from", [ONE, COUNTS], key="synthetic-from", horizontal=True)
if source == ONE:
    synthetic_release.show(study)
    session.end_page()
known = synthetic_table.find_sources(study)
if known is None:
    st.info(
        "Synthetic data needs released counts. Plan them here, or release a histogram or "
        "a cross table."
    )
    st.page_link("pages/release.py", label="Release a histogram", icon=":material/bar_chart:")
synthetic_table.offer_plan(study, opened=known is None)
if known is None:
    session.end_page()
with controls.valid():
    made = synthetic_table.make(known, study)
if made is None:
    session.end_page()
synthetic_table.show_made(made)
chosen = synthetic_table.keeps(known, made)
synthetic_table.breaks(known)
confidential.area(
    "made-up",
    "the comparison with the original",
    partial(synthetic_table.beside_the_original, known, made, chosen, study),
)
with st.expander("Sources"):
    synthetic_table.tell_sources(known)
