"""The same figure, shown by Streamlit's own element or by ours: ``?by=`` says which."""

import numpy as np
import streamlit as st

from dpcore.figures.theme import Picture, axis
from dpcore.figures.traces import line
from ui import live_chart

number = st.number_input("Number", value=0, step=1, key="number")
x = np.linspace(0, 1, 201)
picture = Picture.of(
    f"Waves {number}",
    {"x": x},
    traces=[line(x, np.sin(number + i + 6 * x), name) for i, name in enumerate("abc")],
    xaxis=axis(f"number {number}"),
)
if st.query_params.get("by") == "streamlit":
    st.plotly_chart(picture.figure, key="chart", alt=picture.alt)
else:
    live_chart.show(picture, key="chart")
