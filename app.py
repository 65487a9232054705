"""Epsilon Studio: what differential privacy does to your data. The frame of all views."""

import streamlit as st

from ui import (
    controls,
    downloads,
    glossary_links,
    layout,
    logging,
    places,
    recovery,
    releasing,
    roles,
    session,
    sidebar,
)
from ui.data import using
from ui.run_queue import RUNS

logging.withhold_messages()
downloads.keep_pressed()
st.set_page_config(page_title="Epsilon Studio", page_icon="🔒", layout="wide")
if not roles.is_known():
    session.end_page()
session.start()
page = st.navigation(
    session.once("_pages", places.pages),
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
        glossary_links.beside()
        roles.beside()
    with (
        session.only_what_is_shown(page.url_path),
        downloads.answered(),
        recovery.told(),
        releasing.heard(),
    ):
        places.links(page.url_path)
        page.run()
