"""What the people of the table lose by the plan, and why that must not choose its total.

What is computed from the table is CONFIDENTIAL; the example of a leak uses simulated tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.figures.plans import losses_picture
from dpcore.formatting import epsilon_text, in_full, percent, significant
from dpcore.individual.explanation import role
from dpcore.individual.losses import Losses
from dpcore.planning.comparison import Option
from dpcore.planning.plan_losses import PlanLosses, as_losses, times
from dpcore.relations import NeighboringRelation
from dpcore.studies.teaching.laboratory import COLLEAGUES, data_dependent_epsilon
from ui import controls, results, session
from ui.planning.comparison import sureness
from ui.study import Study
from ui.text import literal, sentence_of

_WORLDS: Final = {
    NeighboringRelation.ADD_REMOVE: "without the {0}",
    NeighboringRelation.SUBSTITUTION: "with another record of the {0}",
}
_MOST: Final = 10
_READABLE: Final = Context(prec=4, rounding=ROUND_FLOOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is looked at. PUBLIC.

    Attributes:
        limit: Which loss counts as too much.
        relation: Which change of a record losses are about.

    """

    limit: float
    relation: NeighboringRelation


def ask(plan: Option, study: Study) -> Asked:
    """Show the controls and the guarantee, and return what is asked."""
    first, second = controls.row((1, 2))
    epsilon, noun = plan.basket.planned, session.unit().noun
    limit = first.number(
        "Threshold ε",
        round(epsilon / 2, 6) if 0 < epsilon < math.inf else 1.0,
        (0.0, None),
        key=f"touched-limit-{session.generation()}",
        kept="session",
        note=f"A loss above it counts as too much for one {noun}. It starts at half of the plan.",
    )
    known = tuple(_WORLDS)
    relation = second.radio(
        "Compared with the data",
        known,
        index=known.index(study.terms.relation),
        format_func=lambda one: _WORLDS[one].format(noun),
        key="touched-what-if",
        kept="table",
        declared=study.terms.relation,
        note="It starts with the change that the guarantee is about.",
    )
    with controls.valid():
        guarantee = plan.guarantee[0]
        st.markdown(
            f"Guarantee for everyone: **ε = {epsilon_text(guarantee)}**. Attacker's certainty: "
            f"50% before, at most {sureness(plan)} after."
        )
    return Asked(limit=limit, relation=relation)


def show(plan: Option, asked: Asked, study: Study) -> None:
    """Show how much everybody loses, how many lose too much, and who loses most."""
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
    _numbers_of(own, asked)
    log = st.toggle("Log axis", key="touched-log")
    picture = losses_picture(
        own, guarantee=plan.guarantee[0], limit=asked.limit, log=log, unit=session.unit()
    )
    results.show(picture, "touched-losses")
    _nobody_above(losses, plan, asked, priced)
    _most_exposed(losses, own, plan, study, priced)
    unknown = [
        item.name
        for item, question in zip(items, losses.questions, strict=True)
        if not question.known
    ]
    if unknown:
        st.caption(f"Counted at the worst case for everyone: {literal(', '.join(unknown))}.")


