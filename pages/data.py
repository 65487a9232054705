"""Data: choose a table and declare what is public about it."""

import streamlit as st

from dpcore.errors import DPCoreError
from ui import session, studies, terms, upload
from ui.asking import columns
from ui.text import literal

session.require_router("pages/data.py")
st.title("Data")
st.markdown(
    "Which table, whom does it describe, and what may the public know about it?"
)

upload.choose()
current = session.draft() or session.study()
if current is None:
    st.info("Choose a built-in survey, or drop a CSV of your own.")
    st.stop()

st.header("Columns")
st.caption(
    "Kinds are proposed from the file. By using the data you declare them, the bounds "
    "and the lists to be public."
)
position = columns.choose(current.dataset)
drafted = session.draft() is not None
keep = session.redraft if drafted else session.redeclare
dataset = columns.declare(current.dataset, position, keep)
if dataset is None:
    st.stop()
columns.check(dataset, position, codebook=current.example is not None)
with st.expander("All columns"):
    st.dataframe(columns.overview(dataset), hide_index=True, key="all-columns")

st.header("Protection and budget")
published = None if current.example is None else dataset.people
agreed = terms.ask(known_people=published, noun=upload.noun(current.example))

if st.button("Use this data", type="primary"):
    try:
        with st.spinner("Taking the fingerprint of the table …"):
            study = studies.accept(dataset, current.example, agreed)
    except DPCoreError as error:
        st.error(literal(str(error)))
        st.stop()
    session.use(study)
    st.rerun()
if not drafted:
    st.success(f"In use: {literal(dataset.name)}.")
    columns.tell_undeclared(dataset)
    studies.tell_kept_budget()
    if agreed != session.require_study().terms:
        st.info("The terms were changed. They apply once you press “Use this data”.")
    if st.button("Continue to Release"):
        st.switch_page("pages/release.py")
