"""Manage: the limits of an account, its periods, and its end."""

import streamlit as st

from ui import accounts, periods, session

session.require_router("pages/manage.py")
st.title("Manage the budget")
st.markdown("Change the total, divide it by year or quarter, or close the account.")
study = session.require_study()
account = session.account(study)
accounts.summary(account)
periods.show(account)
accounts.changes(study)
accounts.change_budget(study, account)
periods.change(study, account)
accounts.chain()
