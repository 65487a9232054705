"""Manage: the limits of an account, its periods, and its end."""

from ui import places, session
from ui.budget import changes, history, periods

places.begin("manage", "Change the total, divide it by year or quarter, or close the account.")
study = session.require_study()
account = session.account(study)
history.summary(account)
periods.show(account)
changes.change_budget(study, account)
periods.change(study, account)
changes.changes(study)
changes.chain()
