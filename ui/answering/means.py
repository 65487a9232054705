"""Means of several columns by group on the Release page: noise before, answer after."""

from __future__ import annotations

import math
from typing import Final, cast

import streamlit as st

from dpcore.analyses.base import Question, Request
from dpcore.analyses.means import MeansPlan, MeansQuery, one_by_one
from dpcore.data.quantities import quantity_of
from dpcore.formatting import percent, significant
from dpcore.inference.intervals import LEVEL
from dpcore.releases.table import TOO_FEW
from dpcore.statistics.grouping import Grouping
from ui import assumed_sizes, controls, results
from ui.answering import groups
from ui.answering.views import AnswerView, Cells
from ui.asking import question_controls
from ui.asking.question_controls import QuestionForm


def preview(asked: Request, cells: Cells) -> None:
    """Show how far off each mean will be, for sizes that the reader names."""
    query = cast("MeansQuery", asked.query)
    plan = cast("MeansPlan", asked.plan)
    first, second, third = cells
    size = assumed_sizes.ask(controls.Cell(place=third), asked.query)
    sizes = tuple(people for people in assumed_sizes.SIZES if people <= assumed_sizes.most_people())
    off, *known = map(float, plan.height_half_widths((size, *sizes)))
    first.metric(
        f"Margin / range, group of {size:,}",
        assumed_sizes.margin_text(100 * off, "%"),
        help="Worst-case margin of error (95%), before release: how far each mean of a group "
        f"of {size:,} may be from the mean of this table. It is a share of the range of "
        f"its column. All {len(query.numbers)} columns and {len(plan.groups)} groups and "
        "their counts at once.",
    )
    second.metric(
        "Margin of group sizes",
        f"± {significant(plan.fewest, up=True)} {query.unit.counted}",
        help=f"How many {query.unit.counted} each group has is released, too, once for all "
        "columns, with this margin of error (95%). A group whose released "
        f"count is below {significant(plan.fewest, up=True)} is not distinguishable from "
        "an empty one. It gets “too few to say”.",
    )
    widths = [bounds.width for bounds in query.declared]
    results.table(
        {
            "mean of": [column.title for column in query.numbers],
            "unit": [quantity_of(one).of_differences for one in query.numbers],
            f"margin, a group of {size:,}": [
                assumed_sizes.margin_text(off * width) for width in widths
            ],
            "two groups differ from": [
                TOO_FEW if math.isnan(off) else significant(2 * off * width, up=True)
                for width in widths
            ],
        },
        key="means-noise",
    )
    if sizes:
        st.caption(
            f"By {query.unit.counted} in a group, at most about, as a part of the "
            "range between the bounds: "
            + "; ".join(
                f"{people:,}: {assumed_sizes.margin_text(100 * each, '%')}"
                for people, each in zip(sizes, known, strict=True)
            )
            + "."
        )
    st.caption(_saved(asked, query, plan))
    if 2 * off >= 1:
        st.warning(
            f"This result is hardly useful for groups of {size:,}: the noise exceeds the "
            "whole range between the bounds. Increase ε, or ask for fewer columns or groups."
        )


def _saved(asked: Request, query: MeansQuery, plan: MeansPlan) -> str:
    """Say what is gained against asking for the columns one by one."""
    found = one_by_one(asked, query, plan)
    worse, middle = found.bound - 1, found.middle - 1
    text = (
        f"As separate questions at the same total cost, the {len(query.numbers)} columns "
        f"would have an error larger by {percent(worse)} at worst, with means near a bound"
    )
    if middle >= 0:
        return f"{text}; with means halfway between the bounds, by {percent(middle)}."
    return (
        f"{text}; with means halfway between the bounds, by {percent(-middle)} less. "
        "The more columns, the more is gained."
    )


def details(asked: Request) -> str:
    """Say what is released of the groups, and what one person can change."""
    query = cast("MeansQuery", asked.query)
    most = significant(query.sensitivity.l1, up=True)
    return (
        "For each group, the release contains one number that counts its "
        f"{query.unit.counted}. It also contains, for each column, the sum of deviations from "
        "the middle of the bounds. All means follow from these, so that the columns share "
        f"one count. One {query.unit.noun} can change all of them together by at most {most} "
        f"({query.unit.change(query.relation)}).\n\n**Missing values.** All means of a group "
        f"are of the same {query.unit.counted}: a person who is left out for one column is "
        "left out of all.\n\n**Groups of every size.** Intervals do not divide by a noisy "
        "count. They contain every mean consistent with the released numbers. The level of "
        f"{percent(LEVEL)} holds for all counts, columns and groups of this question "
        f"together, at ε = {significant(asked.epsilon)}"
    )


def ask(form: QuestionForm) -> Question:
    """Ask for further columns, and for groups."""
    others = question_controls.several_others(
        form,
        "The means of all these columns, for every group, in one question with one cost. Every "
        "column adds noise to all, though less than asking for it by itself.",
    )
    terms = form.study.terms
    return MeansQuery(
        numbers=form.in_order(form.column, *others),
        group=cast("Grouping", question_controls.by_group(form, required=True)),
        relation=terms.relation,
        unit=terms.unit,
    )


VIEWS: Final = (
    AnswerView(
        plan=MeansPlan,
        preview=preview,
        show=groups.show,
        picture=groups.picture,
        details=details,
        kinds=MeansQuery.kinds,
        ask=ask,
    ),
)
