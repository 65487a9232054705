"""Study 2: proportions released under constraints, simulated with editable settings."""

import streamlit as st

from ui import session
from ui.proportions import results, study

session.require_router("pages/study2.py")
st.title("Study 2: proportions")
st.markdown(
    "Shares must lie between 0 and 1 and add up to 1. Which way of keeping noisy ones "
    "there costs how much accuracy?"
)
asked = study.ask()
current = study.run(asked)
view = study.choose(current.design)
results.proof(current, view)
results.figures(current, view)
results.why(current, view)

st.header("The published findings, checked")
results.verdicts(current)
results.download(current)

closer = st.expander("A closer look", key="study2-closer", on_change="rerun")
if closer.open:
    with closer:
        results.lab(current.design, view)
with st.expander("What is this?"):
    results.details()
