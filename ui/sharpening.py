"""A sharper answer to the question on screen, for the difference in ε."""

from __future__ import annotations

from functools import partial
from typing import Final, cast

import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.measurement import Direct
from dpcore.analyses.reading import request_from
from dpcore.errors import DPCoreError
from dpcore.formatting import epsilon_text, percent, significant
from dpcore.inference.intervals import expect, level_of_each
from dpcore.ledger.account import Account
from dpcore.ledger.sharper_answers import obstacle, sharper_request
from dpcore.mechanisms.catalog import DISCRETE
from dpcore.releases.record import Release, sharper
from ui import accounts, controls, offering, recovery, releasing, session
from ui.answering.numbers import NOISE
from ui.study import Study
from ui.text import after_number

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
    return cast("Request", request_from(answer.request, study.dataset, called=study.terms.unit))


def offer(answer: Release, asked: Request, study: Study) -> None:
    """Offer a sharper answer than the one to a request, where there can be one."""
    if type(asked.plan) is not Direct:
        return  # it is computed from several noisy numbers
    account = session.account(study)
    start = min(2 * asked.epsilon, _MOST)
    if obstacle(answer, account, session.ledger().releases(study.fingerprint)) is not None:
        return
    try:
        sharper_request(answer, asked, start)
    except DPCoreError:
        return
    with st.popover("Sharpen this answer", key="sharpen"), controls.valid(ends=False):
        cell = controls.HERE.charged_epsilon(
            "ε of the sharper answer",
            start,
            (asked.epsilon, _MOST, 0.1),
            key=f"sharper-epsilon-{answer.id}",
            kept="page",
        )
        _button(sharper_request(answer, asked, cell.inside), asked, account)


def _button(request: Request, asked: Request, account: Account) -> None:
    """Show what a sharper answer gains and costs, and the button that releases it."""
    due, analysis = request.due, request.analysis(account.fingerprint)
    price, fits = f"ε = {epsilon_text(float(due.epsilon))}", account.admits(due)
    st.markdown(
        f"{NOISE}: **± {_margin(request)}** instead of ± {_margin(asked)}"
        f"{after_number(asked.query.quantity.of_differences)}."
    )
    st.button(
        f"Sharpen and spend {price}",
        type="primary",
        key="sharpen-release",
        disabled=not fits,
        on_click=_press,
        args=(request, analysis),
    )
    if releasing.waiting(analysis) is not None:
        yes = partial(_press, request, analysis, confirmed=True)
        offering.confirm(account, price, due, key="sharpen", yes=yes)
    st.caption(
        f"{accounts.left(account, due)} left. You pay the difference, because both answers "
        "together reveal what the sharper one does."
        if fits
        else accounts.way_on(account, due, price)
    )
    once = "" if asked.mechanism_key == DISCRETE.key else "This answer can be sharpened once. "
    share = percent((asked.epsilon / request.epsilon) ** 2)
    st.caption(
        f"{once}With a probability of about {share} or more, a number does not change. Its "
        "interval becomes shorter even then. The privacy guarantee holds however you choose this "
        "ε. The 95% of the interval is for an ε chosen before the first answer was seen."
    )


def _margin(asked: Request) -> str:
    statistic, bounds = asked.query.statistic, asked.query.bounds
    level = level_of_each(len(statistic.labels))
    return significant(expect(asked.mechanism, statistic, bounds, level=level).noise)


def _press(request: Request, analysis: str, *, confirmed: bool = False) -> None:
    session.set_public(_ASKED, request)
    releasing.press(analysis, 1, confirmed=confirmed)
