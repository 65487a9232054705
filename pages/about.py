"""About: what the studio guarantees, and what it does not."""

from pathlib import Path

import streamlit as st

from ui import places

places.begin("about", "Read what this studio guarantees, and what it does not.")
for section in Path("ui/about.md").read_text(encoding="utf-8").split("## ")[1:]:
    heading, _, text = section.partition("\n")
    st.header(heading, anchor=False)
    st.markdown(text)
