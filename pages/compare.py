"""Compare: the plan beside an alternative, in protection and accuracy."""

import streamlit as st

from ui import places, session
from ui.planning import comparison

places.begin("compare", "Compare the plan with another total or a saved plan.")
study = session.require_study()
plan = comparison.planned(study, then="compare two totals")
comparison.show(plan, comparison.ask(plan, study), study)
st.page_link("pages/sign_off.py", label="Sign-off sheet")
