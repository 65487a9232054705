"""A weighted mean or share on the Release page: its noise before, the answer after."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final, cast

import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.weighted import WeightedPlan, WeightedQuery
from dpcore.formatting import capital, epsilon_text, percent, significant
from dpcore.inference.intervals import LEVEL
from dpcore.releases.digits import ends_text, number_text, quantity_in
from dpcore.releases.record import Release
from dpcore.releases.table import TOO_FEW
from ui import controls, results, session
from ui.answering import groups
from ui.answering.numbers import Cells
from ui.text import after_number

_SMALL: Final = 0.05
"""The part of the sampling error below which noise is called small."""
_PARTS: Final = (1.0, 0.5, 0.1)
"""Parts of the cap that own losses are listed for."""


def preview(asked: Request, cells: Cells) -> None:
    """Show how far off the numbers will be, and what noise adds to the sampling error."""
    query, plan = cast("WeightedQuery", asked.query), cast("WeightedPlan", asked.plan)
    first, second, third = cells
    rows = groups.ask_size(controls.Cell(place=third), of_pair=False)
    mean, effect, spread = _assumed(query, plan)
    plan = replace(plan, mean_weight=mean)
    unit, noun = after_number(query.quantity.of_differences), query.kind.value
    off = float(plan.ratio_half_widths((rows,))[0])
    first.metric(
        f"Margin, {rows:,} rows",
        TOO_FEW if math.isnan(off) else f"± {significant(off)}{unit}",
        help=f"Worst-case margin of error (95%, noise only) of the {noun} of a group of "
        f"{rows:,} rows with this mean weight. It holds for all numbers at once.",
    )
    second.metric(
        "Margin of a sum of weights",
        f"± {significant(plan.cap * plan.count_half_width, up=True)}",
        help="Each sum of weights is released too, and is off by this at most, 95 times of 100.",
    )
    design = plan.design(effect, spread=spread)
    enough = math.ceil(design.rows_for(_SMALL))
    st.caption(
        f"At a design effect of {significant(effect)}, noise adds {percent(design.added(rows))} to "
        f"the standard error from sampling. It adds at most {percent(_SMALL)} from {enough:,} rows "
        "on. The noise does not depend on the design effect."
    )
    _losses(asked, plan)


def _assumed(query: WeightedQuery, plan: WeightedPlan) -> tuple[float, float, float]:
    """Ask for the mean weight, design effect and standard deviation that are assumed."""
    first, second, third = controls.row(3)
    key = f"{session.generation()}-{query.weight.name}-{plan.cap}"
    mean = first.number(
        "Assumed mean weight",
        float(plan.mean_weight),
        (float(max(query.weights.lower, plan.cap / 1000)), float(plan.cap)),
        key=f"mean-weight-{key}",
        kept="session",
        note="Public knowledge, such as population size divided by sample size. Nothing is "
        "released by it.",
    )
    most = plan.cap / mean
    effect = second.number(
        "Assumed design effect",
        min(1.5, most),
        (1.0, most),
        key=f"design-effect-{key}-{mean}",
        kept="session",
        note="Kish’s design effect of unequal weights: n times the sum of squared weights over "
        "the squared sum. Survey reports state it. It cannot exceed the cap over the mean weight.",
    )
    spread = third.number(
        "Assumed SD, share of the range",
        0.25,
        (0.01, 0.5),
        key=f"spread-{key}",
        kept="session",
        note="The standard deviation of values, divided by the range between the bounds. For a "
        "share near one half it is 0.5.",
    )
    return mean, effect, spread


def _losses(asked: Request, plan: WeightedPlan) -> None:
    """Say how much a row loses, by its weight."""
    unit = asked.query.unit
    if unit.several:
        return
    delta = asked.used_delta
    each = (
        (part * plan.cap, plan.loss_of(part * plan.cap, asked.query.relation, delta=delta))
        for part in _PARTS
    )
    told = "; ".join(f"{significant(weight)}: ε = {epsilon_text(loss)}" for weight, loss in each)
    st.caption(
        f"Largest own privacy loss of a {unit.noun}, by weight: {told}. "
        "The guarantee is for every weight."
    )


def show(answer: Release, asked: Request) -> None:
    """Show the weighted means or shares, sums of weights and totals."""
    query = cast("WeightedQuery", asked.query)
    results.show(groups.picture(answer, asked, truth=None), "answer")
    if answer.unsaid:
        st.caption(
            f"“{capital(TOO_FEW)}”: the released sum of weights cannot tell the group from an "
            "empty one."
        )
    noun = query.kind.value
    ratios = dict.fromkeys(query.groups, noun)
    if query.group:
        ratios = {group: f"{noun} in {group}" for group in query.groups}
    told = {name: group for group, name in ratios.items() if group in answer.labels}
    told |= {name: name for name in answer.derived}
    results.table([_row(answer, *each) for each in told.items()], key="weighted-numbers")


def _row(answer: Release, name: str, label: str) -> dict[str, str]:
    """Return a number with its intervals as a row of a table."""
    values = dict(zip(answer.labels, answer.values, strict=True)) | answer.derived
    value, quantity, known = values[label], quantity_in(answer, label), answer.intervals
    ends = {"95% for the table": known.noise if known else None}
    if session.require_study().sampled:
        ends["for the population"] = known.total if known else None
    return {"number": name, "released": number_text(answer, label, value)} | {
        title: " to ".join(ends_text(each[label], value, quantity))
        for title, each in ends.items()
        if each and label in each
    }


def details(asked: Request) -> str:
    """Say what is released, and what one person can change."""
    query = cast("WeightedQuery", asked.query)
    most = significant(query.sensitivity.l1, up=True)
    return (
        "Every row adds its weight, as a part of the cap, to its group. The weight is divided "
        "between the lower and the upper bound by the value. The weighted mean, the sum of weights "
        "and the weighted total follow from these two numbers of a group. One "
        f"{query.unit.noun} can change all of them together by at most {most} "
        f"({query.unit.change(query.relation)}).\n\n**Population.** The intervals for the "
        "population assume rows drawn independently with their weights. They do not assume a "
        f"design effect. The level of {percent(LEVEL)} holds for all numbers of this question "
        "together"
    )
