"""A ratio of every group on the Release page: its noise before, the answer after."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.groups import GroupPlan
from dpcore.analyses.means import MeansPlan
from dpcore.arrays import FloatArray
from dpcore.figures.answers import GroupNumbers, groups_picture
from dpcore.figures.group_answers import GroupPanel, panels_picture
from dpcore.figures.theme import Picture
from dpcore.formatting import percent, significant
from dpcore.inference.intervals import LEVEL
from dpcore.releases.digits import sizes_text
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind
from ui import assumed_sizes, controls, results, session
from ui.answering.numbers import grid_of
from ui.answering.views import AnswerView, Cells
from ui.text import after_number, literal

_UNKNOWN_SPREAD: Final = (StatisticKind.MEAN, StatisticKind.MEANS)
"""Whose sampling error is limited by the bounds alone."""


def preview(asked: Request, cells: Cells) -> None:
    """Show how far off counts and ratios will be, for sizes that the reader names."""
    plan = cast("GroupPlan", asked.plan)
    first, second, third = cells
    unit = after_number(asked.query.quantity.of_differences)
    names, count = [number.noun for number in asked.query.of_each_group], len(plan.groups)
    sizes = tuple(people for people in assumed_sizes.SIZES if people <= assumed_sizes.most_people())
    size = assumed_sizes.ask(controls.Cell(place=third), asked.query)
    off = float(plan.ratio_half_widths((size,))[0])
    places = [first, *(st.columns(len(cells)) if len(names) > 1 else ())]
    for place, (name, number) in enumerate(zip(names, asked.query.of_each_group, strict=True)):
        of = f" of the {name}" if place else ""
        each = float(plan.ratio_half_widths((size,), place)[0])
        places[place].metric(
            f"Margin{of}, a group of {size:,}",
            assumed_sizes.margin_text(each, after_number(number.quantity.of_differences)),
            help=f"Worst-case margin of error (95%), before release: how far the {name} of a "
            f"group of {size:,} may be from the value for this table. All {count} groups and "
            "their counts at once.",
        )
    second.metric(
        "Margin of group sizes",
        f"± {significant(plan.count_half_width, up=True)} {asked.query.unit.counted}",
        help=f"How many {asked.query.unit.counted} each group has is released, too, with this "
        "margin of error (95%). A group whose released count is below "
        f"{significant(plan.fewest, up=True)} is not distinguishable from an empty one. "
        "It gets “too few to say”.",
    )
    for place, name in enumerate(names if sizes else ()):
        known = map(float, plan.ratio_half_widths(sizes, place))
        each_size = "; ".join(
            f"{people:,}: {assumed_sizes.margin_text(each, unit)}"
            for people, each in zip(sizes, known, strict=True)
        )
        of = f"Margin of the {name}, by" if len(names) > 1 else "By"
        st.caption(f"{of} {asked.query.unit.counted} in a group, at most about: {each_size}.")
    if math.isnan(off):
        return
    apart = 2 * off
    by = f" by their {names[0]}" if len(names) > 1 else ""
    st.caption(
        f"Two groups of {size:,} are distinguishable{by} if they differ by more than "
        f"{significant(apart, up=True)}{unit}."
    )
    if apart >= float(plan.largest_difference):
        st.warning(
            f"This result will say little about groups of {size:,}: no two of them can "
            f"differ by more than {significant(plan.largest_difference)}{unit}, which is within "
            "the noise. Increase ε, or ask for fewer groups."
        )


def show(answer: Release, asked: Request) -> None:
    """Show the numbers of every group that can be said."""
    plan, unsaid = cast("GroupPlan | MeansPlan", asked.plan), set(answer.unsaid)
    results.show(picture(answer, asked, truth=None), "answer")
    st.caption(
        f"All intervals hold at once, with {percent(LEVEL)}. A number that noise moved out of the "
        "possible range is released as the nearest possible one. So a count or a deviation of 0 "
        "may only mean that its noise is large."
    )
    if session.require_study().sampled and asked.query.kind in _UNKNOWN_SPREAD:
        st.caption(
            "“Noise and sampling” allows for values at both bounds, and for groups of any size. "
            "So it is wide. “Mean and standard deviation” by group has a shorter one, if ε is "
            "large and values vary much less than the bounds allow."
        )
    few = {
        group: plan.count_names[group]
        for group, name in asked.query.of_each_group[0].names.items()
        if name in unsaid
    }
    if few:
        st.caption(
            "“Too few to say”: the released count does not distinguish the group from an empty "
            f"one. How many {asked.query.unit.counted} it has, with 95% for "
            f"all groups at once: {literal(sizes_text(answer, few))}."
        )


def picture(answer: Release, asked: Request, *, truth: FloatArray | None) -> Picture:
    """Return the picture of an answer; ``truth`` holds the sums of the table."""
    plan, numbers = cast("GroupPlan", asked.plan), asked.query.of_each_group
    exact: list[FloatArray | None] = [None] * len(numbers)
    if truth is not None:
        exact = [*plan.truth(truth).reshape(len(numbers), -1)]
    each = tuple(
        GroupPanel(
            name=number.noun,
            quantity=number.quantity,
            numbers=numbers_of(answer, number.names, plan.count_names),
            truth=known,
        )
        for number, known in zip(numbers, exact, strict=True)
    )
    if len(each) > 1:
        return panels_picture(each, statement=asked.statement, counted=asked.query.unit.counted)
    return groups_picture(
        each[0].numbers,
        statement=asked.statement,
        noun=each[0].name,
        quantity=asked.query.quantity,
        counted=plan.counted,
        truth=each[0].truth,
        grid=grid_of(asked.query),
    )


def numbers_of(
    answer: Release, names: Mapping[str, str], count_names: Mapping[str, str]
) -> GroupNumbers:
    """Return what a record says of each group, by the names of its number and its count."""
    values, noise, total = answer.numbers, answer.noise_ends, answer.total_ends
    unknown, ratios, counts = (np.nan, np.nan), names.values(), count_names.values()
    sampled = session.require_study().sampled
    return GroupNumbers(
        groups=tuple(names),
        ratios=np.array([values.get(name, np.nan) for name in ratios]),
        noise=np.array([noise.get(name, unknown) for name in ratios]),
        total=np.array([total.get(name, unknown) for name in ratios]) if sampled else None,
        counts=np.array([values[name] for name in counts]),
        counts_noise=np.array([noise[name] for name in counts]),
    )


def details(asked: Request) -> str:
    """Say what is released of a group, and what one person can change."""
    unit = asked.query.unit
    noun = " and ".join(number.noun for number in asked.query.of_each_group)
    most = significant(asked.query.sensitivity.l1, up=True)
    return (
        "One question releases the counts and sums of all groups, and each "
        f"{noun} follows from them. Every row adds 1 to its group, divided between "
        "the lower and the upper bound by its value. So the parts of a group add up to its "
        f"count. One {unit.noun} can change all of them together by at most {most} "
        f"({asked.query.unit.change(asked.query.relation)}).\n\n**Groups of every size.** "
        "Intervals do not divide by a noisy count. They contain every value consistent with "
        f"the released numbers, for groups of any size, with {percent(LEVEL)} for all counts "
        "and groups together"
    )


VIEWS: Final = (
    AnswerView(plan=GroupPlan, preview=preview, show=show, picture=picture, details=details),
)
