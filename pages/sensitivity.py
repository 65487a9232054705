"""Sensitivity explorer: what one person can change, in a table and in the worst one."""

import streamlit as st

from ui import controls, sensitivity_explorer, session

session.require_router("pages/sensitivity.py")
st.title("Sensitivity explorer")
st.markdown("See how far one person can move a statistic, here and in the worst table.")
moves, number = "What can one person change?", "Is the number of people public?"
view = controls.HERE.radio("Question", [moves, number], key="explorer-view")
if view == number:
    sensitivity_explorer.show_private_number()
else:
    sensitivity_explorer.explore(sensitivity_explorer.ask())
    with st.expander("Methods"):
        sensitivity_explorer.details()
