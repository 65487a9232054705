"""Standard errors: the bootstrap under differential privacy."""

import streamlit as st

from ui import session

session.require_router("pages/standard_errors.py")
st.title("Standard errors")
