"""Home: three doors and a live miniature of the main job."""

import streamlit as st

from ui import first_visit, sensitivity_explorer, session
from ui.data import using

session.require_router("pages/home.py")
st.title("Epsilon Studio")
st.markdown("Publish numbers about people, and choose how little they say about any of them.")
first, second, third = st.columns(3)
with first.container(border=True, height="stretch"):
    st.markdown("**Try it on survey data**")
    st.caption("20,190 person-years of a health insurance experiment, ready to use.")
    if st.button("Open the survey", type="primary"):
        with st.spinner("Loading the survey …"):
            using.use_example("rand-hie")
        session.go("pages/release.py")
with second.container(border=True, height="stretch"):
    st.markdown("**Upload a table**")
    st.caption(
        "It goes to the computer that runs this program, stays in its memory, and is "
        "forgotten when you close the tab."
    )
    if st.button("Go to the upload"):
        session.go("pages/data.py")
with third.container(border=True, height="stretch"):
    st.markdown("**Learn in five minutes**")
    st.caption("One idea at a time: predict, see, play. Also as a path for a class.")
    if st.button("Take the first lesson"):
        session.go("pages/lessons.py")
first_visit.offer()
first_visit.show("pages/home.py")

st.header("One guest replaced")
sensitivity_explorer.show_miniature()
