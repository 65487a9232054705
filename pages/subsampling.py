"""Subsampling: what keeping the sample secret is worth."""

import streamlit as st

from ui import layout, session
from ui.resampling import secret_samples, subsampling_release

session.require_router("pages/subsampling.py")
st.title("Subsampling")
st.markdown("See how a secret sample reduces the privacy cost, and what it costs in accuracy.")
views = st.container()
with st.expander("Methods"):
    secret_samples.definitions()
with views:
    layout.show(
        {
            "Claim and truth": secret_samples.claim_and_truth,
            "Which share?": secret_samples.levels,
            "Profiles": secret_samples.profiles,
            "Does it pay?": lambda: secret_samples.errors(session.study()),
            "A secret survey": secret_samples.survey,
            "Release from a sample": lambda: subsampling_release.show(session.require_study()),
        },
        key="ss-view",
    )
