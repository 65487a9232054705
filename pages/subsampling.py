"""Subsampling: what keeping the sample secret is worth."""

import streamlit as st

from ui import session, tabs
from ui.resampling.subsampling import claims, errors, levels, release

session.require_router("pages/subsampling.py")
st.title("Subsampling")
st.markdown(
    "If nobody knows who is in the sample, how much less does an answer reveal about "
    "each person, and is it worth the rows that are left out?"
)
views = st.container()
with st.expander("What is this?"):
    levels.definitions()
with views:
    tabs.show(
        {
            "Claim and truth": claims.claim_and_truth,
            "Which share?": levels.levels,
            "Profiles": levels.profiles,
            "Does it pay?": lambda: errors.errors(session.study()),
            "A secret survey": errors.survey,
            "Release from a sample": lambda: release.show(session.require_study()),
        },
        key="ss-view",
    )
