"""One number, or several, on the Release page: the noise before, the answer after."""

from __future__ import annotations

import math
from typing import Final, cast

import numpy as np
import streamlit as st
from scipy.special import ndtri
from streamlit.delta_generator import DeltaGenerator

from dpcore.analyses.base import Question, Request
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.measurement import Direct
from dpcore.analyses.shares import SharePlan
from dpcore.arrays import FloatArray
from dpcore.figures import answers as figures
from dpcore.figures.draws import Shot, draws_picture
from dpcore.figures.label_grid import LabelGrid
from dpcore.figures.theme import Picture
from dpcore.formatting import measured, percent, significant
from dpcore.inference.intervals import LEVEL, Intervals, expect, level_of_each
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.releases.digits import number_text
from dpcore.releases.record import Release
from dpcore.statistics.kinds import OF_ONE, StatisticKind
from ui import controls, results, session
from ui.answering.views import AnswerView, Cells
from ui.asking import question_controls
from ui.asking.question_controls import QuestionForm
from ui.text import after_number, literal

RELEASED = (
    "Public: the exact answer with noise, drawn once and charged to the budget. How "
    "far it may be off is said below it; a larger ε brings it closer."
)
NOISE = "Margin of error (95%, noise only)"
_NOISE_OF_ALL = "Margin of error, all at once (95%, noise only)"
Z = float(-ndtri((1 - LEVEL) / 2))
DRAWS = 200
_LESSON = "_lesson"


def preview(asked: Request, cells: Cells) -> None:
    """Show how far off each number will be, at worst."""
    plan = cast("Direct", asked.plan)
    unit = after_number(asked.query.quantity.of_differences)
    statistic, bounds = asked.query.statistic, asked.query.bounds
    count = plan.numbers
    ahead = expect(asked.mechanism, statistic, bounds, level=level_of_each(count))
    results.metrics(
        {
            NOISE if count == 1 else _NOISE_OF_ALL: (
                f"± {significant(ahead.noise)}{unit}",
                (
                    "Before the release, at worst: how far it may be from the value of this "
                    f"table.{together(count)}"
                ),
            ),
            "RMSE of the noise, at most": (
                f"{significant(ahead.typical)}{unit}",
                "Root mean squared error of the noise at the least favorable position.",
            ),
        },
        places=cells,
    )
    sampling(
        cells[2],
        "Margin of sampling error, at most",
        "see result" if np.isinf(ahead.sampling) else f"± {significant(ahead.sampling)}{unit}",
    )
    _apart(asked, 2 * ahead.noise, f"{significant(2 * ahead.noise)}{unit}")


def preview_shares(asked: Request, cells: Cells) -> None:
    """Show how far off shares will be that are made to add up to 1."""
    plan = asked.plan
    count = len(asked.query.statistic.labels)
    widths = plan.half_widths(level_of_each(count))
    people = asked.query.size.people
    results.metrics(
        {
            _NOISE_OF_ALL: (
                f"± {significant(float(widths.max()))}",
                (
                    "Error of a share, to first order, if all categories are equally large; the "
                    f"worst of them.{together(count)}"
                ),
            ),
            "Categories": (
                f"{len(widths)}",
                "Their shares add up to 1 after the procedure, which costs nothing.",
            ),
        },
        places=cells,
    )
    half = f"± {significant(min(Z * 0.5 / math.sqrt(people), 1.0))}"
    sampling(cells[2], "Margin of sampling error, at most", half)
    apart = 2 * float(widths.max())
    _apart(asked, apart, significant(apart))


_OF_EXACT = "Even the exact answer has this margin of error (95%). No mechanism can remove it."


def sampling(place: DeltaGenerator, label: str, error: str, note: str = _OF_EXACT) -> None:
    """Show the error from sampling, if the table is a sample; ``note`` says what it includes."""
    if session.require_study().sampled:
        declared = "The table is a random sample, as declared on Data."
        place.metric(label, error, help=f"{declared} {note}")
        return
    place.metric("Sampling error", "none", help=no_sampling())


def no_sampling() -> str:
    """Return why there is no sampling error."""
    unit = session.require_study().terms.unit
    if unit.several:
        return f"Sampling error: not known where several rows of one {unit.noun} count."
    return "Sampling error: none, because the data are the whole population."


def together(count: int) -> str:
    """Say that the coverage holds for all of several numbers at once."""
    return f" All {count} numbers at once, 95%." if count > 1 else ""


def _apart(asked: Request, apart: float, shown: str) -> None:
    """Say how different two numbers must be, and warn where that is all there is.

    Several numbers are asked for to be compared: what counts is not their range, but
    how they differ. The bars of an answer overlap up to twice the noise.
    """
    st.caption(
        f"Two of the released numbers that differ by more than {shown} differ in the table, "
        "too. Smaller gaps may be noise."
    )
    average = _average(asked)
    if average is not None and apart >= average:
        st.warning(
            f"This result is hardly useful: a part of average size ({significant(average)}) "
            "is not distinguishable from an empty one. Increase ε, or ask for fewer parts."
        )


def _average(asked: Request) -> float | None:
    """Return how large the numbers are on average, where that is public."""
    kind, cells = asked.query.kind, len(asked.query.statistic.labels)
    if kind is StatisticKind.PROPORTIONS:
        return 1 / cells
    if kind in {StatisticKind.HISTOGRAM, StatisticKind.CROSS_TABLE}:
        # Where who counts is private, the rows of the table may still be public.
        rows = session.require_study().size().people
        return max(asked.query.size.people, rows) / cells
    return None


