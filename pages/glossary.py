"""Glossary: the words of the trade, each said plainly first, then exactly."""

import streamlit as st

from ui import glossary_links, session

session.require_router("pages/glossary.py")
st.title("Glossary")
st.markdown("Look up a term in plain words and in the notation of the field.")
glossary_links.show()
