"""Releasing a whole plan: all of its questions or none, for the price of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from dpcore.analyses.base import Mode, Releasable, Request
from dpcore.analyses.identity import analysis_id
from dpcore.analyses.model import ModelRequest
from dpcore.analyses.resized import ResizedRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.formatting import capital
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.plan_cost import PlanCost, cost_of_plan
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.record import Release
from ui import document_area, offering, plans, releasing, results, session
from ui.answering import answers, differences
from ui.models import regression
from ui.planning import showing
from ui.study import Study
from ui.text import literal


def offer(
    basket: AnalysisPlan,
    study: Study,
    price: PlanCost,
    known: Sequence[Release | None],
    *,
    ready: bool,
) -> None:
    """Offer the release of the whole plan, and show the answers that there are.

    ``price`` is that of the questions without a ``known`` answer. The plan is ``ready``
    unless something in it cannot be released.
    """
    requests = [item.request for item in basket.items]
    name = _named(requests, study, basket.delta)
    _carry_out(basket, requests, study, name)
    account = session.account(study)
    count = known.count(None)
    ready = ready and account.admits(price.cost)
    if count and session.mode() is Mode.RELEASE:
        document_area.before_release(study)
    st.button(
        "Release the whole plan",
        type="primary",
        key="plan-release",
        disabled=not (ready and count),
        on_click=releasing.press,
        args=(name, 1),
    )
    st.caption(
        f"{count} question{'s' if count > 1 else ''}, all or none, in one transaction, "
        f"for {showing.in_words(price.cost, account)}."
        if count
        else "Every question of the plan has its answer. Looking at them is free."
    )
    if ready and releasing.waiting(name) is not None:
        yes = partial(releasing.press, name, 1, confirmed=True)
        offering.confirm(
            account, showing.in_words(price.cost, account), price.cost, key="plan", yes=yes
        )
    told = releasing.told()
    if told is not None:
        st.info(told)
    _answers(basket, known)


def _carry_out(
    basket: AnalysisPlan, requests: Sequence[Releasable], study: Study, name: str
) -> None:
    pressed = releasing.pressed()

    def cost(new: Sequence[Releasable]) -> PrivacyCost:
        return cost_of_plan(new, delta=basket.delta).cost

    with releasing.drawing(study, pressed):
        done = pressed is not None and releasing.carry_out_all(
            requests,
            study,
            pressed,
            name=name,
            called=[item.own_name for item in basket.items],
            cost=cost,
        )
    if done:
        # Another split would make other questions of them, to be paid for anew.
        kept = tuple(replace(item, locked=True) for item in basket.items)
        plans.keep(study, replace(basket, items=kept))
        st.rerun()
    notice = session.notice()
    if notice is not None:
        st.error(literal(notice))


def _named(requests: Sequence[Releasable], study: Study, delta: float) -> str:
    """Return what a press of the button is of: this plan, at this delta."""
    asked = [request.parameters() for request in requests]
    return analysis_id(study.fingerprint, {"plan": asked, "delta": delta})


def _answers(basket: AnalysisPlan, answers: Sequence[Release | None]) -> None:
    """Show the answers of the plan: all in a list, and one of them in full."""
    pairs = zip(basket.items, answers, strict=True)
    known = [(item, answer) for item, answer in pairs if answer is not None]
    if not known:
        return
    st.header("Answers")
    place = st.selectbox(
        "Answer to",
        range(len(known)),
        format_func=lambda at: f"{at + 1}. {known[at][0].name}",
        key=f"plan-answer-{session.generation()}-{len(known)}",
    )
    item, answer = known[place]
    _show(answer, item.request)
    st.markdown("**All answers of the plan**")
    results.listing([answer for _, answer in known])
    results.release_files([answer for _, answer in known], "plan")


def _show(answer: Release, request: Releasable) -> None:
    """Show an answer as the page does that its question is from."""
    if isinstance(request, Request):
        answers.show(answer, request)
        differences.show(answer, request)
    elif isinstance(request, ModelRequest):
        regression.released(answer, request)
    elif isinstance(request, SubsampledRequest | ResizedRequest):
        answers.resampled(
            answer,
            request,
            title=capital(request.title),
            note="Intervals cover the noise and who was drawn.",
            keys=("plan-resampled", "plan-resampled"),
        )
    else:
        with offering.frame(answer):
            st.caption("Its numbers are in the list below, and in the files.")
            offering.badge(answer, "plan-answer")