def _numbers_of(own: Losses, asked: Asked) -> None:
    people = len(own.ordered)
    above = int(np.count_nonzero(own.ordered > asked.limit))
    unit = session.unit()
    results.metrics(
        {
            "Worst here": (
                significant(float(own.ordered[-1])),
                f"The largest loss of any {unit.noun} in these data, from all answers together.",
            ),
            "Median": (
                significant(float(own.ordered[(people - 1) // 2])),
                f"Half of the {unit.nouns} lose at most this.",
            ),
            "Above the threshold": (
                f"{above:,} ({percent(above / people)})",
                f"How many {unit.nouns} lose more than the threshold.",
            ),
        }
    )


def _nobody_above(losses: PlanLosses, plan: Option, asked: Asked, priced: str) -> None:
    """Show the total at which nobody in this table loses more than the threshold."""
    items, limit = plan.basket.items, asked.limit
    try:
        factor = session.remember(
            "plan-nobody-above",
            f"{priced} {limit}",
            lambda: losses.nobody_above(items, limit, delta=plan.guarantee[1]),
        )
    except ParameterError as error:
        st.info(sentence_of(error))
        return
    if math.isinf(factor):
        st.markdown("No total takes anyone here above the threshold.")
        return
    total = math.fsum(times(item, factor).epsilon for item in items)
    st.metric(
        "Largest total ε with nobody above the threshold",
        f"{_READABLE.plus(Decimal(total)).normalize():f}",
        help="All ε of the plan times one factor. Fixed costs stay.",
    )
    st.warning("Do not use this total as the budget: it is computed from the data and leaks.")


def _most_exposed(losses: PlanLosses, own: Losses, plan: Option, study: Study, priced: str) -> None:
    """List who loses most: by their rank, and with values only if asked for."""
    rows = own.ranking(_MOST)
    items = plan.basket.items
    numbers = _numbers(plan, study)
    roles = session.remember(
        "touched-roles", priced, lambda: [role(numbers, int(row)) for row in rows]
    )
    each = losses.each(items, rows, delta=plan.guarantee[1])
    table: dict[str, list[str]] = {
        "largest losses": roles,
        "ε": [significant(float(own.epsilon[row])) for row in rows],
        "most from": [items[place].name for place in np.argmax(each, axis=0).tolist()],
    }
    shown = st.toggle(
        "Show rows and values",
        key="touched-values",
        help="Off, the list names nobody and the page can be projected.",
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


_BOUND: Final = 500_000.0


def show_leak() -> None:
    """Show two simulated neighbors for which the ε that was looked up differs."""
    st.markdown(
        "The largest ε at which nobody loses too much is computed from the data without "
        "noise. Two simulated datasets of pay differ in one person. The sum of pay is "
        f"released, bounded at {_BOUND:,.0f} €."
    )
    first, second, _ = controls.row(3)
    pay = first.number(
        "Pay of that person, € (simulated)", 480_000.0, (1_000.0, _BOUND), key="looking-pay"
    )
    limit = second.number(
        "Threshold ε", 0.1, (0.001, 10.0), key="looking-limit", note="For the simulated datasets."
    )
    found = data_dependent_epsilon(pay, limit=limit, bound=_BOUND)
    results.metrics(
        {
            "ε chosen, the person is in the table": (
                epsilon_text(found.inside),
                "Simulated: the largest ε at which nobody exceeds the threshold.",
            ),
            "ε chosen, the person is not": (
                epsilon_text(found.outside),
                "Simulated: the same without the best-paid person.",
            ),
        }
    )
    if found.tells:
        st.markdown(
            "**ε alone reveals who is in the data**, before any answer, and even the pay: "
            f"{in_full(limit)} · {_BOUND:,.0f} € / {significant(found.inside, 6)} "
            f"≈ {found.read:,.0f} €."
        )
    else:
        st.markdown(
            f"Here both are the same, because a colleague earns {max(COLLEAGUES):,} €. But ε "
            f"reveals *that* pay: {in_full(limit)} · {_BOUND:,.0f} € / "
            f"{significant(found.inside, 6)} ≈ {found.read:,.0f} €."
        )
    st.caption("Choose a total from public numbers: targets, earlier totals, and odds.")


METHODS: Final = (
    "**Privacy loss of one person** compares only two datasets. One has the record of that "
    "person, the other lacks it or has another record. The loss is the largest change in the "
    "odds of any answer (Wang, *Per-instance differential privacy*, 2019). The ε of the plan "
    "is its largest value over all datasets. Losses of several answers add up. At a δ, the "
    "smallest "
    "of several valid totals counts.\n\n**Nobody above.** All ε of the plan are multiplied "
    "by one factor, found by halving. It is the largest one at which no loss here exceeds "
    "the threshold."
)
