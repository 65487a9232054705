"""Manage: the limits of an account, its periods, and its end."""

import streamlit as st

from ui import session
from ui.budget import changes, history, periods

session.require_router("pages/manage.py")
st.title("Manage the budget")
st.markdown("Change the total, divide it by year or quarter, or close the account.")
study = session.require_study()
account = session.account(study)
history.summary(account)
periods.show(account)
changes.change_budget(study, account)
periods.change(study, account)
changes.changes(study)
changes.chain()
