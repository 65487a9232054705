"""Lessons: one idea each in five minutes, and paths through them."""

import streamlit as st

from ui import session
from ui.lessons import choosing, classroom, clock, handing, projector, sharing, steps

session.require_router("pages/lessons.py")
with st.container(key="lesson-around"):
    st.title("Lessons")
    st.markdown(
        "What does it take to publish about people without giving one away? One idea "
        "in five minutes: predict, see, play, answer three questions."
    )
lesson, foot = st.container(), st.container()
with foot:
    projected = choosing.project()
    if projected:
        projector.apply_projector()
with lesson:
    place = choosing.ask(projected=projected)
    classroom.lead(place)
    steps.show(place)
    choosing.go_on(place)
with foot:
    clock.show_clock(place)
    sharing.show_sharing(place)
    with st.container(key="lesson-around-below"):
        handing.show_handout(place.path)
        classroom.join()
