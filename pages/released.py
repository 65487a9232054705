"""Released results: what the ledger holds of all accounts, without a table."""

import streamlit as st

from ui import session
from ui.budget import history

session.require_router("pages/released.py")
st.title("Released results")
st.markdown("Everything that was released from this ledger, by account.")
history.of_all_accounts()
