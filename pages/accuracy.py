"""Accuracy: bias, variance and error of the mechanisms on the same statistic."""

import streamlit as st

from dpcore.studies.comparing.error_curves import ErrorMetric, Fairness
from ui import comparing, controls, session
from ui.asking import inputs

session.require_router("pages/accuracy.py")
st.title("Accuracy")
st.markdown("Bias, standard deviation and RMSE of every mechanism for this question.")
study = session.require_study()
asked = inputs.ask(study)
query = comparing.require_comparable(asked)

first, second, third, fourth = controls.row(4)
axis = first.selectbox(
    "x-axis", ["epsilon", "number of people", "true value", "who wins where"], key="axis"
)
metric = second.selectbox(
    "Metric",
    [comparing.ALL, *ErrorMetric],
    key="metric",
    disabled=axis == "who wins where",
    note="RMSE² = bias² + SD². The single metrics have simulated points, too.",
)
fairness = third.selectbox(
    "Match by",
    list(Fairness),
    key="fairness",
    note="Truncation as published keeps the Laplace scale and so gives up to twice the "
    "nominal epsilon. At the same true epsilon its scale is corrected.",
)
place = fourth.slider(
    "Assumed true value (share of the range)",
    0.1,
    (0.0, 1.0, 0.01),
    key="place",
    note="0 is the lower bound of the statistic, 1 the upper. A guess of yours: "
    "nothing on this page is computed from the table.",
)
at = comparing.setting(asked, query, place)
keys = comparing.compared(asked, fairness)
shown = comparing.Shown(keys=keys, chosen=asked.mechanism_key, metric=metric)
if axis == "epsilon":
    comparing.against_epsilon(at, shown)
elif axis == "number of people":
    comparing.against_people(at, shown)
elif axis == "true value":
    comparing.against_position(at, shown)
else:
    comparing.winners(at, keys)
comparing.why(at, fairness)
with st.expander("Methods"):
    comparing.details()
