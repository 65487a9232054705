"""Documents: what is handed out about the releases of an account, or about its plan."""

import streamlit as st

from ui import session
from ui.budget import documents

session.require_router("pages/documents.py")
st.title("Documents")
st.markdown("Choose a document about your releases or your plan, check it, and download it.")
documents.show(session.require_study())
