"""Privacy loss of the plan: what a plan means for the people of this table. Curator only."""

import streamlit as st

from ui import confidential, plan_impact, session
from ui.planning import comparison

session.require_router("pages/plan_privacy_loss.py")
st.title("Privacy loss of the plan")
st.markdown("How much would the people in *this* table lose by the plan, and who most?")
study = session.require_study()
plan = comparison.planned(study, then="see its privacy loss")
asked = plan_impact.ask(plan, study)
plan_impact.promise(plan, study)
with confidential.area("touched", "what the plan means for these people") as shown:
    if shown:
        plan_impact.show_losses(plan, asked, study)
plan_impact.show_leak()
plan_impact.show_choice(plan, asked, study)
with st.expander("What is this?"):
    plan_impact.definitions()
    plan_impact.choice_definitions()
