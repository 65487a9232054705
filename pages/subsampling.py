"""Subsampling: what keeping the sample secret is worth."""

import streamlit as st

from ui import session

session.require_router("pages/subsampling.py")
st.title("Subsampling")
