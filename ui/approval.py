"""Two plans side by side, and the page to sign."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.analyses.measurement import Width
from dpcore.data.dates import date_of, day_of
from dpcore.data.quantities import DAYS, Quantity
from dpcore.documents.decision import Decision, decision_page
from dpcore.documents.gathering import changes_of
from dpcore.errors import ParameterError
from dpcore.figures.attackers import AttackerView, Sides, surest, worlds_text
from dpcore.figures.plans import Possible, outcomes_picture
from dpcore.formatting import brief, capital, epsilon_text, significant
from dpcore.planning.analysis_plan import LEAST, MOST, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.comparison import Option, Row, rows_of
from dpcore.planning.group_sizes import SmallestGroup, seen, sign
from dpcore.planning.outcomes import DOTS, outcomes, usual
from dpcore.planning.plan_files import from_json
from dpcore.planning.splits import scaled
from dpcore.planning.targets import (
    OF_A_DIFFERENCE,
    is_difference,
    size_condition,
    size_condition_text,
)
from dpcore.releases.amounts import cost_text
from dpcore.studies.meaning.attacker import Guarantee
from ui import controls, document_area, downloads, plan_notes, plans, results, session
from ui.controls import EPSILON_HELP, Typed
from ui.planning import adding
from ui.study import Study
from ui.text import literal, sentence_of

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
        adding.box("Load the other plan (JSON)", name="decide-file", use=_load)
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


Sizes = Mapping[str, SmallestGroup]

_LARGEST = 700.0


def answer(plan: Option, other: Option, told_sizes: Sizes) -> None:
    """Say in one sentence what the two differ in."""
    with controls.valid():
        first, second = (sureness(option) for option in (plan, other))
    told = f"at most {first} sure under {plan.name}, {second} under {other.name}"
    if plan.wanted or other.wanted:
        shows = "; ".join(
            f"{option.name} shows {_seen(option, told_sizes)}" for option in (plan, other)
        )
        told += f". Of what must be seen, {shows}"
        if plan.smallest:
            told += f". {capital(plan.smallest)}"
    else:
        told += ". Say on “Plan” what must be seen, and both are held against it"
    one = session.unit().noun
    sure = f"An attacker who was 50 % sure of one {one} becomes {told}."
    st.markdown(f"**{literal(sure)}**")


def protection(plan: Option, other: Option, study: Study) -> None:
    """Show who is protected how: price, attacker's number, and odds."""
    st.header("Who is protected how")
    for option, place in zip((plan, other), st.columns(2), strict=True):
        with place, st.container(border=True):
            st.markdown(f"**{literal(capital(option.name))}**")
            st.metric(
                "An attacker who was 50 % sure becomes at most",
                sureness(option),
                help=f"Sure of a yes or no about one {session.unit().noun}, from all "
                "answers of the "
                "plan together, whatever else the attacker knows.",
            )
            st.markdown(f"It costs {cost_text(option.price.cost)}, as a whole.")
            if option is plan or not plan.done:
                _tell_spent(option, study)
            told = _told(option, study)
            if told is not None:
                st.markdown(worlds_text(told))
    st.caption(
        f"The same limit holds for all {session.unit().nouns} in the table, and for "
        "those that stand out "
        "most. “Meaning” shows more of it."
    )


def _tell_spent(option: Option, study: Study) -> None:
    """Say what it comes to with what was spent before, where something was."""
    spent = session.account(study).spent
    whole = spent + option.due.cost
    total = float(whole.epsilon), float(whole.delta)
    if spent.epsilon and total != option.guarantee:
        st.markdown(
            f"With all that is spent of the account then, ε {epsilon_text(total[0])}: "
            f"**at most {_surest(*total)} sure**."
        )


def questions(plan: Option, other: Option, told_sizes: Sizes) -> None:
    """Show how far off each answer will be under either plan."""
    st.header("What each answer shows")
    rows = rows_of(plan.basket.items, other.basket.items)
    results.table([_row(row, plan, other, told_sizes) for row in rows], key="decide-questions")
    st.caption(
        "± is the half-width of the noise alone, 95 times of 100, all numbers of an "
        "answer at once; by group it is that of a group as small as “± is of” says, "
        "which “Plan” lets you set. ✓ shows what must be seen, (✓) perhaps, by what an "
        "answer has told of the smallest group, ✗ does not."
    )
    _say_assumed(rows, plan, told_sizes)
    plan_notes.say_imputed(plan.basket.items)


