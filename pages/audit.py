"""Audit: whether a mechanism keeps its claimed ε, from draws on two datasets."""

import streamlit as st

from ui import auditing, session

session.require_router("pages/audit.py")
st.title("Audit")
st.markdown("Sample a mechanism on two neighboring datasets and estimate a lower bound on its ε.")
auditing.body(auditing.ask())
