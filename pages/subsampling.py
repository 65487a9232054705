"""Subsampling: what keeping the sample secret is worth."""

import streamlit as st

from ui import session
from ui.resampling import (
    subsampling,
    subsampling_claims,
    subsampling_errors,
    subsampling_release,
)

session.require_router("pages/subsampling.py")
st.title("Subsampling")
st.markdown(
    "If nobody knows who is in the sample, how much less does an answer reveal about "
    "each person, and is it worth the rows that are left out?"
)
views = st.container()
with st.expander("What is this?"):
    subsampling.definitions()
names = [
    "Claim and truth",
    "Which share?",
    "Profiles",
    "Does it pay?",
    "A secret survey",
    "Release from a sample",
]
tabs = views.tabs(names, key="ss-view", bind="query-params")
claims, levels, profiles, errors, survey, release = tabs
if claims.open:
    with claims:
        subsampling_claims.show()
if levels.open:
    with levels:
        subsampling.levels()
if profiles.open:
    with profiles:
        subsampling.profiles()
if errors.open:
    with errors:
        subsampling_errors.errors(session.study())
if survey.open:
    with survey:
        subsampling_errors.survey()
if release.open:
    with release:
        subsampling_release.show(session.require_study())
