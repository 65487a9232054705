"""Budget: what was spent, on what, and what is left."""

import streamlit as st

from ui import accounts, periods, person_total, recovery, results, session

session.require_router("pages/budget.py")
st.title("Budget")
st.markdown("What has been released about these people, and what may still be?")
recovery.at_ledger()
study = session.require_study()
account = session.account(study)
accounts.summary(account)
periods.show(account)
st.page_link("pages/meaning.py", label="What this means for a person")
done = tuple(map(study.renamed, session.ledger().releases(study.fingerprint)))
tables = accounts.tables_of_releases(account)
everything = accounts.all_releases(account)
if not done:
    st.info(accounts.nothing_released(account))
    st.page_link("pages/release.py", label="Go to Release")
if everything:
    results.public_badge()
    results.listing(everything, tables=tables)
    st.caption("All releases as a file:")
    results.release_files(everything, "all")
    accounts.totals(everything, account)
person_total.show(account)
