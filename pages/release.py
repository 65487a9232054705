"""Release: one statistic, its accuracy and privacy cost first, then its private answer."""

from functools import partial

import streamlit as st

from ui import offering, places, plans, question_form, release_screen, results, session, sharpening
from ui.answering import answers, differences, distortion, previews

places.begin("release")
asked = question_form.ask(session.require_study())
# As declared by the controls just now.
study = session.require_study()
done = tuple(map(study.renamed, session.ledger().releases(study.fingerprint)))
screen = release_screen.places()
with screen.actions:
    sharpening.carry_out(asked, study)
    answer = offering.offer(
        asked,
        study,
        key="statistic",
        price=previews.price(asked),
        before=partial(previews.obstacles, asked),
    )
    best = sharpening.sharpest(answer, study)
    if best is not None:
        asked = sharpening.answers(best, asked, study)
with screen.beside:
    release_screen.beside(asked)
with screen.curator:
    true = release_screen.curator(asked, study)
with screen.card:
    release_screen.show(asked, best, study, true)
    if best is not None:
        sharpening.offer(best, asked, study)
for each in (answer, best):
    if each is not None and each.id not in {one.id for one in done}:
        done = (*done, each)  # drawn in this run
plans.before_release(asked, done)
if best is not None:
    differences.show(best, asked)
    answers.lesson(best, asked, study)
if not release_screen.is_one_number(asked):
    distortion.show(asked, study)
if done:
    st.header("Released so far")
    results.listing(done)
with st.expander("Methods"):
    answers.details(asked)
