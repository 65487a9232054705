"""A weighted mean or share on the Release page: its noise before, the answer after."""

from __future__ import annotations

import math
from typing import Final, cast

import streamlit as st

from dpcore.analyses.base import Question, Request
from dpcore.analyses.groups import ANY_SIZE
from dpcore.analyses.weighted import (
    WeightedPlan,
    WeightedQuery,
    can_weigh,
    names_weights,
    usual_mean_weight,
)
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column
from dpcore.errors import ParameterError
from dpcore.formatting import capital, epsilon_text, percent, significant
from dpcore.inference.intervals import LEVEL
from dpcore.releases.digits import ends_text, number_text, quantity_in
from dpcore.releases.record import Release
from dpcore.releases.table import TOO_FEW
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from ui import assumed_sizes, controls, results, session
from ui.answering import groups
from ui.answering.views import AnswerView, Cells
from ui.asking import question_controls
from ui.asking.question_controls import QuestionForm
from ui.text import after_number

_SMALL: Final = 0.05
"""The part of the sampling error below which noise is called small."""
_PARTS: Final = (1.0, 0.5, 0.1)
"""Parts of the cap that own losses are listed for."""


def preview(asked: Request, cells: Cells) -> None:
    """Show how far off the numbers will be, and what noise adds to the sampling error."""
    query, plan = cast("WeightedQuery", asked.query), cast("WeightedPlan", asked.plan)
    first, second, _ = cells
    rows = _beside_sampling(asked)
    unit, noun = after_number(query.quantity.of_differences), query.kind.value
    off = float(plan.ratio_half_widths((rows,))[0])
    first.metric(
        f"Margin, {rows:,} rows",
        TOO_FEW if math.isnan(off) else f"± {significant(off)}{unit}",
        help=f"Worst-case margin of error (95%, noise only) of the {noun} of a group of "
        f"{rows:,} rows with mean weight {significant(plan.mean_weight)}. It holds for all "
        "numbers at once.",
    )
    second.metric(
        "Margin of a sum of weights",
        f"± {significant(plan.cap * plan.count_half_width, up=True)}",
        help="Each sum of weights is released, too, with this margin of error (95%).",
    )
    _losses(asked, plan)


def _beside_sampling(asked: Request) -> int:
    """Say what noise adds to the sampling error under assumptions; return the assumed rows."""
    query, plan = cast("WeightedQuery", asked.query), cast("WeightedPlan", asked.plan)
    first, second, third = controls.row(3)
    rows = assumed_sizes.ask(first, query)
    key = f"{session.generation()}-{query.kind}-{query.column.name}-{query.weight.name}"
    most = plan.cap / plan.mean_weight
    effect = second.number(
        "Assumed design effect",
        min(1.5, most),
        (1.0, most),
        key=f"design-effect-{key}-{most}",
        kept="session",
        note="Kish’s design effect of unequal weights: n times the sum of squared weights over "
        "the squared sum. Survey reports state it. It cannot exceed the cap over the mean weight.",
    )
    spread = third.number(
        "Assumed SD, share of the range",
        0.5 if query.part.membership else 0.25,
        (0.01, 0.5),
        key=f"spread-{key}",
        kept="session",
        note="The standard deviation of values, divided by the range between the bounds. For a "
        "share near one half it is 0.5.",
    )
    design = plan.design(effect, spread=spread)
    enough = math.ceil(design.rows_for(_SMALL))
    st.caption(
        f"At a design effect of {significant(effect)} and a mean weight of "
        f"{significant(plan.mean_weight)}, noise adds {percent(design.added(rows))} to the "
        f"standard error from sampling. It adds at most {percent(_SMALL)} from {enough:,} rows "
        "on. The noise does not depend on the design effect."
    )
    return rows


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
    if session.require_study().sampled:
        st.caption(
            "“At most”: intervals for the population use public bounds alone, not the spread of "
            "values and weights. So they are wide."
        )
        _beside_sampling(asked)


def _row(answer: Release, name: str, label: str) -> dict[str, str]:
    """Return a number with its intervals as a row of a table."""
    value, quantity = answer.numbers[label], quantity_in(answer, label)
    ends = {"95% for the table": answer.noise_ends}
    if session.require_study().sampled:
        ends["for the population, at most"] = answer.total_ends
    return {"number": name, "released": number_text(answer, label, value)} | {
        title: " to ".join(ends_text(each[label], value, quantity))
        for title, each in ends.items()
        if label in each
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
        f"({query.unit.change(query.relation)}).\n\n**Design effect.** No interval assumes one. "
        f"The level of {percent(LEVEL)} holds for all numbers of this question together"
    )


def ask(form: QuestionForm) -> Question:
    """Ask for the weights, their assumed mean, and groups."""
    whose = question_controls.membership(form) if form.kind.of_members else None
    weight = _weight(form)
    group = question_controls.by_group(form) or Grouping.of()
    kind = StatisticKind.PROPORTION if whose else StatisticKind.MEAN
    return WeightedQuery(
        part=form.query(kind, ANY_SIZE, membership=whose),
        group=group,
        weight=weight,
        mean_weight=_mean_weight(weight, form),
    )


def _weight(form: QuestionForm) -> Column:
    """Ask which column holds the weight of each row."""
    dataset = form.study.dataset
    choices = [one for one in dataset.columns if one != form.column and can_weigh(one)]
    if not choices:
        raise ParameterError(
            "weights need another column of numbers with public bounds from 0 up; declare one on "
            "the Data page."
        )
    place = next(form.cells).selectbox(
        "Weighted by",
        range(len(choices)),
        index=next((i for i, one in enumerate(choices) if names_weights(one.name)), 0),
        format_func=[dataset.short(one.name) for one in choices].__getitem__,
        key=f"weight-{form.key}",
        kept="session",
        note="The upper bound of this column is the cap: larger weights are clamped to it. A "
        "higher cap means more noise.",
    )
    return choices[place]


def _mean_weight(weight: Column, form: QuestionForm) -> float:
    """Ask for the mean weight that margins of error assume."""
    bounds = cast("Interval", weight.bounds)
    usual = usual_mean_weight(bounds)
    return next(form.cells).number(
        "Assumed mean weight",
        usual,
        (max(float(bounds.lower), min(bounds.upper / 1000, usual)), float(bounds.upper)),
        key=f"mean-weight-{session.generation()}-{weight.name}-{bounds.lower}-{bounds.upper}",
        kept="session",
        note="For margins of error only: the question and its cost do not depend on it. Public "
        "knowledge, such as population size divided by sample size.",
    )


VIEWS: Final = (
    AnswerView(
        plan=WeightedPlan,
        preview=preview,
        show=show,
        picture=groups.picture,
        details=details,
        kinds=WeightedQuery.kinds,
        ask=ask,
    ),
)
