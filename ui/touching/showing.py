"""What a plan means for the people of the table in use. CONFIDENTIAL."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.figures.plans import LossSummary, budgets_picture, groups_picture
from dpcore.formatting import percent, significant
from dpcore.individual.explanation import role
from dpcore.individual.losses import Losses
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.comparison import BUDGETS, Option
from dpcore.planning.plan_losses import PlanLosses, as_losses, times
from ui import results, session
from ui.study import Study
from ui.text import literal, sentence_of
from ui.touching.asking import Asked

_MOST: Final = 10
_READABLE: Final = Context(prec=4, rounding=ROUND_FLOOR)


def show(plan: Option, asked: Asked, study: Study) -> None:
    """Show how many lose more than the limit, by budget and group, and who most."""
    items, delta = plan.basket.items, plan.guarantee[1]
    key = f"{study.fingerprint} {asked.relation} " + " ".join(plan.basket.keys)
    with st.spinner("Adding up everybody's losses …"):
        losses = session.while_shown(
            "plan-losses", key, lambda: PlanLosses.of(items, study.in_memory, asked.relation)
        )
        priced = f"{key} {delta} " + " ".join(str(item.epsilon) for item in items)
        own = session.while_shown(
            "plan-totals", priced, lambda: as_losses(losses.totals(items, delta=delta))
        )
        ordered = session.while_shown("plan-budgets", priced, lambda: _budgets(losses, plan, delta))
    _unknown(losses, items)
    st.markdown(
        f"Losses here are **{asked.relation.comparison}**, from all {len(items)} "
        "answers of the plan together."
    )
    _everybody(own, ordered, asked, plan)
    _nobody_above(losses, plan, asked, delta, priced)
    if asked.by is not None:
        _groups(own, asked, study, asked.by, priced)
    _most_exposed(losses, own, plan, delta, study, priced)


def definitions() -> None:
    """Say what a person's own loss is, and how those of several answers add up."""
    st.markdown(
        f"**One {session.unit().noun}'s own loss** is the largest change in the odds "
        "of any answer "
        "between two tables only: this one, and this one without the "
        f"{session.unit().noun}'s record, "
        "or with another one in its place (Y.-X. Wang, *Per-instance differential "
        "privacy*, 2019). The ε of the plan is the largest of these over all tables "
        f"and {session.unit().nouns}. Losses from several answers add up; where a plan "
        "has a δ, the "
        "smallest of several valid totals counts.\n\n**Nobody above.** All ε of the "
        "plan are multiplied by one factor: the largest one at which no total here is "
        "above what you typed. Totals never fall as ε grows, so that it is found by "
        "halving.\n\n**Why it stays here.** Each number in the area is a function of "
        "everybody's records. Nothing of it is written to a file, a document, an "
        "address or the ledger."
    )


def _budgets(losses: PlanLosses, plan: Option, delta: float) -> dict[float, FloatArray]:
    """Return everybody's total, ascending, under other totals of the plan."""
    found: dict[float, FloatArray] = {}
    planned = plan.basket.planned
    for total in BUDGETS if 0 < planned < math.inf else ():
        factor = total / planned
        try:
            items = [times(item, factor) for item in plan.basket.items]
            found[total] = np.sort(losses.totals(items, delta=delta))
        except ParameterError:
            # Some noise has no scale for so large an epsilon.
            continue
    return found


def _unknown(losses: PlanLosses, items: tuple[PlannedQuery, ...]) -> None:
    names = [
        item.name
        for item, question in zip(items, losses.questions, strict=True)
        if not question.known
    ]
    if names:
        st.caption(
            literal(
                "Counted at the worst case for everybody, because each "
                f"{session.unit().noun}'s own "
                f"loss is not worked out here: {', '.join(names)}."
            )
        )


