"""Compare: two plans side by side, and which of them is agreed on."""

import streamlit as st

from ui import approval, plan_notes, session

session.require_router("pages/compare.py")
st.title("Compare")
st.markdown("Which of two plans, and what does the other one give up?")
study = session.require_study()
plan = approval.planned(study, then="then compare two budgets for it here")
other = approval.ask(plan, study)
told_sizes = plan_notes.smallest_of((*plan.basket.items, *other.basket.items), study)
approval.answer(plan, other, told_sizes)
approval.protection(plan, other, study)
approval.questions(plan, other, told_sizes)
approval.possible(plan, other)
approval.offer(plan, other, study, told_sizes)
