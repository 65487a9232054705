"""The plan beside an alternative: protection, margins of error, and possible results."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import streamlit as st

from dpcore.analyses.measurement import Width
from dpcore.data.dates import date_of, day_of
from dpcore.data.quantities import DAYS, Quantity
from dpcore.errors import ParameterError
from dpcore.figures.attackers import surest
from dpcore.figures.plans import Possible, outcomes_picture
from dpcore.formatting import brief, capital, epsilon_text, significant
from dpcore.planning.analysis_plan import LEAST, MOST, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.comparison import Option, Row, rows_of
from dpcore.planning.group_sizes import SmallestGroup, seen, sign
from dpcore.planning.outcomes import DOTS, outcomes, usual
from dpcore.planning.plan_files import from_json
from dpcore.planning.splits import scaled
from dpcore.privacy.interpretation import best_guess
from dpcore.releases.digits import cost_text
from ui import controls, plans, results, session
from ui.controls import Typed
from ui.planning import files
from ui.study import Study
from ui.text import literal, sentence_of

_TOTAL: Final = "another total"
_KEPT: Final = "a saved plan"
_EARLIER: Final = {
    "the same questions for another total": _TOTAL,
    "a plan that was kept, or is in a file": _KEPT,
}
"""What links of earlier versions call the two."""
_NOTED: Final = "_plan-alternative"
_USUAL: Final = 2.0
_LARGEST: Final = 700.0
Sizes = Mapping[str, SmallestGroup]


def planned(study: Study, *, then: str) -> Option:
    """Return the plan in use; where nothing is planned, the view ends here.

    ``then`` says what could be done with one.
    """
    basket = plans.plan(study)
    if not basket.items:
        st.info(f"There are no planned questions yet. Add at least one to {then}.")
        st.page_link("pages/plan.py", label="Add questions", icon=":material/add:")
        session.end_page()
    return plans.with_answers(_named("the plan", basket), basket, study)


def alternative(plan: Option, study: Study) -> Option:
    """Return what the plan was last compared with, or else would be at first."""
    noted = session.public(_NOTED)
    known = plans.aside(study) if noted == _KEPT else None
    if known is None or not known.items:
        total, split = noted if isinstance(noted, tuple) else _usual(plan.basket, study)
        try:
            known = _other_total(plan.basket, total, split)
        except ParameterError:
            known = plan.basket
    return plans.with_answers(_named("the alternative", known), known, study)


def ask(plan: Option, study: Study) -> Option:
    """Show the controls of the alternative, and return it; without one, the view ends here."""
    controls.read_older("decide-with", _EARLIER)
    first, second, third = controls.row((2, 1, 2))
    way = first.radio("Compare with", [_TOTAL, _KEPT], key="decide-with")
    if way == _KEPT:
        _keep(plan.basket, study)
        session.set_public(_NOTED, _KEPT)
        return alternative(plan, study)
    usual, split = _usual(plan.basket, study)
    with controls.valid():
        found = second.number(
            "Total ε", usual, key=f"decide-total-{session.generation()}", kept="session"
        )
        total = Typed(label="Total ε", number=found, least=LEAST, most=MOST).inside
        split = third.selectbox(
            "Allocation",
            list(Split),
            index=list(Split).index(split),
            format_func=lambda split: split.label,
            key=f"decide-split-{session.generation()}",
            kept="session",
        )
        _other_total(plan.basket, total, split)
    session.set_public(_NOTED, (total, split))
    return alternative(plan, study)


def _named(name: str, basket: AnalysisPlan) -> str:
    return f"{name} (ε = {epsilon_text(basket.planned)})"


def _usual(basket: AnalysisPlan, study: Study) -> tuple[float, Split]:
    """Return twice the total where as much is left, else half of it."""
    account, own = session.account(study), basket.dealt
    limit = None if account.budget.epsilon is None else float(account.remaining.epsilon)
    kept = math.fsum(item.epsilon for item in basket.items if item.fixed)
    more = limit is None or _USUAL * own <= limit or kept >= own / _USUAL
    return (min(_USUAL * own, MOST) if more else own / _USUAL), basket.split


def _other_total(basket: AnalysisPlan, total: float, split: Split) -> AnalysisPlan:
    """Return the plan with another total; where all of its questions are locked, unlocked.

    So a plan that was released can still be compared with another total.
    """
    items = basket.items
    if all(item.fixed for item in items):
        items = tuple(replace(item, locked=False) for item in items)
    pairs = zip(items, scaled(items, total, split), strict=True)
    dealt = tuple(item if item.fixed else item.at(part) for item, part in pairs)
    return replace(basket, items=dealt, total=total, split=split)


def _keep(basket: AnalysisPlan, study: Study) -> None:
    """Save the plan to compare it later, or take one of a file; the view may end here."""
    known = plans.aside(study)
    with st.container(horizontal=True):
        save = "Save the plan as alternative"
        st.button(save, key="decide-keep", on_click=plans.set_aside, args=(basket,))
        if known is not None:
            st.button("Swap the two", key="decide-swap", on_click=plans.exchange)
        with st.popover("Load alternative"):
            files.box("Load alternative (JSON)", name="decide-file", use=_load)
    if known is None or not known.items:
        st.info("There is no saved plan yet. Save this one, then change it on Questions.")
        session.end_page()


def _load(study: Study, text: bytes) -> None:
    """Set the plan of a file aside.

    Raises:
        DataError: The file holds no plan.
        ParameterError: No question of it, or not every one, can be asked of this table;
            those that can be are set aside.

    """
    found = from_json(text, study.dataset, study.terms.unit)
    if not found.basket.items:
        raise ParameterError("no question of that plan fits this dataset.")
    plans.set_aside(found.basket)
    if found.lost:
        names = ", ".join(f"“{name}”" for name in found.lost)
        raise ParameterError(f"{names} do not fit this dataset and were left out.")


def show(plan: Option, other: Option, study: Study) -> None:
    """Show protection, margins and possible results of both."""
    told = plans.smallest_of((*plan.basket.items, *other.basket.items), study)
    with controls.valid():
        for option, place in zip((plan, other), st.columns(2), strict=True):
            with place, st.container(border=True):
                _protection(option, study, told)
    rows = rows_of(plan.basket.items, other.basket.items)
    empty = "target" if all(row.wanted is None for row in rows) else ""
    shown = [_row(row, plan, other, told) for row in rows]
    results.table(
        [{name: cell for name, cell in one.items() if name != empty} for one in shown],
        key="decide-questions",
        column_config={"question": results.MEDIUM},
        row_height=results.height_of(max(len(row.item.name) for row in rows), results.MEDIUM_LINE),
    )
    notes = ["Margins are 95%, noise only. ▲ larger and ▼ smaller than in the plan."]
    if any(width is not None and width.assumed for row in rows for width in row.widths):
        notes.append("\\* depends on an assumed group size.")
    if plan.smallest:
        notes.append(f"{literal(capital(plan.smallest))}.")
    st.caption(" ".join([*notes, plans.imputed(plan.basket.items)]))
    possible(plan, other)


def sureness(option: Option) -> str:
    """Return how sure an attacker becomes at most, from all answers of a plan."""
    epsilon, delta = option.guarantee
    return surest(epsilon, delta=delta) if epsilon <= _LARGEST else "100%"


def _protection(option: Option, study: Study, sizes: Sizes) -> None:
    epsilon, delta = option.guarantee
    sure = 1.0 if epsilon > _LARGEST else float(best_guess(epsilon, delta=delta, prior=0.5))
    st.markdown(f"**{literal(capital(option.name))}**")
    told = f"Attacker's certainty: 50% before, **at most {sureness(option)}** after"
    st.progress(min(sure, 1.0), text=told)
    lines = [f"Cost: {cost_text(option.price.cost)}"]
    if option.released:
        some = f"{len(option.released)} of {len(option.basket.items)} questions "
        lines.append(f"{'' if option.done else some}already released")
    spent = session.account(study).spent
    whole = spent + option.due.cost
    if spent.epsilon and float(whole.epsilon) != epsilon:
        with_all = float(whole.epsilon)
        sure_then = surest(with_all, delta=float(whole.delta)) if with_all <= _LARGEST else "100%"
        lines.append(
            f"all releases then: ε = {epsilon_text(with_all)}, **at most {sure_then}** after"
        )
    if option.wanted:
        lines.append(f"meets {seen(option.basket.items, sizes)} of {option.wanted} targets")
    st.caption(" · ".join(lines))


def _row(row: Row, plan: Option, other: Option, told: Sizes) -> dict[str, str]:
    first, second = row.widths
    moved = ""
    if first is not None and second is not None and first.half != second.half:
        moved = " ▲" if second.half > first.half else " ▼"
    return {
        "question": row.item.name,
        "target": wanted(row, plan, other),
        "± plan": _cell(row, row.first, first, told),
        "± alternative": f"{_cell(row, row.second, second, told)}{moved}",
    }


def wanted(row: Row, plan: Option, other: Option) -> str:
    """Return the target; both where the plans differ."""
    if row.wanted is None:
        return ""
    held = significant(row.wanted, 6)
    asked = row.second.wanted if row.first and row.second else None
    if asked is None or asked == row.wanted:
        return held
    return f"{held} ({plan.name}; {other.name}: {significant(asked, 6)})"


def _cell(row: Row, item: PlannedQuery | None, width: Width | None, told: Sizes) -> str:
    if width is None or item is None:
        return "not asked"
    if not math.isfinite(width.half):
        return "not available"
    star = "*" if width.assumed else ""
    signed = sign(item, told, shown=row.shown(item))
    return f"{signed}± {width.text} {width.unit}".rstrip() + star


def possible(plan: Option, other: Option) -> None:
    """Show dots of what could come out of one question, around an assumed value."""
    every = rows_of(plan.basket.items, other.basket.items)
    rows = [(number, row) for number, row in enumerate(every, 1) if usual(row.item) is not None]
    if not rows:
        return
    st.header("Possible results")
    first, second, _ = controls.row((2, 1, 1))
    place = first.selectbox(
        "Question",
        range(len(rows)),
        format_func=lambda at: f"{rows[at][0]}. {rows[at][1].item.name}",
        key=f"decide-dots-{session.generation()}-{len(rows)}",
        kept="session",
    )
    _, row = rows[place]
    start = usual(row.item) or 0.0
    quantity = _quantity(row)
    unit = f", {quantity.suffix}" if quantity.suffix else ""
    label = f"Assumed true value{literal(unit)}"
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
            note="Assume a value, such as last year's. The data are not used.",
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
        group = (
            f" For {of}, at this value. The margin above holds at every value, and for all numbers "
            "at once: it is larger."
            if row.item.width.assumed
            else ""
        )
        st.caption(
            f"Each dot is one of {DOTS} equally likely results. The dashed line is the assumed "
            f"value{', dotted lines the target around it' if row.wanted else ''}.{group}"
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
