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
from dpcore.ledger.account import Account
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.plan_cost import PlanCost, cost_of_plan
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.record import Release
from ui import offering, plans, releasing, results, session
from ui.answering import answers, differences
from ui.models import regression
from ui.planning import cost, sign_off
from ui.study import Study
from ui.text import literal


def offer(
    plan: AnalysisPlan, study: Study, price: PlanCost, known: Sequence[Release | None]
) -> None:
    """Offer the release of the whole plan, and show the answers that there are.

    ``price`` is the cost of the questions without a ``known`` answer.
    """
    requests = [item.request for item in plan.items]
    asked = [[item.key, item.epsilon] for item in plan.items]
    name = analysis_id(study.fingerprint, {"plan": asked, "delta": plan.delta})
    _carry_out(plan, requests, study, name)
    account = session.account(study)
    count, costs = known.count(None), cost.in_words(price.cost, account)
    ready = not _obstacles(plan, study) and account.admits(price.cost)
    actions = st.container(horizontal=True, vertical_alignment="center", key="plan-actions")
    with actions:
        st.button(
            f"{_action(count)} and spend {costs}" if count else "Released ✓",
            type="primary",
            key="plan-release",
            disabled=not (ready and count),
            on_click=releasing.press,
            args=(name, 1),
            help="All questions or none, in one transaction.",
        )
    if ready and count and releasing.waiting(name) is not None:
        yes = partial(releasing.press, name, 1, confirmed=True)
        offering.confirm(account, costs, price.cost, key="plan", yes=yes)
        actions = st.container(horizontal=True, vertical_alignment="center")
    with actions:
        st.page_link("pages/compare.py", label="Compare with another total")
        st.page_link("pages/sign_off.py", label="Sign-off sheet")
        if count and session.mode() is Mode.RELEASE:
            st.caption(sign_off.state(study), width="content")
    told = releasing.told()
    if told is not None:
        st.info(told)
    _answers(plan, known)


def _action(count: int) -> str:
    return "Release" if count == 1 else f"Release all {count}"


def _obstacles(plan: AnalysisPlan, study: Study) -> bool:
    """Name the questions that cannot be released; tell whether there are any."""
    account = session.account(study)
    found = False
    for item in plan.items:
        refusal = (
            item.request.refusal(session.mode()) or _terms(item, account) or _number(item, study)
        )
        if refusal:
            found = True
            st.warning(f"“{literal(item.name)}”: {literal(refusal)}")
    return found


def _terms(item: PlannedQuery, account: Account) -> str:
    asked = item.request.relation, item.request.unit.rows
    if asked == (account.relation, account.unit_rows):
        return ""
    return (
        "it was planned under another neighboring relation or privacy unit. Remove it, or "
        "plan with the current declaration."
    )


def _number(item: PlannedQuery, study: Study) -> str:
    """Say that a question was planned for a table with another public number of rows."""
    # Models have none: what they charge hangs on no number of people.
    planned = getattr(item.request.asked, "size", None)
    here = study.dataset.people
    if planned is None or not planned.public or planned.people == here:
        return ""
    return (
        f"it was planned for {planned.people:,} {session.unit().counted}, and the dataset has "
        f"{here:,}. Plan it with the current declaration."
    )


def _carry_out(plan: AnalysisPlan, requests: Sequence[Releasable], study: Study, name: str) -> None:
    pressed = releasing.pressed()

    def price(new: Sequence[Releasable]) -> PrivacyCost:
        return cost_of_plan(new, delta=plan.delta).cost

    with releasing.drawing(study, pressed):
        done = pressed is not None and releasing.carry_out_all(
            requests,
            study,
            pressed,
            name=name,
            called=[item.own_name for item in plan.items],
            cost=price,
        )
    if done:
        # Another split would make other questions of them, to be paid for anew.
        kept = tuple(replace(item, locked=True) for item in plan.items)
        plans.keep(study, replace(plan, items=kept))
        st.rerun()
    notice = session.notice()
    if notice is not None:
        st.error(literal(notice))


def _answers(plan: AnalysisPlan, answers: Sequence[Release | None]) -> None:
    """Show the answers of the plan: all in a list, and one of them in full."""
    pairs = zip(plan.items, answers, strict=True)
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
            note="Intervals cover noise and sampling.",
            keys=("plan-resampled", "plan-resampled"),
        )
    else:
        with offering.frame(answer, answer.said):
            st.caption("Its numbers are in the list below and in the files.")
            offering.badge(answer, "plan-answer")
