"""Whom it touches: what a plan means for the people of this table. Curator only."""

import streamlit as st

from ui import confidential, session
from ui.deciding import options
from ui.touching import asking, choosing, leaking, showing

session.require_router("pages/touched.py")
st.title("Whom it touches")
st.markdown("How much would the people in *this* table lose by the plan, and who most?")
study = session.require_study()
plan = options.planned(study, then="then see here whom it touches")
asked = asking.ask(plan, study)
asking.promise(plan, study)
with confidential.area("touched", "what the plan means for these people") as shown:
    if shown:
        showing.show(plan, asked, study)
leaking.show()
choosing.show(plan, asked, study)
with st.expander("What is this?"):
    showing.definitions()
    choosing.definitions()
