"""Regression: fit a model to your columns and release it."""

from functools import partial

import streamlit as st

from dpcore.formatting import capital
from ui import confidential, offering, places, session
from ui.models import modelling, regression
from ui.text import literal

places.begin("regression", "Fit a regression with differential privacy.")
asked = modelling.ask(session.require_study())
# As declared by the controls just now.
study = session.require_study()
st.markdown(f"**{literal(capital(asked.title))}**")
answer = offering.offer(asked, study, key="model")
if answer is None:
    regression.expected(asked)
else:
    regression.released(answer, asked)
confidential.area(
    "model", "the fit itself, without noise", partial(regression.behind, study, asked, answer)
)
with st.expander("Methods"):
    regression.details(asked)
