"""The parts of the Release page: price and error before, the answer after."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st

from dpcore.data.columns import MissingPolicy
from dpcore.figures import answers as figures
from dpcore.figures.wording import epsilon_text, measured, significant
from dpcore.inference.intervals import LEVEL, Intervals
from dpcore.releases.plans import Direct
from dpcore.releases.record import Mode
from dpcore.releases.request import offered
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.joint_query import JointQuery
from dpcore.statistics.kinds import StatisticKind
from ui import accounts, matrices, results
from ui.previews import price
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.figures.theme import Picture
    from dpcore.releases.account import Account
    from dpcore.releases.rank_plan import RankPlan
    from dpcore.releases.record import Release
    from dpcore.releases.request import Request

_ADVISED = ("laplace", "bit", "truncated", "gaussian", "exponential")
"""What to use instead of a mechanism that cannot be released, in display order."""


def explain_price(asked: Request, account: Account) -> None:
    """Say that the budget is too small, and what can be done."""
    st.warning(
        f"This costs {price(asked)}, and "
        f"{accounts.short(account.budget, account.remaining)} is left. Ask with a "
        "smaller ε, or change the budget on the Ledger page."
    )


def explain_refusal(asked: Request) -> None:
    """Say why this mechanism cannot be used in Release mode, and what to use."""
    if not asked.entry.releasable:
        st.warning(
            f"“{asked.entry.label}” has no secure sampler: noise from ordinary floats "
            "would reveal the true value. It can be studied on the other pages; for a "
            f"release choose {_instead(asked)}."
        )
        return
    st.warning(
        f"This mechanism claims ε {epsilon_text(asked.epsilon)} and really gives ε "
        f"{epsilon_text(asked.real_epsilon)}: {asked.entry.flaw}. It can be studied in "
        f"Classroom mode; for a release choose {_instead(asked)}."
    )


def _instead(asked: Request) -> str:
    """Name mechanisms that keep their promise and can answer this question."""
    keeping = [
        f"“{entry.label}”"
        for key, entry in offered(asked.query.kind).items()
        if key in _ADVISED and entry.claim_holds and entry.releasable
    ]
    return " or ".join(filter(None, [", ".join(keeping[:-1]), keeping[-1]]))


def show(answer: Release, asked: Request) -> None:
    """Show a sanitized answer with its intervals, cost and downloads."""
    watermark = answer.mode is Mode.CLASSROOM
    frame = "classroom-answer" if watermark else "public-answer"
    with st.container(border=True, key=frame):
        results.public_badge()
        if asked.query.kind.of_matrix:
            noise = recorded(answer).noise
            matrices.show(answer, asked, noise=noise, watermark=watermark)
        elif asked.query.kind.of_ranks:
            _one_rank(answer, asked)
        elif len(answer.values) == 1:
            _one_number(answer, asked, watermark=watermark)
        else:
            picture = parts_picture(answer, asked, truth=None, watermark=watermark)
            results.show(picture, "answer")
        _beyond(answer, asked)
        # The numbers of a matrix have a scale each.
        noise_scale = f", noise scale {significant(answer.noise)}"
        st.markdown(
            f"Cost: {price(asked)}. Draw {answer.draw} of this question, "
            f"{literal(answer.mechanism_label)}"
            f"{'' if asked.query.kind.of_matrix else noise_scale}, drawn by "
            f"{literal(answer.sampler)}."
        )
        st.caption(_missing(asked))
        results.downloads([answer], "answer")


def _beyond(answer: Release, asked: Request) -> None:
    """Say that the noise took an answer where no table could be."""
    if not isinstance(asked.plan, Direct):
        return
    bounds, values = asked.query.bounds, np.array(answer.values)
    if np.any((values < bounds.lower) | (values > bounds.upper)):
        st.caption(
            "The noise took an answer out of what is possible, which is from "
            f"{significant(bounds.lower)} to {significant(bounds.upper)}. Noise that "
            "may do so is right on average; BIT and folded noise stay inside."
        )


def _one_number(answer: Release, asked: Request, *, watermark: bool) -> None:
    around, value = recorded(answer), float(answer.values[0])
    noise, unit = around.noise[0], asked.query.unit_text
    error = float(noise[1] - noise[0]) / 2
    st.metric(
        f"Sanitized {literal(asked.query.title)}",
        f"{measured(value, error)} {unit}".rstrip(),
    )
    picture = figures.answer_picture(
        value, around, axis=asked.query.title, unit=unit, watermark=watermark
    )
    results.show(picture, "answer")


def _one_rank(answer: Release, asked: Request) -> None:
    plan = cast("RankPlan", asked.plan)
    step = 2 * plan.statistic.grid_error
    (ranks,) = plan.half_widths(LEVEL)
    st.metric(
        f"Sanitized {literal(asked.query.title)}",
        f"{measured(answer.values[0], step)} {asked.query.unit_text}".rstrip(),
    )
    st.markdown(
        f"With 95 % probability its place in the sorted table is at most "
        f"{significant(float(ranks))} ranks away from the one asked for. How far off "
        "that makes the value depends on how dense the data are there, which is not "
        "public. A long empty stretch between the bounds attracts answers: choose "
        "bounds no wider than needed."
    )


def parts_picture(
    answer: Release, asked: Request, *, truth: FloatArray | None, watermark: bool
) -> Picture:
    """Return a picture of an answer of several numbers, beside the truth if given."""
    noun, unit = _parts_axis(asked)
    return figures.parts_picture(
        answer.labels,
        np.array(answer.values),
        recorded(answer),
        axis=asked.query.columns[-1].name,
        noun=noun,
        unit=unit,
        truth=truth,
        watermark=watermark,
    )


def _parts_axis(asked: Request) -> tuple[str, str]:
    """Return what each of several numbers is called, and their unit."""
    kind = asked.query.kind
    if kind is StatisticKind.PROPORTIONS:
        return "share", ""
    if kind is StatisticKind.HISTOGRAM:
        return "count", asked.query.unit_text
    return kind.value, asked.query.unit_text


def details(asked: Request) -> None:
    """Say what is computed, under which assumptions, and from which source."""
    sensitivity, kind = asked.query.sensitivity, asked.query.kind
    moved = {
        StatisticKind.PROPORTIONS: "each of the shares",
        StatisticKind.HISTOGRAM: "each of the counts",
    }.get(kind, f"the {kind}")
    amounts = (
        "Each number has its own; the list above the button holds them"
        if kind.of_matrix
        else significant(asked.plan.noise)
    )
    largest = (
        f"One {asked.query.unit.noun} can move every variance and covariance; each "
        f"gets the noise that its own range needs ({asked.query.relation.phrase})."
        if kind.of_matrix
        else f"One {asked.query.unit.noun} can move {moved} by at most "
        f"{significant(sensitivity.largest, up=True)} "
        f"({asked.query.relation.phrase})."
    )
    st.markdown(
        f"**{asked.entry.label}.** {asked.entry.sentence}\n\n"
        f"**Sensitivity.** {largest}\n\n"
        f"**Noise scale.** {amounts}.\n\n"
        "**Intervals.** “Noise alone” holds the statistic of this table, “with "
        "sampling” the quantity of the population behind it, as if the table were a "
        "simple random sample. The sampling error is bounded from public numbers, so "
        "the second interval is on the wide side."
    )


def recorded(answer: Release) -> Intervals:
    """Return the intervals that were computed with the answer."""
    kept = answer.intervals
    nothing = dict.fromkeys(answer.labels, (-np.inf, np.inf))
    noise, total = (kept.noise, kept.total) if kept is not None else (None, None)
    return Intervals(
        level=kept.level if kept is not None else LEVEL,
        noise=np.array([(noise or nothing)[label] for label in answer.labels]),
        total=np.array([(total or nothing)[label] for label in answer.labels]),
    )


def _missing(asked: Request) -> str:
    columns, ungrouped = asked.query.columns, ""
    if isinstance(asked.query, GroupedQuery | JointQuery) and asked.query.group:
        # Who has no group is among the others, whatever is declared.
        columns = columns[:-1]
        ungrouped = " Whoever has no group is among the others."
    if any(column.missing is MissingPolicy.DROP for column in columns):
        return (
            "People without a value were left out: the answer is about the others, and "
            f"averages divide by at least the public minimum of people.{ungrouped}"
        )
    filled = ", ".join(
        f"{literal(column.name)} {literal(_said(column.replacement))}"
        for column in columns
    )
    return (
        f"People without a value, if any, count as: {filled}. The intervals do not "
        f"cover the error that this makes.{ungrouped}"
    )


def _said(replacement: float | str | None) -> str:
    return f"{replacement:,g}" if isinstance(replacement, float) else str(replacement)
