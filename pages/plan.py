"""Plan: what a budget buys, question by question, before anything is spent."""

from functools import partial

import streamlit as st

from ui import document_area, plan_notes, plans, releasing, session
from ui.planning import adding, editing, needs, redeclaring, running, showing

session.require_router("pages/plan.py")
st.title("Plan")
st.markdown("What would a budget buy, question by question, before anything is spent?")
study = session.require_study()
plan = plans.plan(study)
if plan.items:
    asked, shown = st.container(), st.container()
    with asked:
        plan = editing.deal(editing.ask(plan), told=False)
    edited = editing.edit(plan)
    with shown:
        plan = editing.deal(edited, told=True)
        plans.keep(study, plan)
        editing.show_anew(edited, plan)
        known = releasing.answers([item.request for item in plan.items], study)
        redeclaring.show(plan, study, known)
        plan_notes.in_plan(plan)
        showing.slide(plan, study)
        needs.show(plan, study)
        ready = showing.listing(plan, study)
    price = showing.price(plan, study, known)
    running.offer(plan, study, price, known, ready=ready)
    adding.show(plan)
    if all(known):
        st.caption("All of it has been released: its documents are on Ledger.")
    else:
        document_area.show(partial(document_area.planned, study, plan, known), study, key="plan")
else:
    st.info("Nothing is planned yet: add questions here, or on the page of each.")
    redeclaring.offer_earlier(study)
    adding.take()
showing.details()
adding.typed(study)
