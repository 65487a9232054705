"""A page with nothing but a number: what Streamlit takes on this machine by itself."""

import streamlit as st

number = st.number_input("Number", value=0.0, step=1.0, key="number")
st.markdown(f"{number:g}")
