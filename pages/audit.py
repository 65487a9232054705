"""Audit: whether a release keeps its promise, by drawing it in two worlds."""

import streamlit as st

from ui import auditing, confidential, session

session.require_router("pages/audit.py")
st.title("Audit")
st.markdown(
    "Does a release keep its promise? Draw it again and again in two worlds that "
    "differ in one person, and count what tells them apart."
)
asked = auditing.ask()
if asked.confidential:
    with confidential.area("audit", "the audit of a person of this table") as shown:
        if shown:
            auditing.ask_row(session.require_study())
            auditing.show(asked, rows=auditing.row_key())
else:
    auditing.show(asked)
if asked.request is not None:
    st.header("Checks without draws")
    st.markdown(
        "What no single answer shows: where bins and bounds come from, whether asking "
        "twice draws twice, and whether somebody moves an answer too far."
    )
    with confidential.area("audit-checks", "the checks on this table") as shown:
        if shown:
            auditing.check(session.require_study())
with st.expander("What is this?"):
    auditing.definitions()
