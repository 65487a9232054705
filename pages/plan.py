"""Plan: several questions, how accurate their answers will be, and what they cost."""

from functools import partial

import streamlit as st

from ui import layout, places, plans, releasing, session
from ui.planning import accuracy, cost, form, redeclaring, release

places.begin("plan", "Plan several releases and share one budget among them.")
study = session.require_study()
plan = plans.plan(study)
place = form.settings(plan)
form.messages(plan)
if not plan.items:
    redeclaring.offer_earlier(study)
form.add(plan, study)
if plan.items:
    plans.keep(study, plan)
    known = releasing.answers([item.request for item in plan.items], study)
    redeclaring.show(plan, study, known)
    form.rows(plan, known, study)
    price = cost.due(plan, known)
    if not all(known):
        accuracy.show(plan)
        plans.in_plan(plan)
        cost.bar(place, price, study)
        cost.show(plan, price, study)
    release.offer(plan, study, price, known)
    if not all(known):
        about = {"documents-about": "Plan"}
        st.page_link("pages/documents.py", label="Documents of the plan", query_params=about)
        layout.folded(
            "Composition chart and methods",
            "plan-methods",
            partial(cost.methods, plan, price, study.terms.relation),
        )
