"""Release: ask one question, see its price, and get a sanitized answer."""

import streamlit as st

from ui import answers, lessons, previews, releasing, results, session
from ui.asking import inputs
from ui.text import literal

session.require_router("pages/release.py")
st.title("Release")
st.markdown("What may leave the table, how far off will it be, and what does it cost?")
pressed = releasing.pressed()
asked = inputs.ask(session.require_study())
# As declared by the controls just now.
study = session.require_study()
if pressed is not None and releasing.carry_out(asked, study, pressed):
    st.rerun()

refused = session.notice()
if refused is not None:
    st.error(literal(refused))

answer = releasing.latest(study.fingerprint, asked)
account = session.account(study)
affordable = answer is not None or account.budget.admits(account.spent, asked.cost)
allowed = asked.refusal(session.mode()) is None
previews.preview(asked, account, answered=answer is not None)
if not allowed:
    answers.explain_refusal(asked)
elif not affordable:
    answers.explain_price(asked, account)
ask_once, ask_again = st.columns(2)
ask_once.button(
    "Release",
    type="primary",
    disabled=not (allowed and affordable),
    on_click=releasing.press,
    args=(asked.analysis(study.fingerprint), 1),
)
ask_once.caption("Charged once. The same question has the same answer, for free.")
if answer is not None:
    ask_again.button(
        "Draw again",
        key=f"again-{answer.id}",
        on_click=releasing.press,
        args=(asked.analysis(study.fingerprint), answer.draw + 1),
        help=f"A fresh draw of the same question costs {previews.price(asked)} again.",
    )
    ask_again.caption(f"A fresh draw costs another {previews.price(asked)}.")
    answers.show(answer, asked)
    lessons.lesson(answer, asked, study)

done = session.ledger().releases(study.fingerprint)
if done:
    st.header("Released so far")
    results.listing(done)
with st.expander("What is this?"):
    answers.details(asked)
