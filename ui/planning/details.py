"""What a row of the plan has no room for, in a popover: name, lock, group size, target."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import streamlit as st

from dpcore.analyses.quantiles import RankPlan
from dpcore.errors import ParameterError
from dpcore.formatting import capital, epsilon_text
from dpcore.planning.analysis_plan import LONGEST_NAME, AnalysisPlan, PlannedQuery
from dpcore.planning.group_sizes import too_few
from dpcore.planning.needs import Need, needs
from dpcore.planning.targets import OF_A_DIFFERENCE, is_difference, people_for, size_condition_text
from ui import controls, plans, session
from ui.study import Study
from ui.text import literal


def show(item: PlannedQuery, plan: AnalysisPlan, study: Study, *, released: bool) -> None:
    """Show the details of a question."""
    st.markdown(f"{literal(capital(item.request.statement))}.")
    _ask(item, released=released)
    _target(item, plan, study)
    _notes(item, study)


def _ask(item: PlannedQuery, *, released: bool) -> None:
    key = item.key
    change: Any = partial(plans.change_question, key)
    named, locked, sized = (f"plan-{what}-{key}" for what in ("name", "lock", "group"))
    session.set_public(named, item.name)
    st.text_input(
        "Name",
        key=named,
        max_chars=LONGEST_NAME,
        on_change=lambda: change(name=" ".join(str(session.public(named)).split())),
    )
    if item.divisible and not released:
        session.set_public(locked, item.locked)
        st.checkbox(
            "Lock ε",
            key=locked,
            on_change=lambda: change(locked=session.public(locked)),
            help="A locked question keeps its ε. The others share what is left of the total.",
        )
    if item.width.assumed:
        controls.HERE.mirrored(
            "Assumed group size",
            item.group,
            lambda group: change(group=group),
            key=sized,
            help="Group sizes are private. Assume one to see its margin of error.",
        )


def _target(item: PlannedQuery, plan: AnalysisPlan, study: Study) -> None:
    """Say what the target takes: ε, total, or rows; and what would take less."""
    found = [need for need in needs(plan, study.size()) if need.item is item]
    for need in found:
        st.markdown(_needed(need))
        if math.isfinite(need.epsilon) and not item.seen and item.divisible:
            st.button(
                f"Set ε = {epsilon_text(need.epsilon)}",
                key=f"plan-need-{item.key}",
                on_click=plans.change_question,
                args=(item.key,),
                kwargs={"epsilon": need.epsilon},
            )
        if need.cheaper:
            st.markdown(f"Cheaper: {literal('; or '.join(need.cheaper))}.")
    if not found:
        st.caption("Set a target to see which ε or sample size meets it.")


def _needed(need: Need) -> str:
    item = need.item
    ways = []
    if math.isfinite(need.epsilon):
        total = f" (total ε = {epsilon_text(need.total)})" if math.isfinite(need.total) else ""
        ways.append(f"ε = {epsilon_text(need.epsilon)}{total}")
    try:
        people = people_for(item, item.wanted or 0.0)
    except ParameterError:
        people = None
    if people is not None:
        ways.append(f"{people:,} {item.request.unit.counted} at this ε")
    return f"The target takes {' or '.join(ways)}." if ways else "No ε meets the target."


def _notes(item: PlannedQuery, study: Study) -> None:
    """Say on which group size the margin depends, and of what it is one."""
    condition = size_condition_text(item)
    if condition:
        st.caption(literal(condition))
    known = plans.smallest_of((item,), study)
    if item.seen and too_few(item, known):
        st.warning(f"✓ may be wrong. {literal(known[item.key].text)}.")
    if is_difference(item):
        st.caption(OF_A_DIFFERENCE)
    if item.width.relative:
        st.caption(f"The margin is for {item.width.of}.")
    if item.width.unit == "ranks":
        single = isinstance(item.request.plan, RankPlan)
        st.caption(
            "The margin counts ranks of the sorted table."
            + " Several quantiles in one question have margins in the unit of the column." * single
        )
    st.caption(f"Mechanism: {literal(item.request.mechanism_label)}.")
