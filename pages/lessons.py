"""Lessons: one idea each in five minutes, and paths through them."""

import streamlit as st

from ui import session
from ui.lessons import classroom, lesson_choice, steps

session.require_router("pages/lessons.py")
with st.container(key="lesson-around"):
    st.title("Lessons")
    st.markdown(
        "What does it take to publish about people without giving one away? One idea "
        "in five minutes: predict, see, play, answer three questions."
    )
lesson, foot = st.container(), st.container()
with foot:
    projected = lesson_choice.project()
    if projected:
        lesson_choice.apply_projector()
with lesson:
    place = lesson_choice.ask(projected=projected)
    classroom.lead(place)
    steps.show(place)
    lesson_choice.go_on(place)
with foot:
    lesson_choice.show_clock(place)
    lesson_choice.show_sharing(place)
    with st.container(key="lesson-around-below"):
        lesson_choice.show_handout(place.path)
        classroom.join()
