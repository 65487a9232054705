"""Decision: two plans side by side, and which of them is agreed on."""

import streamlit as st

from ui import plan_notes, session
from ui.deciding import options, showing, signing

session.require_router("pages/decision.py")
st.title("Decision")
st.markdown("Which of two plans, and what does the other one give up?")
study = session.require_study()
plan = options.planned(study, then="then compare two budgets for it here")
other = options.ask(plan, study)
told_sizes = plan_notes.smallest_of((*plan.basket.items, *other.basket.items), study)
showing.answer(plan, other, told_sizes)
showing.protection(plan, other, study)
showing.questions(plan, other, told_sizes)
showing.possible(plan, other)
signing.offer(plan, other, study, told_sizes)
