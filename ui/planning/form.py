"""The plan as a form: total and allocation, a row a question, and new questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.formatting import epsilon_text, significant
from dpcore.planning.analysis_plan import MARGIN_UNKNOWN, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.plan_files import to_json
from dpcore.planning.splits import settled
from dpcore.planning.targets import assumed_aim, is_uninformative
from dpcore.releases.record import Release
from ui import controls, downloads, layout, plans, question_form, session
from ui.planning import details, files
from ui.study import Study
from ui.text import after_number, literal, sentence_of

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_PAGE: Final = 20
_DIGITS: Final = 12
"""Of a total, behind the point: without what rounding left."""
_ADDING: Final = "plan-adding"
_CELLS: Final[dict[str, Any]] = {
    "horizontal": True,
    "vertical_alignment": "center",
    "gap": "xsmall",
}
_MARGIN, _NUMBER, _MET, _ICONS, _CONTROLS = 132, 100, 36, 84, 348
"""Widths of cells in pixels; those of the controls of a question fit on a phone."""
_ALLOCATIONS: Final = (
    "- **Manual**: every question keeps the ε in its row.\n"
    "- **Equal**: all questions get the same ε.\n"
    "- **Weighted**: a question with twice the weight gets twice the ε.\n"
    "- **Closest to all targets**: the largest ratio of margin to target is as small as possible. "
    "Where not all targets can be met, another allocation can meet more of them."
)


def settings(plan: AnalysisPlan) -> DeltaGenerator:
    """Show total, allocation and the other settings; return the place of the budget bar."""
    generation = session.generation()
    with st.container(horizontal=True, vertical_alignment="bottom", key="plan-settings"):
        controls.HERE.mirrored(
            "Total ε",
            round(plan.total, _DIGITS),
            plans.share,
            key=f"plan-total-{generation}",
            value=None,
            width=_NUMBER,
        )
        key = f"plan-split-{generation}"
        session.set_public(key, plan.split)
        st.selectbox(
            "Allocation",
            list(Split),
            format_func=lambda split: split.label,
            key=key,
            on_change=lambda: plans.change(split=session.public(key)),
            help=_ALLOCATIONS,
            width=190,
        )
        bar = st.container(width="stretch")
        if plan.items:
            label = "Close" if session.public(_ADDING) else "Add question"
            st.button(label, key="plan-add", on_click=_toggle)
        with st.popover("More"):
            controls.HERE.mirrored(
                "δ of the plan",
                plan.delta,
                lambda delta: plans.change(delta=delta),
                key=f"plan-delta-{generation}",
                width=_NUMBER,
                help="All questions are composed at this δ. At 0 only basic composition is valid.",
            )
            _files(plan)
    return bar


def messages(plan: AnalysisPlan) -> None:
    """Say what was refused or left out, and why the total cannot be shared."""
    notice = session.notice()
    if notice is not None:
        st.error(literal(notice))
    if plan.items and plan.follows_budget and plan.split is not Split.TYPED:
        st.caption(
            "The total is what is left of the budget. Each other release lowers it, and raises the "
            "margins. A total that is typed stays."
        )
    for name in plans.lost():
        st.warning(
            f"“{literal(name)}” was left out. This dataset lacks a column, or its type differs."
        )
    try:
        settled(plan)
    except ParameterError as error:
        st.warning(sentence_of(error))


def _files(plan: AnalysisPlan) -> None:
    downloads.button(
        "Download plan (JSON)",
        downloads.File(name="plan.json", mime="application/json", content=partial(to_json, plan)),
        key="plan-json",
        note="Questions, bounds, ε and targets. All of it is public.",
    )
    files.box("Load plan (JSON)", name="plan-file", use=plans.load)
    sure = st.checkbox("Remove all questions and the sign-off", key=f"plan-sure-{len(plan.items)}")
    st.button("Clear plan", key="plan-clear", on_click=plans.clear, disabled=not sure)


def rows(plan: AnalysisPlan, known: Sequence[Release | None], study: Study) -> None:
    """Show a row for each question; ``known`` are the answers that there are."""
    items = list(zip(plan.items, known, strict=True))
    start = 0
    if len(items) > _PAGE:
        start = st.segmented_control(
            "Questions",
            range(0, len(items), _PAGE),
            format_func=lambda at: f"{at + 1}–{min(at + _PAGE, len(items))}",
            default=0,
            required=True,
            key=f"plan-page-{session.generation()}",
        )
    with st.container(gap="xxsmall", key="plan-rows"):
        with st.container(**_CELLS, key="plan-heading"):
            with st.container(**_CELLS):
                st.caption("Question", width="stretch")
                st.caption("Margin (95%)", width=_MARGIN)
            with st.container(**_CELLS, width=_CONTROLS):
                st.caption("Target", width=_NUMBER)
                st.caption("OK", width=_MET)
                st.caption("Weight" if plan.split is Split.WEIGHTS else "ε", width=_NUMBER)
        for number, (item, answer) in enumerate(items[start : start + _PAGE], start + 1):
            with st.container(**_CELLS, key=f"plan-row-{item.key}"):
                _row(number, item, answer, plan, study)


def _row(
    number: int, item: PlannedQuery, answer: Release | None, plan: AnalysisPlan, study: Study
) -> None:
    with st.container(**_CELLS, key=f"plan-asked-{item.key}"):
        st.markdown(f"{number}\\. {literal(item.name)}", width="stretch")
        st.markdown(_margin(item), width=_MARGIN)
    with st.container(**_CELLS, width=_CONTROLS):
        _target(item, plan, released=answer is not None)
        st.markdown({None: "–", True: "✓", False: "✗"}[item.seen], width=_MET)
        _share(item, plan, released=answer is not None)
        with st.container(**_CELLS, width=_ICONS):
            place = st.popover(
                "",
                icon=":material/edit:",
                key=f"plan-details-{item.key}",
                on_change="rerun",
                type="tertiary",
                help=f"Details of {literal(item.name)}",
            )
            released = answer is not None
            layout.opened(place, partial(details.show, item, plan, study, released=released))
            st.button(
                "✕",
                key=f"plan-out-{item.key}",
                on_click=plans.remove,
                args=(item.key,),
                help=f"Remove {literal(item.name)}",
                type="tertiary",
            )


def _target(item: PlannedQuery, plan: AnalysisPlan, *, released: bool) -> None:
    aim = assumed_aim(item) if plan.split is Split.BEST and not item.fixed else None
    controls.HERE.mirrored(
        f"Target of {literal(item.name)}",
        item.wanted,
        lambda wanted: plans.change_question(item.key, wanted=wanted or None),
        key=f"plan-wanted-{item.key}",
        width=_NUMBER,
        value=None,
        placeholder="target" if aim is None else f"({significant(aim)})",
        label_visibility="collapsed",
        disabled=released or math.isinf(item.width.half),
    )


def _share(item: PlannedQuery, plan: AnalysisPlan, *, released: bool) -> None:
    """Show the ε of a question, or its weight where that decides about it."""
    change: Any = partial(plans.change_question, item.key)
    name = literal(item.name)
    if released or not item.divisible:
        st.markdown(f"{epsilon_text(item.epsilon)} {'✓' if released else ''}", width=_NUMBER)
    elif plan.split is Split.WEIGHTS and not item.locked:
        controls.HERE.mirrored(
            f"Weight of {name}",
            item.weight,
            lambda weight: change(weight=weight),
            key=f"plan-weight-{item.key}",
            width=_NUMBER,
            label_visibility="collapsed",
        )
    else:
        controls.HERE.mirrored(
            f"ε of {name}",
            item.epsilon,
            lambda epsilon: change(epsilon=epsilon),
            key=f"plan-epsilon-{item.key}",
            width=_NUMBER,
            icon=":material/lock:" if item.locked else None,
            label_visibility="collapsed",
        )


def _margin(item: PlannedQuery) -> str:
    width = item.width
    if is_uninformative(item):
        return "uninformative"
    if math.isinf(width.half):
        return MARGIN_UNKNOWN if width.of == MARGIN_UNKNOWN else "not available"
    star = "\\*" if width.assumed else ""
    return f"± {width.text}{after_number(width.unit)}{star}"


def add(plan: AnalysisPlan, study: Study) -> None:
    """Ask for a new question; of an empty plan at once, else after "Add question"."""
    if plan.items and not session.public(_ADDING):
        return
    if not plan.items:
        st.caption("There are no questions yet. Choose one and add it.")
    with st.container(border=True, key="plan-question"), suppress(session.PageEnded):
        request = question_form.ask(study, priced=plan.split is Split.TYPED)
        # As declared by the controls just now.
        study = session.require_study()
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.markdown(f"**{literal(request.title)}**", width="content")
            plans.button(request, study, key="typed", name=plans.ask_name(request, study))


def _toggle() -> None:
    session.set_public(_ADDING, not session.public(_ADDING))
