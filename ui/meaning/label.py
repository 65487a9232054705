"""The label of consequences, to be shown and to be copied."""

from __future__ import annotations

import streamlit as st

from dpcore.figures.privacy_label import sections, text_of
from ui.meaning.asking import InterpretationSubject
from ui.text import literal


def show_label(subject: InterpretationSubject) -> None:
    """Show the label of the account."""
    facts = subject.facts
    if facts.lesson:
        st.caption("This is a lesson: its budget is nobody's agreement.")
    st.caption(
        "This is the label of an account with the ε above; none is opened."
        if facts.proposed
        else "The label is about all releases of this table together."
    )
    with st.container(border=True, key="label"):
        st.header("What the released numbers can give away")
        for section in sections(facts):
            lines = "\n".join(f"- {literal(line)}" for line in section.lines)
            st.markdown(f"**{section.heading}**\n\n{lines}")
    with st.expander("The same as text, to copy"):
        st.code(text_of(facts), language=None, wrap_lines=True)
