"""Budget: what was spent, on what, and what is left."""

from functools import partial

import streamlit as st

from dpcore.figures.compositions import spending_picture
from dpcore.releases.digits import cost_text
from ui import accounts, layout, places, recovery, results, session
from ui.budget import history, periods, person_total
from ui.text import literal

places.begin("budget", "Releases so far and remaining budget.")
recovery.at_ledger()
study = session.require_study()
account = session.account(study)
history.summary(account)
st.page_link("pages/manage.py", label="Change the budget, or divide it by year or quarter")
periods.show(account)
everything = accounts.all_releases(account)
if not session.ledger().releases(study.fingerprint):
    st.info(history.nothing_released(account))
    st.page_link("pages/release.py", label="Release a statistic", icon=":material/arrow_forward:")
if everything:
    last = everything[-1]
    like = f"“{literal(last.known_as)}” ({cost_text(last.cost)})"
    st.caption(accounts.fitting(account, last.cost, answered=True, like=like))
    results.show(spending_picture(everything, account), "spending")
    results.listing(everything, tables=history.tables_of_releases(account))
    results.release_files(everything, "all")
    layout.folded("Methods", "budget-methods", partial(history.methods, everything, account))
person_total.show(account)
