"""A number, and one figure in two views: what Streamlit takes here by itself."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

VIEWS = ("One", "Two")

number = st.number_input("Number", value=0.0, step=1.0, key="number")
st.markdown(f"{number:g}")
x = np.linspace(0, 1, 101)
for name, view in zip(VIEWS, st.tabs(VIEWS, key="view", on_change="rerun"), strict=True):
    if view.open:
        figure = go.Figure(go.Scatter(x=x, y=np.sin(number + len(name) + 6 * x)))
        view.plotly_chart(figure, key=f"figure-{name}")
