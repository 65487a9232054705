"""Two plans side by side: whom each protects how, what each shows, what could come."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from dpcore.analyses.measurement import Width
from dpcore.data.dates import date_of, day_of
from dpcore.data.quantities import DAYS, Quantity
from dpcore.errors import ParameterError
from dpcore.figures.attackers import AttackerView, Sides, surest, worlds_text
from dpcore.figures.plans import Possible, outcomes_picture
from dpcore.formatting import brief, capital, epsilon_text, significant
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.comparison import Option, Row, rows_of
from dpcore.planning.group_sizes import SmallestGroup, seen, sign
from dpcore.planning.outcomes import DOTS, outcomes, usual
from dpcore.planning.targets import (
    OF_A_DIFFERENCE,
    is_difference,
    size_condition,
    size_condition_text,
)
from dpcore.studies.meaning.attacker import Guarantee
from ui import controls, plan_notes, results, session
from ui.offering import priced
from ui.study import Study
from ui.text import literal, sentence_of

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
            st.markdown(f"It costs {priced(option.price.cost)}, as a whole.")
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
