"""Study 2: proportions released under constraints, simulated with editable settings."""

import streamlit as st

from ui import proportion_study, session

session.require_router("pages/study2.py")
st.title("Study 2: proportions")
st.markdown(
    "Shares must lie between 0 and 1 and add up to 1. Which way of keeping noisy ones "
    "there costs how much accuracy?"
)
asked = proportion_study.ask()
current = proportion_study.run(asked)
view = proportion_study.choose(current.design)
proportion_study.proof(current, view)
proportion_study.figures(current, view)
proportion_study.why(current, view)

st.header("The published findings, checked")
proportion_study.verdicts(current)
proportion_study.download(current)

closer = st.expander("A closer look", key="study2-closer", on_change="rerun")
if closer.open:
    with closer:
        proportion_study.lab(current.design, view)
with st.expander("What is this?"):
    proportion_study.details()
