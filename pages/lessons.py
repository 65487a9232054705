"""Lessons: one idea each in a few minutes, and paths through them."""

from dataclasses import replace

import streamlit as st

from ui import session
from ui.lessons import classroom, lesson_choice, steps, teaching

session.require_router("pages/lessons.py")
stage = st.container(key="lesson-stage")
foot = st.container(horizontal=True, vertical_alignment="center", key="lesson-foot")
with stage:
    place = lesson_choice.ask()
    classroom.lead(place)
with foot:
    lesson_choice.go_on(place)
    teaching.show_clock(place)
    classroom.join()
    place = replace(place, projected=teaching.show(place))
with stage:
    steps.show(place)
teaching.apply_stage(projected=place.projected)
teaching.listen()
