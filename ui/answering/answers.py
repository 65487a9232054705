"""The parts of the Release page: price and error before, the answer after."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Releasable, Request
from dpcore.analyses.cross_table import CrossedQuery, CrossPlan
from dpcore.analyses.differences import DifferencePlan
from dpcore.analyses.groups import GroupPlan
from dpcore.analyses.means import MeansPlan, MeansQuery
from dpcore.analyses.measurement import Direct
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.arrays import FloatArray
from dpcore.data.columns import MissingPolicy
from dpcore.figures import answers as figures
from dpcore.figures.theme import Picture
from dpcore.formatting import capital, significant
from dpcore.inference.intervals import LEVEL, Intervals
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.releases.digits import noise_unit, number_text, quantity_in
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind
from ui import offering, partwise, results, session
from ui.answering import chains, crossed, groups, matrices, means, pair
from ui.answering.previews import price
from ui.text import after_number, literal

_RELEASED = (
    "Public: the exact answer with noise, drawn once and charged to the budget. How "
    "far it may be off is said below it; a larger ε brings it closer."
)
_SAMPLED = (
    "“With sampling” holds the same quantity of the population behind it, as if the "
    "table were a simple random sample. The sampling error is bounded from public "
    "numbers, so the second interval is on the wide side."
)
_THESE_ROWS = "The answer is about the rows of this table."
_EVERYBODY = "There is no sampling error: “Data” says that the data are the whole population."


def show(answer: Release, asked: Request) -> None:
    """Show a sanitized answer with its intervals, cost and downloads."""
    with offering.frame(answer, asked.statement):
        if asked.query.kind.of_matrix:
            noise = recorded(answer).noise
            matrices.show(answer, asked, noise=noise)
        elif asked.query.kind.of_ranks:
            _one_rank(answer, asked)
        elif isinstance(asked.plan, GroupPlan):
            groups.show(answer, asked, asked.plan)
        elif isinstance(asked.plan, DifferencePlan):
            pair.show(answer, asked, asked.plan)
        elif isinstance(asked.plan, MeansPlan):
            means.show(answer, asked, cast("MeansQuery", asked.query), asked.plan)
        elif isinstance(asked.plan, ChainPlan):
            chains.show(answer, asked, asked.plan)
        elif isinstance(asked.plan, CrossPlan):
            crossed.show(answer, asked, cast("CrossedQuery", asked.query), asked.plan)
        elif len(answer.values) == 1:
            _one_number(answer, asked)
        else:
            picture = parts_picture(answer, asked, truth=None)
            results.show(picture, "answer")
        _beyond(answer, asked)
        # The numbers of a matrix have a scale each.
        noise_scale = (
            f", noise scale {significant(answer.noise)} {literal(noise_unit(answer))}".rstrip()
        )
        st.markdown(
            f"Cost: {price(asked)}. Draw {answer.draw} of this question, "
            f"{literal(answer.mechanism_label)}"
            f"{'' if asked.query.kind.of_matrix else noise_scale}, drawn by "
            f"{literal(answer.sampler)}."
        )
        if any(
            c.kind.is_numeric or c.missing is MissingPolicy.REPLACE for c in asked.query.columns
        ):
            seen = " The curator can see it below." if partwise.moves_are_shown() else ""
            st.caption("Intervals do not include the bias from clamping and imputation." + seen)
        results.release_files([answer], "answer")


def _beyond(answer: Release, asked: Request) -> None:
    """Say that the noise took an answer where no table could be."""
    if not isinstance(asked.plan, Direct):
        return
    bounds, values = asked.query.bounds, np.array(answer.values)
    if np.any((values < bounds.lower) | (values > bounds.upper)):
        st.caption(
            "Noise moved an answer out of the possible range, "
            f"{significant(bounds.lower)} to {significant(bounds.upper)}. Such noise "
            "is unbiased. BIT and folded noise stay inside, and are biased."
        )


def _one_number(answer: Release, asked: Request) -> None:
    around, value = recorded(answer), float(answer.values[0])
    quantity = asked.query.quantity
    st.metric(
        f"Private {literal(asked.query.title)}",
        number_text(answer, answer.labels[0], value) + after_number(quantity.suffix),
        help=_RELEASED,
    )
    picture = figures.answer_picture(
        value,
        around,
        statement=asked.statement,
        quantity=quantity,
        sampled=session.require_study().sampled,
    )
    results.show(picture, "answer")


def _one_rank(answer: Release, asked: Request) -> None:
    plan = cast("RankPlan", asked.plan)
    (ranks,) = plan.half_widths(LEVEL)
    st.metric(
        f"Private {literal(asked.query.title)}",
        number_text(answer, answer.labels[0], answer.values[0])
        + after_number(asked.query.quantity.suffix),
        help=_RELEASED,
    )
    st.markdown(
        "With 95% probability its place in the sorted table is at most "
        f"{math.ceil(ranks):,} ranks away from the one asked for. How far off that "
        "makes the value depends on how dense the data are there, which is not public. "
        "A long empty stretch between the bounds attracts answers: choose bounds no "
        "wider than needed."
    )


def parts_picture(answer: Release, asked: Request, *, truth: FloatArray | None) -> Picture:
    """Return a picture of an answer of several numbers, beside the truth if given."""
    kind = asked.query.kind
    named = {StatisticKind.PROPORTIONS: "share", StatisticKind.HISTOGRAM: "count"}
    noun, quantity = named.get(kind, kind.value), asked.query.quantity
    return figures.parts_picture(
        answer.labels,
        np.array(answer.values),
        recorded(answer),
        statement=asked.statement,
        noun=noun,
        quantity=quantity,
        truth=truth,
        sampled=session.require_study().sampled,
        grid=groups.grid_of(asked.query),
    )


def details(asked: Request) -> None:
    """Say what is computed, under which assumptions, and from which source."""
    sensitivity, kind = asked.query.sensitivity, asked.query.kind
    moved = {
        StatisticKind.PROPORTIONS: "each of the shares",
        StatisticKind.HISTOGRAM: "each of the counts",
        StatisticKind.CROSS_TABLE: "each of the counts",
    }.get(kind, f"the {kind}")
    amounts = (
        "Each number has its own; the list above the button holds them"
        if kind.of_matrix
        else significant(asked.plan.noise)
    )
    largest = (
        f"One {asked.query.unit.noun} can move every variance and covariance; each "
        "gets the noise that its own range needs "
        f"({asked.query.unit.change(asked.query.relation)})."
        if kind.of_matrix
        else f"One {asked.query.unit.noun} can move {moved} by at most "
        f"{significant(sensitivity.largest, up=True)} "
        f"({asked.query.relation.phrase})." + _together(sensitivity)
    )
    if isinstance(asked.plan, GroupPlan):
        largest = groups.details(asked)
    elif isinstance(asked.plan, DifferencePlan):
        largest = pair.details(asked)
    elif isinstance(asked.plan, MeansPlan):
        largest = means.details(asked, cast("MeansQuery", asked.query))
    elif isinstance(asked.plan, ChainPlan):
        largest = chains.details(asked, asked.plan)
    st.markdown(
        f"**{asked.entry.label}.** {asked.entry.sentence}\n\n"
        f"**Sensitivity.** {largest}\n\n"
        f"**Noise scale.** {amounts}.\n\n"
        f"**What it is.** {literal(capital(asked.statement))}.\n\n"
        "**Intervals.** “Noise alone” holds exactly that number of this table. " + _of_sampling()
    )


def _of_sampling() -> str:
    """Say of what the second interval is one, or why there is none."""
    study = session.require_study()
    if study.terms.unit.several:
        return _THESE_ROWS
    return _SAMPLED if study.sampled else _EVERYBODY


def _together(sensitivity: Sensitivity) -> str:
    """Say what the noise is made for where several numbers move at once."""
    if sensitivity.coordinates == 1:
        return ""
    return (
        f" Up to {sensitivity.coordinates} of them move at once. The noise is made for "
        f"all of their moves together: {significant(sensitivity.l1, up=True)} added up "
        f"(Laplace noise), {significant(sensitivity.l2, up=True)} as the root of their "
        "squares (Gaussian noise)."
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


def resampled(
    answer: Release, asked: Releasable, *, title: str, note: str, keys: tuple[str, str]
) -> None:
    """Show a number from resamples with its interval and files."""
    around, value = recorded(answer), answer.values[0]
    text = number_text(answer, answer.labels[0], value)
    quantity = quantity_in(answer, answer.labels[0])
    figure, files = keys
    with offering.frame(answer):
        st.metric(
            f"Private {literal(title)}", f"{text}{after_number(quantity.suffix)}", help=_RELEASED
        )
        if answer.intervals is not None:
            picture = figures.resampled_picture(
                value,
                around,
                statement=asked.statement,
                quantity=quantity,
                sampled=session.require_study().sampled,
            )
            results.show(picture, figure)
            st.caption(note)
        offering.badge(answer, files)
