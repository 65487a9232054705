"""Release: ask one question, see its price, and get a sanitized answer."""

from functools import partial

import streamlit as st

from ui import offering, plan_notes, results, session
from ui.answering import answer_lessons, answers, differences, distortion, enclosing, previews
from ui.asking import inputs

session.require_router("pages/release.py")
st.title("Release")
st.markdown("What may leave the table, how far off will it be, and what does it cost?")
asked = inputs.ask(session.require_study())
# As declared by the controls just now.
study = session.require_study()
done = tuple(map(study.renamed, session.ledger().releases(study.fingerprint)))
earlier_group_sizes = st.container()
answer = offering.offer(
    asked,
    study,
    key="statistic",
    price=previews.price(asked),
    before=partial(previews.preview, asked),
)
if answer is not None and answer.id not in {each.id for each in done}:
    done = (*done, answer)  # drawn in this run
with earlier_group_sizes:
    plan_notes.before_release(asked, done)
if answer is not None:
    answers.show(answer, asked)
    differences.show(answer, asked)
    enclosing.show(answer, asked, study, session.account(study))
    answer_lessons.lesson(answer, asked, study)
distortion.show(asked, study)

if done:
    st.header("Released so far")
    results.listing(done)
with st.expander("What is this?"):
    answers.details(asked)
