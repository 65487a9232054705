"""Documents: what is handed out about the releases of an account."""

from functools import partial

import streamlit as st

from ui import accounts, document_area, session

session.require_router("pages/documents.py")
st.title("Documents")
st.markdown("Notice, report and files about what was released, for people outside.")
study = session.require_study()
everything = accounts.all_releases(session.account(study))
if not everything:
    st.info("Nothing has been released yet: documents are about releases.")
    st.page_link("pages/release.py", label="Go to Release")
    session.end_page()
document_area.show(partial(document_area.released, study, everything), study, key="ledger")