def _crowd(name: str, ordered: FloatArray, limit: float) -> LossSummary:
    people = len(ordered)
    return LossSummary(
        name=name,
        people=people,
        above=people - int(np.searchsorted(ordered, limit, side="right")),
        median=float(ordered[(people - 1) // 2]),
        maximum=float(ordered[-1]),
    )


def _everybody(own: Losses, ordered: dict[float, FloatArray], asked: Asked, plan: Option) -> None:
    """Show how many people lose more than the limit under several totals."""
    totals = {total: (f"ε {significant(total)}", x) for total, x in ordered.items()}
    totals[plan.basket.planned] = (plan.name, own.ordered)
    places = sorted(totals)
    crowds = [_crowd(*totals[total], asked.limit) for total in places]
    now = places.index(plan.basket.planned)
    results.show(budgets_picture(crowds, own=now, limit=asked.limit), "touched-budgets")
    st.caption(
        f"Half of the {session.unit().nouns} lose at most "
        f"{significant(crowds[now].median)} under the "
        f"plan{_relative(crowds[now])}. Other totals are in its proportions; locked "
        "questions change with them."
    )


def _relative(crowd: LossSummary) -> str:
    """Return how the most exposed person compares with the median one."""
    if not 0 < crowd.median < crowd.maximum < math.inf:
        return ""
    ratio = significant(crowd.maximum / crowd.median)
    most = f"the most exposed {session.unit().noun}"
    return f", and {most} {ratio} times as much (relative risk)"


def _nobody_above(
    losses: PlanLosses, plan: Option, asked: Asked, delta: float, priced: str
) -> None:
    """Show the total at which nobody in this table loses more than the limit."""
    items, limit = plan.basket.items, asked.limit
    try:
        factor = session.remember(
            "plan-nobody-above",
            f"{priced} {limit}",
            lambda: losses.nobody_above(items, limit, delta=delta),
        )
    except ParameterError as error:
        st.info(sentence_of(error))
        return
    if math.isinf(factor):
        st.markdown("No total of the plan takes anybody here so far.")
        return
    total = math.fsum(times(item, factor).epsilon for item in items)
    st.metric(
        f"Nobody here loses more than {significant(limit)} up to a total ε of",
        f"{_READABLE.plus(Decimal(total)).normalize():f}",
        help="All ε of the plan times one factor; what has a fixed price keeps it.",
    )
    st.warning(
        "Do not take this total as the budget. It is computed from the table, and "
        f"whoever hears it learns about the {session.unit().noun} who loses most: see "
        "“Choosing ε by "
        "looking” below."
    )


def _groups(own: Losses, asked: Asked, study: Study, by: str, priced: str) -> None:
    """Show which share of each group loses more than the limit."""
    groups = session.while_shown(
        "touched-groups", f"{priced} {by}", lambda: _by_group(own, study, by)
    )
    crowds = [_crowd(name, ordered, asked.limit) for name, ordered in groups.items()]
    results.show(groups_picture(crowds, by=by, limit=asked.limit), "touched-groups")


def _by_group(own: Losses, study: Study, by: str) -> dict[str, FloatArray]:
    """Return the totals of everybody in each group that has people, ascending."""
    column, codes = study.dataset.column(by), study.in_memory.codes(by)
    names = (*column.labels, "other", "missing")
    places = np.where(codes < 0, len(column.labels) + 1, codes)
    order = np.argsort(places, kind="stable")
    present, starts = np.unique(places[order], return_index=True)
    members = np.split(own.epsilon[order], starts[1:])
    pairs = zip(present.tolist(), members, strict=True)
    return {names[place]: np.sort(totals) for place, totals in pairs}


def _most_exposed(
    losses: PlanLosses, own: Losses, plan: Option, delta: float, study: Study, priced: str
) -> None:
    """List who loses most: by their rank, and with values only if asked for."""
    st.markdown("**Who loses most**")
    rows = own.ranking(_MOST)
    items = plan.basket.items
    numbers = _numbers(plan, study)
    roles = session.remember(
        "touched-roles", priced, lambda: [role(numbers, int(row)) for row in rows]
    )
    most = np.argmax(losses.each(items, rows, delta=delta), axis=0).tolist()
    table: dict[str, list[str]] = {
        "who": roles,
        "loses ε": [significant(float(own.epsilon[row])) for row in rows],
        "most from": [items[place].name for place in most],
    }
    shown = st.toggle(
        "Show rows and values",
        key="touched-values",
        help="Off, so that the page can be projected: it says who somebody is by rank alone.",
    )
    if shown:
        table |= {"row": [f"{row + 1:,}" for row in rows], **_values(numbers, rows)}
    results.table(table, key="touched-most")
    if own.tied > _MOST:
        share = percent(own.tied / own.people)
        st.caption(f"{own.tied:,} {session.unit().nouns} ({share}) are tied at the top.")


def _numbers(plan: Option, study: Study) -> dict[str, FloatArray]:
    """Return everybody's numbers of the columns that the plan reads."""
    asked = [item.request.asked for item in plan.basket.items]
    columns = {column.name: column for one in asked for column in one.columns}
    return {
        name: study.in_memory.numbers(name)
        for name, column in columns.items()
        if column.kind.is_numeric
    }


def _values(numbers: dict[str, FloatArray], rows: NDArray[np.intp]) -> dict[str, list[str]]:
    return {
        f"{name}, value": [significant(float(x), 6) for x in values[rows]]
        for name, values in numbers.items()
    }
