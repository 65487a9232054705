"""Home: drop a file, try the survey or take a lesson; and what ε does, live."""

import contextlib

import streamlit as st

from dpcore.errors import LedgerError
from ui import accounts, demo, places, session
from ui.data import upload, using
from ui.text import literal

places.begin(
    "home", "Publish statistics about people and set a limit on what they reveal about any of them."
)
if session.wanted() == "upload":
    session.go("pages/data.py")
study = session.study()
if study is None:
    session.tell_kept()
else:
    with contextlib.suppress(LedgerError):
        account = session.account(study)
        name = literal(study.dataset.name)
        with st.container(
            border=True, horizontal=True, vertical_alignment="center", key="continue"
        ):
            st.markdown(f"Continue: **{name}** · {accounts.rest(account)}", width="content")
            for label, page in (("Release", "pages/release.py"), ("Plan", "pages/plan.py")):
                st.page_link(page, label=label, icon=":material/arrow_forward:", width="content")
dropped, others = st.columns([2, 1], gap="medium")
with dropped:
    upload.drop_zone("Upload a CSV or another table")
    st.caption(
        "Your file stays in memory on this server. Closing or reloading the tab discards it."
    )
with others:
    st.caption("No data at hand?")
    if st.button("Try the survey", type="primary", width="stretch"):
        with st.spinner("Loading the survey …"):
            using.use_example("rand-hie")
        session.go("pages/release.py")
    if st.button("First lesson", width="stretch"):
        session.go("pages/lessons.py")

st.header("Try it: one guest, two possible worlds")
demo.show()
