"""A number and one figure: what Streamlit takes on this machine by itself."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

number = st.number_input("Number", value=0.0, step=1.0, key="number")
st.markdown(f"{number:g}")
x = np.linspace(0, 1, 101)
st.plotly_chart(go.Figure(go.Scatter(x=x, y=np.sin(number + 6 * x))), key="figure")
