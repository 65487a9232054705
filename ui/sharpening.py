"""A sharper answer to the question on screen, for the difference in ε."""

from __future__ import annotations

from functools import partial
from typing import Final, cast

import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.reading import request_from
from dpcore.errors import DPCoreError
from dpcore.formatting import epsilon_text, percent
from dpcore.ledger.account import Account
from dpcore.ledger.sharper_answers import obstacle, sharper_request
from dpcore.releases.record import Release, sharper
from ui import accounts, controls, offering, recovery, releasing, session
from ui.study import Study

_ASKED: Final = "_sharper"
_MOST: Final = 700.0


def carry_out(asked: Request, study: Study) -> None:
    """Release a sharper answer to the question on screen, if its button was pressed."""
    pressed = releasing.pressed()
    request = cast("Request | None", session.public(_ASKED))
    if pressed is None or request is None or request.sharpens is None:
        return
    with recovery.told():
        if pressed.is_of(request.analysis(study.fingerprint)):
            answer = sharpest(releasing.latest(study.fingerprint, asked), study)
            if answer is not None and answer.id == request.sharpens.id:
                with releasing.drawing(study, pressed):
                    releasing.carry_out(request, study, pressed, called=answer.name)


def sharpest(answer: Release | None, study: Study) -> Release | None:
    """Return the sharpest answer that an answer was followed by: often itself."""
    if answer is None:
        return None
    known = sharper(session.ledger().releases(study.fingerprint))
    while answer.id in known:
        answer = study.renamed(known[answer.id])
    return answer


def answers(answer: Release, asked: Request, study: Study) -> Request:
    """Return the request that a sharper answer is for; ``asked`` for any other one."""
    if not answer.sharpens:
        return asked
    unit = study.terms.unit
    return cast("Request", request_from(answer.request, study.dataset, called=unit))


def offer(answer: Release, asked: Request, study: Study) -> None:
    """Offer a sharper answer than the one to a request, or say in a line why there is none."""
    account = session.account(study)
    reason = obstacle(answer, account, session.ledger().releases(study.fingerprint))
    start = min(2 * asked.epsilon, _MOST)
    try:
        if reason is None:
            sharper_request(answer, asked, start)
    except DPCoreError as error:
        reason = str(error)
    if reason is not None:
        st.caption(f"A sharper answer is not offered. {reason}")
        return
    with st.popover("Sharpen this answer", key="sharpen"), controls.valid(ends=False):
        cell = controls.HERE.charged_epsilon(
            "ε of the sharper answer",
            start,
            (asked.epsilon, _MOST, 0.1),
            key=f"sharper-epsilon-{answer.id}",
            kept="page",
        )
        request = sharper_request(answer, asked, cell.inside)
        _button(request, account, asked.epsilon / request.epsilon)


def _button(request: Request, account: Account, share: float) -> None:
    """Show what a sharper answer costs, and the button that releases it."""
    due, analysis = request.due, request.analysis(account.fingerprint)
    price, fits = f"ε = {epsilon_text(float(due.epsilon))}", account.admits(due)
    if releasing.waiting(analysis) is not None:
        yes = partial(_press, request, analysis, confirmed=True)
        offering.confirm(account, price, due, key="sharpen", yes=yes)
    st.button(
        f"Sharpen and spend {price}",
        type="primary",
        key="sharpen-release",
        disabled=not fits,
        on_click=_press,
        args=(request, analysis),
    )
    st.caption(
        f"{accounts.left(account, due)} left. You pay the difference, because both answers "
        "together reveal what the sharper one does."
        if fits
        else accounts.way_on(account, due, price)
    )
    st.caption(
        f"A number stays the same with a probability of {percent(share**2)} or more, and its "
        "interval becomes shorter. The 95% hold if the first answer did not lead to this ε."
    )


def _press(request: Request, analysis: str, *, confirmed: bool = False) -> None:
    session.set_public(_ASKED, request)
    releasing.press(analysis, 1, confirmed=confirmed)
