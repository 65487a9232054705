"""Release: one statistic, its accuracy and privacy cost first, then its private answer."""

from functools import partial

import streamlit as st

from ui import offering, plans, release_screen, results, session
from ui.answering import answer_lessons, answers, differences, distortion, previews
from ui.asking import inputs

session.require_router("pages/release.py")
st.title("Release")
asked = inputs.ask(session.require_study())
# As declared by the controls just now.
study = session.require_study()
done = tuple(map(study.renamed, session.ledger().releases(study.fingerprint)))
screen = release_screen.places()
with screen.actions:
    answer = offering.offer(
        asked,
        study,
        key="statistic",
        price=previews.price(asked),
        before=partial(previews.obstacles, asked),
    )
with screen.beside:
    release_screen.beside(asked)
with screen.curator:
    true = release_screen.curator(asked, study)
with screen.card:
    release_screen.show(asked, answer, study, true)
if answer is not None and answer.id not in {each.id for each in done}:
    done = (*done, answer)  # drawn in this run
plans.before_release(asked, done)
if answer is not None:
    differences.show(answer, asked)
    answer_lessons.lesson(answer, asked, study)
if not release_screen.is_one_number(asked):
    distortion.show(asked, study)
if done:
    st.header("Released so far")
    results.listing(done)
with st.expander("Methods"):
    answers.details(asked)
