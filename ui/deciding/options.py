"""The two plans that are compared: the one in use, and another one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.planning.analysis_plan import LEAST, MOST, AnalysisPlan, Split
from dpcore.planning.comparison import Option
from dpcore.planning.plan_files import from_json
from dpcore.planning.splits import scaled
from ui import controls, plans, session
from ui.controls import EPSILON_HELP, Typed
from ui.planning import loading
from ui.study import Study

_TOTAL: Final = "the same questions for another total"
_KEPT: Final = "a plan that was kept, or is in a file"
_USUAL: Final = 2.0


def planned(study: Study, *, then: str) -> Option:
    """Return the plan in use; where nothing is planned, the page ends here.

    ``then`` says what could be done with one.
    """
    basket = plans.plan(study)
    if not basket.items:
        st.info(f"Nothing is planned yet. Plan at least one question; {then}.")
        st.page_link("pages/plan.py", label="Go to Plan")
        session.end_page()
    return plans.with_answers(_named("the plan", basket), basket, study)


def ask(plan: Option, study: Study) -> Option:
    """Show the controls of the other plan, and return it.

    Where there is none, the page ends here.
    """
    way = controls.HERE.radio(
        "Compare the plan with",
        [_TOTAL, _KEPT],
        key="decide-with",
        note="Both are public: nothing is computed from the table, or spent.",
    )
    if way == _TOTAL:
        with controls.valid():
            basket = _other_total(plan.basket, study)
    else:
        basket = _kept(plan.basket, study)
    return plans.with_answers(_named("the other", basket), basket, study)


def _named(name: str, basket: AnalysisPlan) -> str:
    return f"{name} (ε {significant(basket.planned)})"


def _other_total(basket: AnalysisPlan, study: Study) -> AnalysisPlan:
    """Return the plan with another total, dealt out anew."""
    basket = _freed(basket)
    limit = study.terms.budget.epsilon
    kept = math.fsum(item.epsilon for item in basket.items if item.fixed)
    own = basket.dealt
    fits = limit is None or _USUAL * own <= limit
    more = fits or kept >= own / _USUAL
    first, second = controls.row((1, 2))
    label = "Total ε of the other"
    found = first.number(
        label,
        min(_USUAL * own, MOST) if more else own / _USUAL,
        key=f"decide-total-{session.generation()}",
        kept="session",
        note=f"What all of its questions share. {EPSILON_HELP}",
    )
    total = Typed(label=label, number=found, least=LEAST, most=MOST).inside
    split = second.radio(
        "Split",
        list(Split),
        index=list(Split).index(basket.split),
        key=f"decide-split-{session.generation()}",
        kept="session",
        note="As on Plan. Locked questions keep their ε.",
    )
    parts = scaled(basket.items, total, split)
    items = tuple(
        item if item.fixed else item.at(part)
        for item, part in zip(basket.items, parts, strict=True)
    )
    return replace(basket, items=items, total=total, split=split)


def _freed(basket: AnalysisPlan) -> AnalysisPlan:
    """Return the plan with its locks off, where there is nothing else to deal out.

    So a plan that was released can still be held against another total.
    """
    if not all(item.fixed for item in basket.items):
        return basket
    st.caption(
        "Every question of the plan keeps its ε, because it is locked or was released. "
        "In the other plan all of them share its total."
    )
    items = tuple(replace(item, locked=False) for item in basket.items)
    return replace(basket, items=items)


def _kept(basket: AnalysisPlan, study: Study) -> AnalysisPlan:
    """Return the plan that was set aside, or ask for one."""
    left, right = st.columns(2)
    with left:
        st.button(
            "Set the plan aside as the other",
            key="decide-keep",
            on_click=plans.set_aside,
            args=(basket,),
            help="Then change the plan on “Plan”, and compare both here.",
        )
        known = plans.aside(study)
        if known is not None:
            st.button(
                "Exchange the two",
                key="decide-swap",
                on_click=plans.exchange,
                help="The other one becomes the plan, to be changed and released, and "
                "the plan the other one.",
            )
    with right:
        loading.box("Load the other plan (JSON)", name="decide-file", use=_load)
    if known is None or not known.items:
        st.info("There is no other plan yet: set one aside, or load one.")
        session.end_page()
    return known


def _load(study: Study, text: bytes) -> None:
    """Set the plan of a file aside.

    Raises:
        DataError: The file holds no plan.
        ParameterError: No question of it, or not every one, can be asked of this table;
            those that can be are set aside.

    """
    found = from_json(text, study.dataset, study.terms.unit)
    if not found.basket.items:
        raise ParameterError("no question of that plan can be asked of this table.")
    plans.set_aside(found.basket)
    if found.lost:
        names = ", ".join(f"“{name}”" for name in found.lost)
        raise ParameterError(f"this table cannot be asked {names}: left out.")
