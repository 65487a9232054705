"""Test: what draws of the mechanism of a question show of its epsilon."""

from functools import partial

import streamlit as st

from ui import auditing, confidential, question_form, session

session.require_router("pages/mechanism_test.py")
st.title("Test")
st.markdown("Draw this release many times on two neighboring datasets. Nothing is charged.")
asked = question_form.ask(session.require_study())
study = session.require_study()
auditing.body(auditing.ask_pair(asked, study))
confidential.area(
    "audit-checks",
    "checks of the bounds, the bins and the ledger",
    partial(auditing.check, asked, study),
)