def _say_assumed(rows: Sequence[Row], plan: Option, told_sizes: Sizes) -> None:
    """Say of every ✓ and ✗ of the plan that hangs on an assumed size what it takes."""
    kept = [row.first for row in rows if row.first is not None]
    told = [(item.name, f"{size_condition_text(item)}{_known(item, told_sizes)}") for item in kept]
    lines = [f"- **{literal(name)}**: {literal(said)}" for name, said in told if said]
    if lines:
        heading = f"\\* hangs on sizes of groups that were assumed. Under {plan.name}:"
        st.caption("\n".join([heading, "", *lines]))
    if any(is_difference(item) for item in kept if item.wanted is not None):
        st.caption(OF_A_DIFFERENCE)


def _known(item: PlannedQuery, told_sizes: Sizes) -> str:
    """Return what an answer has told of the smallest group of a question, if it has."""
    known = told_sizes.get(item.key)
    return "" if known is None or size_condition(item) is None else f" {known.text}."


def _row(row: Row, plan: Option, other: Option, told_sizes: Sizes) -> dict[str, object]:
    notes = (width.of for width in row.widths if width is not None)
    found: dict[str, object] = {
        "question": row.item.name,
        "unit": row.item.width.unit,
        "must show": wanted(row, plan, other),
    }
    pairs = zip((plan, other), (row.first, row.second), row.widths, strict=True)
    for option, item, width in pairs:
        found[f"±, {option.name}"] = _cell(row, item, width, told_sizes)
        found[f"ε, {option.name}"] = "" if item is None else significant(item.epsilon, 6)
    found["± is of"] = next(notes, "")
    return found


def wanted(row: Row, plan: Option, other: Option) -> str:
    """Return what must be seen; what both are held against where the plans differ."""
    if row.wanted is None:
        return ""
    held = significant(row.wanted, 6)
    asked = row.second.wanted if row.first and row.second else None
    if asked is None or asked == row.wanted:
        return held
    return f"{held} ({plan.name}; {other.name}: {significant(asked, 6)})"


def _cell(row: Row, item: PlannedQuery | None, width: Width | None, told_sizes: Sizes) -> str:
    if width is None or item is None:
        return "not asked"
    signed = sign(item, told_sizes, shown=row.shown(item))
    star = "*" if signed and width.assumed else ""
    half = width.text if math.isfinite(width.half) else "can't say"
    return f"{signed}{half}{star}"


def possible(plan: Option, other: Option) -> None:
    """Show dots of what could come out of one question, around an assumed value."""
    st.header("What could come out")
    rows = rows_of(plan.basket.items, other.basket.items)
    first, second, _ = controls.row((2, 1, 1))
    place = first.selectbox(
        "Of which question",
        range(len(rows)),
        format_func=lambda at: f"{at + 1}. {rows[at].item.name}",
        key=f"decide-dots-{session.generation()}-{len(rows)}",
        kept="session",
    )
    row = rows[place]
    start = usual(row.item)
    if start is None:
        st.info(
            "No dots for this kind of answer: its law is not one around a single "
            "value. Its ± is in the table above."
        )
        return
    quantity = _quantity(row)
    unit = f", {quantity.suffix}" if quantity.suffix else ""
    label = f"If the table had{literal(unit)}"
    key = f"decide-assumed-{session.generation()}-{row.item.key}"
    if quantity.is_date:
        day = second.day(label, date_of(start), key=key)
        assumed = start if day is None else day_of(day)
    else:
        assumed = second.number(
            label,
            start,
            key=key,
            kept="session",
            note="A value that you assume, such as last year's: the table is not "
            "looked at. It starts from 0, or from the middle of the bounds.",
        )
    try:
        shown = _possible(row, plan, other, assumed)
    except ParameterError as error:
        st.info(sentence_of(error), icon="✏️")
        return
    if shown:
        picture = outcomes_picture(
            brief(row.item.name, 60), shown, assumed=assumed, quantity=quantity, wanted=row.wanted
        )
        results.show(picture, "decide-dots", simulated=True)
        of = row.item.width.of
        group = f" For {of}." if row.item.width.assumed else ""
        st.caption(
            f"Each dot is one of {DOTS} equally likely answers of one number; the ± in "
            "the table is wider where an answer has several, all to be right at once. "
            "The dashed line is the assumed value; dotted lines, where there are any, "
            f"are what must be seen to either side of it.{group}"
        )


