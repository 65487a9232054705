"""Epsilon Studio: what differential privacy does to your data. Page registry only."""

import streamlit as st

from ui import (
    controls,
    downloads,
    glossary_links,
    layout,
    logging,
    recovery,
    releasing,
    session,
    sidebar,
)
from ui.data import using
from ui.run_queue import RUNS


def _pages() -> dict[str, list[st.Page]]:
    return {
        "": [
            st.Page("pages/home.py", title="Home", default=True),
            st.Page("pages/data.py", title="Data"),
            st.Page("pages/release.py", title="Release"),
            st.Page("pages/regression.py", title="Regression"),
            st.Page("pages/plan.py", title="Plan"),
            st.Page("pages/tradeoffs.py", title="Trade-offs"),
            st.Page("pages/individual.py", title="Individual privacy"),
            st.Page("pages/ledger.py", title="Ledger"),
        ],
        "Decide": [
            st.Page("pages/meaning.py", title="Meaning"),
            st.Page("pages/decision.py", title="Decision"),
            st.Page("pages/touched.py", title="Whom it touches"),
        ],
        "Learn": [
            st.Page("pages/lessons.py", title="Lessons"),
            st.Page("pages/lab.py", title="Mechanism lab"),
            st.Page("pages/sensitivity.py", title="Sensitivity explorer"),
            st.Page("pages/made_up.py", title="Made-up table"),
            st.Page("pages/audit.py", title="Audit"),
            st.Page("pages/attacks.py", title="Attacks"),
            st.Page("pages/glossary.py", title="Glossary"),
            st.Page("pages/about.py", title="About"),
        ],
        "Resampling": [
            st.Page("pages/standard_errors.py", title="Standard errors"),
            st.Page("pages/subsampling.py", title="Subsampling"),
            st.Page("pages/resized.py", title="Resized bootstrap"),
        ],
        "Studies": [
            st.Page("pages/study1.py", title="Study 1: covariances"),
            st.Page("pages/study2.py", title="Study 2: proportions"),
            st.Page("pages/figures12.py", title="Figures 1 and 2"),
        ],
    }


logging.withhold_messages()
st.set_page_config(page_title="Epsilon Studio", page_icon="🔒", layout="wide")
session.start()
page = st.navigation(
    session.once("_pages", _pages),
    position="top",
    # On a phone the side bar has the links: none of them behind a further click.
    expanded=True,
)
session.go_where_asked()
controls.drop_infinite()
layout.apply_style()
with recovery.told():
    using.follow_link()
with RUNS.turn(), session.ledger_read_once(), sidebar.beside():
    with st.sidebar:
        glossary_links.beside(page.url_path)
    with (
        session.only_what_is_shown(page.url_path),
        downloads.answered(),
        recovery.told(),
        releasing.heard(),
    ):
        page.run()