def show(answer: Release, asked: Request) -> None:
    """Show a number with its intervals, or several as a figure."""
    if len(answer.values) > 1:
        results.show(picture(answer, asked, truth=None), "answer")
        values, ends = np.array(answer.values), recorded(answer).noise
        off = float(np.abs(ends - values[:, np.newaxis]).max())
        st.caption(
            f"With {percent(LEVEL)}, all numbers are within ± {measured(off, off)} at once, for "
            "noise only."
        )
        return
    around, value = recorded(answer), float(answer.values[0])
    quantity = asked.query.quantity
    st.metric(
        f"Private {literal(asked.query.title)}",
        number_text(answer, answer.labels[0], value) + after_number(quantity.suffix),
        help=RELEASED,
    )
    around_it = figures.answer_picture(
        value,
        around,
        statement=asked.statement,
        quantity=quantity,
        # A count or a sum in a sample is none of the population.
        sampled=session.require_study().sampled and not asked.query.kind.of_totals,
    )
    results.show(around_it, "answer")


def picture(answer: Release, asked: Request, *, truth: FloatArray | None) -> Picture:
    """Return the picture of several numbers, beside the truth if given, or draws of one."""
    if truth is not None and len(truth) == 1:
        return _draws(answer, asked, float(truth[0]))
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
        grid=grid_of(asked.query),
    )


def grid_of(query: Question) -> LabelGrid | None:
    """Return the table whose cells are the groups of several columns; else None."""
    columns = query.grouping.columns if query.grouping else ()
    if len(columns) < 2:  # noqa: PLR2004 - a row of cells is no table
        return None
    return LabelGrid(
        titles=tuple(column.title for column in columns),
        labels=tuple(column.labels for column in columns),
    )


def _draws(answer: Release, asked: Request, truth: float) -> Picture:
    return draws_picture(
        asked.mechanism_key,
        asked.mechanism.simulate(truth, rng=rng(), size=(DRAWS,)),
        shot=Shot.around(truth, sensitivity=asked.sensitivity.largest, bounds=asked.query.bounds),
        released=float(answer.values[0]),
        bias=float(asked.mechanism.bias(truth)),
        statement=asked.statement,
        quantity=asked.query.quantity,
    )


def rng() -> np.random.Generator:
    """Return what repeated draws are made by, and the button that repeats them."""
    st.button(f"Repeat {DRAWS} draws", on_click=session.count_up, args=(_LESSON,))
    return np.random.default_rng(1 + session.count(_LESSON))


def recorded(answer: Release) -> Intervals:
    """Return the intervals that were computed with the answer."""
    kept = answer.intervals
    nothing = dict.fromkeys(answer.labels, (-np.inf, np.inf))
    return Intervals(
        level=kept.level if kept is not None else LEVEL,
        noise=np.array([(answer.noise_ends or nothing)[label] for label in answer.labels]),
        total=np.array([(answer.total_ends or nothing)[label] for label in answer.labels]),
    )


def details(asked: Request) -> str:
    """Say how much one unit can move the answer."""
    sensitivity, kind, unit = asked.query.sensitivity, asked.query.kind, asked.query.unit
    moved = {
        StatisticKind.PROPORTIONS: "each of the shares",
        StatisticKind.HISTOGRAM: "each of the counts",
        StatisticKind.CROSS_TABLE: "each of the counts",
        StatisticKind.MARGINALS: "each of the counts",
    }.get(kind, f"the {kind}")
    return (
        f"One {unit.noun} can move {moved} by at most "
        f"{significant(sensitivity.largest, up=True)} "
        f"({asked.query.relation.phrase})." + _moves(sensitivity)
    )


def _moves(sensitivity: Sensitivity) -> str:
    """Say what the noise is made for where several numbers move at once."""
    if sensitivity.coordinates == 1:
        return ""
    return (
        f" Up to {sensitivity.coordinates} of them move at once. The noise is made for "
        f"all of their moves together: {significant(sensitivity.l1, up=True)} added up "
        f"(Laplace noise), {significant(sensitivity.l2, up=True)} as the root of their "
        "squares (Gaussian noise)."
    )


def ask(form: QuestionForm) -> Question:
    """Ask for a number of one column, or for several, of everybody or by group."""
    kind = form.kind
    whose = question_controls.membership(form) if kind.of_members else None
    edges = question_controls.bins(form) if kind.of_cells else None
    q = None
    if kind is StatisticKind.QUANTILE:
        below = next(form.cells).number(
            f"Percent of {session.unit().counted} below it",
            90.0,
            (0.1, 99.9),
            key="quantile",
            kept="table",
        )
        q = below / 100
    qs = _shares(form) if kind is StatisticKind.QUANTILES else None
    group = question_controls.by_group(form) if kind.by_group else None
    size = form.study.size(form.column) if group is None else ANY_SIZE
    query = form.query(kind, size, membership=whose, edges=edges, q=q, qs=qs)
    return query if group is None else GroupedQuery(part=query, group=group)


def _shares(form: QuestionForm) -> tuple[float, ...]:
    text = next(form.cells).numbers(
        f"Percent of {session.unit().counted} below each",
        "10, 25, 50, 75, 90",
        key="quantiles",
        kept="table",
        note="Several numbers between 0 and 100, separated by commas. All of them "
        "together cost one ε.",
    )
    percents = sorted(controls.listed(text, float, "percentages"))
    return tuple(percent / 100 for percent in percents)


VIEWS: Final = (
    AnswerView(
        plan=Direct,
        preview=preview,
        show=show,
        picture=picture,
        details=details,
        kinds=OF_ONE,
        ask=ask,
    ),
    AnswerView(plan=SharePlan, preview=preview_shares, show=show, picture=picture, details=details),
)
