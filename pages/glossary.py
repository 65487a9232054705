"""Glossary: the words of the trade, each said plainly first, then exactly."""

import streamlit as st

from ui import glossary_links, session

session.require_router("pages/glossary.py")
st.title("Glossary")
st.markdown("What does this word mean? Plainly first, then as the field writes it.")
glossary_links.show()