def _quantity(row: Row) -> Quantity:
    """Return what the answer is a number of; of several parts only the width is."""
    found, unit = row.item.request.quantity, row.item.width.unit
    dated = found.is_date and unit == DAYS
    return found if dated else Quantity(unit=unit)


def _possible(row: Row, plan: Option, other: Option, assumed: float) -> list[Possible]:
    found = []
    for option, item in zip((plan, other), (row.first, row.second), strict=True):
        if item is None:
            continue
        values = outcomes(item, assumed)
        if values is not None:
            key = item.request.mechanism_key
            found.append(Possible(name=option.name, values=values, key=key))
    return found


def _seen(option: Option, told_sizes: Sizes) -> str:
    number = seen(option.basket.items, told_sizes)
    if number == option.wanted:
        return f"all {option.wanted}" if option.wanted > 1 else "all of it"
    return f"{number} of {option.wanted}"


def sureness(option: Option) -> str:
    """Return what becomes of a belief of 50 % at most, from all answers of a plan."""
    return _surest(*option.guarantee)


def _surest(epsilon: float, delta: float) -> str:
    if not epsilon <= _LARGEST:
        return "100 %"
    return surest(epsilon, delta=delta)


def _told(option: Option, study: Study) -> AttackerView | None:
    epsilon, delta = option.guarantee
    if not 0 < epsilon <= _LARGEST:
        st.markdown(
            f"No limit worth the name: ε {epsilon_text(epsilon)}. One of its questions "
            "guarantees nothing finite."
        )
        return None
    sure = Guarantee(epsilon=epsilon, delta=min(delta, 1 - 1e-9))
    return AttackerView(guarantee=sure, sides=Sides.of(study.terms.relation))


_LONGEST: Final = 40


def offer(
    plan: Option, other: Option, study: Study, told_sizes: Mapping[str, SmallestGroup]
) -> None:
    """Ask for what only people know, and offer the page."""
    st.header("A page to sign")
    st.markdown(
        "One page of A4 with purpose, table, questions, errors, budget, the other plan "
        "and lines to sign on. What is left empty becomes a line to write on.\n\n"
        "What is typed here stands elsewhere, too: purpose, and people and period, in "
        "the notice; the same with who decides, why, and whether it was signed, in the "
        "report; purpose, and who decides and why, in the registry entry. The place "
        "stands on this page alone."
    )
    known = document_area.for_signing(study)
    style = document_area.ask_numerals(controls.HERE, key="sign-numerals")
    account = session.account(study)
    about = Decision(
        table=study.dataset.name,
        plan=plan,
        other=other,
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=study.size(),
        budget=account.budget,
        spent=account.spent,
        changes=changes_of(session.ledger().history(account.name)),
        told=told_sizes,
        typed=known,
        lesson=session.mode() is Mode.CLASSROOM,
        prepared=datetime.now(UTC).date(),
    )
    if not about.fits:
        st.warning(
            "The plan costs more than is left of the budget of these "
            f"{session.unit().nouns}, and the "
            "page says so. Raise the budget on Ledger, or plan less, before it is "
            "signed."
        )
    elif about.plan.done and account.spent.epsilon:
        st.caption(
            "The plan has been released: what it cost is part of what is spent, and "
            "the page says so."
        )
    if not about.other_fits:
        st.caption(
            "The other plan costs more than is left of the budget of these "
            f"{session.unit().nouns}: it "
            "could not be released as it stands, and the page says so."
        )
    downloads.button(
        "Download the page to sign (HTML)",
        downloads.File(
            name=f"decision-{_stem(about)}.html",
            mime="text/html",
            content=partial(decision_page, about, style),
        ),
        key="sign-page",
        kind="primary",
        note="Opens in any browser without a network, and prints on A4. Nothing in it "
        "is computed from the table.",
    )


def _stem(about: Decision) -> str:
    """Return what tells a file of this page from others: the table, and the day."""
    table = re.sub(r"\W+", "_", re.sub(r"\.\w+$", "", about.table))
    return f"{table[:_LONGEST]}-{about.prepared.isoformat()}"
