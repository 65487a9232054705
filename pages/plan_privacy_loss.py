"""Privacy loss of the plan: what the people of this table lose by it. Curator only."""

import streamlit as st

from ui import confidential, session
from ui.planning import comparison, privacy_loss, private_choice

session.require_router("pages/plan_privacy_loss.py")
st.title("Privacy loss of the plan")
st.markdown("See how much each person in the data loses by all answers together.")
study = session.require_study()
plan = comparison.planned(study, then="see its privacy loss")
asked = privacy_loss.ask(plan, study)
with confidential.area("touched", "privacy loss per person") as shown:
    if shown:
        privacy_loss.show(plan, asked, study)
private_choice.show(plan, asked, study)
leak = st.expander("Why choosing ε from the data leaks", key="touched-leak", on_change="rerun")
if leak.open:
    with leak:
        privacy_loss.show_leak()
with st.expander("Methods"):
    st.markdown(f"{privacy_loss.METHODS}\n\n{private_choice.METHODS}")
