"""Data: choose a table and declare what is public about it."""

import streamlit as st

from ui import session
from ui.asking import columns, fit
from ui.data import (
    declaring,
    derived_columns,
    disclosure_risks,
    privacy_units,
    same_people,
    terms,
    upload,
    using,
)
from ui.text import literal

session.require_router("pages/data.py")
st.title("Data")
st.markdown("Choose your data, declare public bounds, set the privacy budget.")

upload.choose()
current = session.draft() or session.study()
if current is None:
    st.info("Choose a built-in survey, or upload a table of your own.")
    session.end_page()

waiting = privacy_units.ask(current)

st.header("Columns")
st.caption(
    "Kinds are proposed from the file. By using the data you declare them, the bounds "
    "and the lists to be public."
)
columns.tell_ending(current.dataset)
drafted = session.draft() is not None
keep = session.redraft if drafted else declaring.redeclare
named = derived_columns.ask_names(current.dataset, keep)
position = columns.choose(named, every=True)
dataset = columns.declare(named, position, keep)
if dataset is None:
    session.end_page()
fit.check(dataset, position, codebook=current.example is not None)
everything = st.expander(
    "All columns", key=f"folded-columns-{session.generation()}", on_change="rerun"
)
if everything.open:
    with everything:
        st.dataframe(columns.overview(dataset), hide_index=True, key="all-columns")

st.header("Protection and budget")
notes = st.container()
agreed = terms.ask(
    start=using.start(current),
    people=dataset.people,
    cap=dataset.cap,
    left_out=columns.left_out(dataset),
)
upload_drafted = drafted and current.example is None
people = same_people.ask(dataset, agreed) if upload_drafted else None
using.tell_mode(current)

if waiting:
    st.warning(
        f"Chosen above and not taken over: **{' and '.join(waiting)}**. “Use this "
        "data” puts the table in use without it; press the button there first."
    )
if drafted:
    columns.tell_unsaid(dataset)
using.offer(dataset, current, agreed, people)
if not drafted:
    with notes:
        using.tell_not_in_force(agreed)
    st.success(f"In use: {literal(dataset.name)}. {using.mode_text()}{using.in_force()}")
    using.tell_new_questions()
    upload.tell_format(current.file_format)
    columns.tell_undeclared(dataset)
    disclosure_risks.check()
    if st.button("Continue to Release"):
        session.go("pages/release.py")
