"""Study 1: a covariance matrix sanitized many times."""

import streamlit as st

from ui import controls, covariance_study, session

session.require_router("pages/study1.py")
st.title("Study 1: covariances")
st.markdown(
    "How far off is a sanitized covariance matrix? Two variances and their covariance "
    "are released again and again and compared with the truth: Study 1 of Liu (2016), "
    "repeated. No table is needed."
)
with controls.valid():
    design, seed = covariance_study.ask()
current = covariance_study.latest(design, seed)
covariance_study.proof(current)
covariance_study.panels(current)
st.header("What it really costs")
covariance_study.cost(current)
st.header("What the original found, and what this run says")
covariance_study.verdicts(current)
covariance_study.download(current.pieces)
st.header("One matrix, before and after its repair")
covariance_study.demonstration(current.asked[0], seed)
with st.expander("What is this?"):
    st.markdown(
        "Each **variance** (divisor n − 1) is released on [0, Vmax], Vmax the largest "
        "variance within bounds R apart; one person changes it by at most R²/n. The "
        "**covariance** follows on ±√(v₁\\* v₂\\*), the range that the released "
        "variances leave; one person changes it by at most R₁R₂/n. The **correlation** "
        "is computed from the three and costs nothing. Each step gets its share of "
        "ε.\n\nTruncation must be recalibrated for the covariance, whose range is "
        "random; clamping (BIT) need not. Source: F. Liu, *Statistical properties of "
        "sanitized results from differentially private Laplace mechanism with "
        "univariate bounding constraints*, arXiv 1607.08554. The numbers of its design "
        "are lost from the copies that can be had, so that some settings are marked "
        "reconstructed."
    )
