"""Study 2: proportions released under constraints, simulated with editable settings."""

import streamlit as st

from ui import session
from ui.proportions import proportion_lab, proportion_results, proportion_study

session.require_router("pages/study2.py")
st.title("Study 2: proportions")
st.markdown(
    "Shares must lie between 0 and 1 and add up to 1. Which way of keeping noisy ones "
    "there costs how much accuracy?"
)
asked = proportion_study.ask()
current = proportion_study.run(asked)
view = proportion_study.choose(current.design)
proportion_results.proof(current, view)
proportion_results.figures(current, view)
proportion_results.why(current, view)

st.header("The published findings, checked")
proportion_results.verdicts(current)
proportion_results.download(current)

closer = st.expander("A closer look", key="study2-closer", on_change="rerun")
if closer.open:
    with closer:
        proportion_lab.show(current.design, view)
with st.expander("What is this?"):
    proportion_results.details()
