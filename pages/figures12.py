"""Figures 1 and 2: how far everybody's own loss lies below the guarantee."""

import streamlit as st

from ui import controls, session, wang2019

session.require_router("pages/figures12.py")
st.title("Figures 1 and 2")
st.markdown(
    "How far below the guarantee are the people of an ordinary table? The two figures "
    "of Wang (2019), simulated with settings that you can change. No table is needed."
)
with controls.valid():
    design = wang2019.ask()
current = wang2019.latest(design)
st.header("Figure 1: who loses how much")
wang2019.first(current)
st.header("Figure 2: the losses with more people, or with less accuracy")
wang2019.second(current)
st.header("What the text says, and what this run says")
wang2019.verdicts(current)
wang2019.download(current)
with st.expander("What is this?"):
    wang2019.details(current)
