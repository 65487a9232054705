"""The difference of two groups on the Release page: noise before, answer after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import streamlit as st

from dpcore.analyses.base import Question, Request
from dpcore.analyses.differences import DifferencePlan, DifferenceQuery
from dpcore.analyses.groups import ANY_SIZE
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.quantities import quantity_of
from dpcore.errors import ParameterError
from dpcore.figures.group_answers import GroupDifference, difference_picture, untold_picture
from dpcore.figures.theme import Picture
from dpcore.formatting import percent, significant
from dpcore.inference.group_differences import IntervalEstimate
from dpcore.inference.intervals import LEVEL
from dpcore.releases.digits import quantity_in, sizes_text
from dpcore.releases.record import Release
from dpcore.releases.table import TOO_FEW
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from ui import assumed_sizes, controls, results, session
from ui.answering.views import AnswerView, Cells
from ui.asking import question_controls
from ui.asking.question_controls import QuestionForm
from ui.text import after_number, literal

_HOLDS: Final = "all intervals of the two groups hold at once"


def preview(asked: Request, cells: Cells) -> None:
    """Show how far off the difference will be, for sizes that the reader names."""
    plan = cast("DifferencePlan", asked.plan)
    first, second, third = cells
    unit = after_number(asked.query.quantity.of_differences)
    size = assumed_sizes.ask(controls.Cell(place=third), asked.query)
    off = plan.half_width((size, size))
    first.metric(
        f"Margin, groups of {size:,}",
        assumed_sizes.margin_text(off, unit),
        help="Worst-case margin of error (95%), before release: how far the difference of "
        f"two groups of {size:,} may be from the difference in this table.",
    )
    second.metric(
        "Too few to say",
        f"below {significant(plan.fewest, up=True)}",
        help=f"A group whose released number of {asked.query.unit.counted} is no larger than "
        "this is not distinguishable from an empty one. Then there is no number.",
    )
    known = [(people, plan.half_width((people, people))) for people in assumed_sizes.SIZES]
    told = [
        f"{people:,}: {assumed_sizes.margin_text(each, unit)}"
        for people, each in known
        if people <= assumed_sizes.most_people()
    ]
    if told:
        st.caption(
            f"By {asked.query.unit.counted} in each of the two groups, at most about: "
            f"{'; '.join(told)}. Of two groups of different size the smaller one "
            "counts."
        )
    if off >= plan.statistic.bounds.width:
        st.warning(
            f"This result will say little about groups of {size:,}: no two means can "
            f"differ by more than {significant(plan.statistic.bounds.width)}{unit}, which is "
            "within the noise. Increase ε."
        )


def show(answer: Release, asked: Request) -> None:
    """Show the difference of the two groups, or that there are too few to say."""
    plan = cast("DifferencePlan", asked.plan)
    found = _compared(answer, plan)
    if found is None:
        st.markdown(f"**The difference: {TOO_FEW}**")
        st.caption(
            "The released number does not distinguish one of the groups from an empty one. How "
            f"many {asked.query.unit.counted} they have, with "
            f"{percent(LEVEL)} for both at once: "
            f"{literal(sizes_text(answer, dict(zip(plan.pair, plan.names[-2:], strict=True))))}."
        )
    else:
        results.show(_picture(found, asked, None), "answer")
    results.table(_numbers(answer, plan), key="both-groups")
    dated = quantity_of(asked.query.column).is_date
    if found is not None and found.percent is None and not dated:
        below = plan.statistic.bounds.lower < 0
        st.caption(
            f"No percentage: the mean of “{literal(found.other)}” may be 0{' or negative' * below}."
        )
    told = (
        "The interval of the difference is shorter than the two means suggest, because both "
        "would have to be far off at once. It does not say why the groups differ."
    )
    sampled = session.require_study().sampled
    likewise = ", and likewise all with sampling" * sampled
    st.caption(
        f"With {percent(LEVEL)} all of these intervals from the noise alone hold "
        f"together{likewise}. {told if found else ''}".rstrip()
    )


def picture(answer: Release, asked: Request, *, truth: FloatArray) -> Picture:
    """Return the picture of an answer beside that of the table, for a lesson."""
    plan = cast("DifferencePlan", asked.plan)
    found = _compared(answer, plan)
    if found is None:
        return untold_picture(plan.truth(truth), unit=asked.query.unit_text)
    return _picture(found, asked, plan.truth(truth))


def details(asked: Request) -> str:
    """Say what is released of the two groups, and what one person can change."""
    unit = asked.query.unit
    most = significant(asked.query.sensitivity.l1, up=True)
    return (
        "Only the counts and sums of the two groups are released. Each of their rows adds 1 to "
        "its group, divided between the lower and the upper bound by where its value "
        f"lies. One {unit.noun} can change all of them together by at most {most} "
        f"({asked.query.unit.change(asked.query.relation)}).\n\n**The difference.** Two means "
        "are kept where the released numbers of the two groups do not contradict them "
        f"together, with {percent(LEVEL)}. Intervals do not divide by a noisy count, so "
        "groups may have any size"
    )


def _picture(found: GroupDifference, asked: Request, truth: float | None) -> Picture:
    return difference_picture(
        found,
        noun="mean",
        unit=asked.query.unit_text,
        statement=asked.statement,
        holds=_HOLDS,
        truth=truth,
    )


def _compared(answer: Release, plan: DifferencePlan) -> GroupDifference | None:
    """Return what a record says of the two groups; None if nothing can be told."""
    apart, *percent, _, _, _, _ = plan.names
    one, other = plan.pair
    known = _known(answer)
    if apart not in known:
        return None
    share = known.get(percent[0]) if percent else None
    return GroupDifference(one=one, other=other, apart=known[apart], percent=share)


def _known(answer: Release) -> Mapping[str, IntervalEstimate]:
    noise = answer.noise_ends
    total = answer.total_ends if session.require_study().sampled else {}
    return {
        name: IntervalEstimate(value=value, noise=noise[name], total=total.get(name))
        for name, value in answer.numbers.items()
        if name in noise
    }


def _numbers(answer: Release, plan: DifferencePlan) -> dict[str, list[str]]:
    """Return every number with its intervals, in words."""
    known = _known(answer)
    told = [name for name in plan.names if name in known]
    each = {name: quantity_in(answer, name) for name in told}
    units = [quantity.name for quantity in each.values()]
    table = {"number": told, "unit": units, "released": [], "noise alone": []}
    sampled = any(known[name].total is not None for name in told)
    for name in told:
        held = known[name]
        low, high = held.noise
        half = (high - low) / 2
        table["released"].append(each[name].measured(held.value, half))
        table["noise alone"].append(" to ".join(each[name].ends(low, high, half)))
    if sampled:
        totals = [(each[name], known[name].total) for name in told]
        table["with sampling"] = [
            " to ".join(of.ends(*ends, (ends[1] - ends[0]) / 2)) if ends else ""
            for of, ends in totals
        ]
    return table


def ask(form: QuestionForm) -> Question:
    """Ask for two groups of a column."""
    of = question_controls.label_column(form, "Groups of")
    return DifferenceQuery(
        part=form.query(StatisticKind.MEAN, ANY_SIZE), group=Grouping.of(of), pair=_chosen(of, form)
    )


def _chosen(group: Column, form: QuestionForm) -> tuple[str, str]:
    key = f"{session.generation()}-{group.name}-{hash(group.labels)}"
    # Whom a question is about is not guessed from the table: the list is public.
    one = next(form.cells).selectbox("Mean of", group.labels, key=f"pair-{key}", kept="session")
    others = tuple(label for label in group.labels if label != one)
    if not others:
        raise ParameterError(f"{group.name!r} needs a public list of two labels or more.")
    other = next(form.cells).selectbox(
        "Minus",
        others,
        key=f"pair-of-{key}",
        kept="session",
        note="The percentage is of this one. Only the two groups are counted: nothing "
        "is spent on the others.",
    )
    return one, other


VIEWS: Final = (
    AnswerView(
        plan=DifferencePlan,
        preview=preview,
        show=show,
        picture=picture,
        details=details,
        kinds=DifferenceQuery.kinds,
        ask=ask,
    ),
)
