"""Typing a question into the plan, by the controls of the Release page."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from dpcore.analyses.quantiles import ChainPlan
from dpcore.planning.analysis_plan import MOST_PEOPLE, PlannedQuery
from dpcore.planning.group_sizes import tells_sizes
from ui import controls, plan_notes, plans, session
from ui.asking import inputs
from ui.study import Study
from ui.text import after_number, literal


def typed(study: Study) -> None:
    """Ask for a question by the controls of the Release page, and offer to plan it.

    Where it cannot be asked yet, the page ends here.
    """
    st.header("Add a question")
    st.caption(
        "Every page that offers a release has the same button: models, samples and "
        "bootstraps can be planned from there."
    )
    request = inputs.ask(study)
    st.markdown(f"**{literal(request.title)}**")
    item = PlannedQuery.of(request)
    group = _group(item)
    width = replace(item, group=group).width
    if math.isfinite(width.half):
        of = f", of {width.of}" if width.of else ""
        st.caption(
            "At this ε 95 of 100 answers would fall within ± "
            f"{width.text}{after_number(width.unit)}{literal(of)}."
        )
    if width.unit == "ranks" and not isinstance(request.plan, ChainPlan):
        st.caption(
            "It is in places of the sorted table: what that is in the unit of the "
            "column is confidential. Several quantiles in one question, such as 25, 50 "
            "and 75 %, have intervals in that unit, and cost more."
        )
    study = session.require_study()
    name = plans.ask_name(request, study)
    plans.button(request, study, key="typed", group=group, name=name)


def _group(item: PlannedQuery) -> int:
    """Ask of how many people a group is meant, where the error hangs on it."""
    if not item.width.assumed:
        return item.group
    known = plan_notes.smallest_of((item,), session.require_study()).get(item.key)
    by = tells_sizes(item.request.asked)
    first, second = controls.row((1, 2))
    if known is not None:
        second.place.caption(
            f"By the answer of {known.day} the smallest, {literal(known.label)}, has "
            f"{known.least:,} to {known.most:,}."
        )
    return first.number(
        "A group of how many?",
        item.group if known is None else max(known.least, 1),
        (1, MOST_PEOPLE),
        key=f"plan-add-group-{session.generation()}-{hash(by)}",
        kept="session",
        note="Sizes of groups are private: name a size to see its error. It goes into "
        "the plan with the question.",
    )
