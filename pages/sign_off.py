"""Sign-off: who approves the plan, for which purpose, and the sheet to sign."""

import streamlit as st

from ui import session
from ui.planning import comparison, sign_off

session.require_router("pages/sign_off.py")
st.title("Sign-off")
st.markdown("Name purpose and approvers, and print the sheet to sign.")
study = session.require_study()
plan = comparison.planned(study, then="make its sign-off sheet")
sign_off.show(plan, comparison.alternative(plan, study), study)
