"""A cross table on the Release page: the counts with their sums, and the figure."""

from __future__ import annotations

from typing import Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Question, Request
from dpcore.analyses.cross_table import CrossedQuery, CrossPlan
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.figures.answers import CrossNumbers, cross_picture
from dpcore.figures.label_grid import LabelGrid
from dpcore.figures.theme import Picture
from dpcore.formatting import percent
from dpcore.inference.intervals import LEVEL
from dpcore.releases.digits import with_ends
from dpcore.releases.record import Release
from dpcore.statistics.grouping import MOST_COLUMNS as MOST_GROUPED
from dpcore.statistics.kinds import StatisticKind
from ui import results, session
from ui.answering import numbers
from ui.answering.views import AnswerView
from ui.asking import question_controls
from ui.asking.question_controls import QuestionForm

_WIDE = 2
"""Columns of which a table can have one in its rows and one in its head."""


def show(answer: Release, asked: Request) -> None:
    """Show the counts as a figure, and as a table with the sums of its sides."""
    query = cast("CrossedQuery", asked.query)
    plan = cast("CrossPlan", asked.plan)
    results.show(picture(answer, asked, truth=None), "answer")
    st.markdown("**Totals**" if len(query.columns) > _WIDE else "**The table with its sums**")
    results.table(_table(answer, query), key="cross-table")
    st.caption(
        f"In brackets, with {percent(LEVEL)} for all {plan.numbers} numbers together: where "
        "the number of this table lies, noise alone. Each total is the sum of released "
        "counts. It costs nothing and has more noise than a count. Numbers are rounded to the "
        "digits that the noise leaves, so totals may differ in the last digit. The files "
        "have every digit. The grand total may differ from the number of "
        f"{session.unit().counted}, even where that is public, because every count has noise. "
        "Counts below 0 are left as drawn, so that sums are unbiased. A count whose interval "
        "begins at 0 may be 0."
    )


def picture(answer: Release, asked: Request, *, truth: FloatArray | None) -> Picture:
    """Return the picture of an answer; ``truth`` holds the counts without noise."""
    query = cast("CrossedQuery", asked.query)
    return cross_picture(
        _numbers(answer, query, sampled=session.require_study().sampled),
        statement=asked.statement,
        unit=asked.query.unit_text,
        truth=None if truth is None else truth.reshape(query.shape),
    )


def _numbers(answer: Release, query: CrossedQuery, *, sampled: bool) -> CrossNumbers:
    total = answer.total_ends if sampled else {}
    shape, nothing = query.shape, (-np.inf, np.inf)

    def ends(known: dict[str, tuple[float, float]]) -> FloatArray:
        found = [known.get(cell, nothing) for cell in query.cells]
        return np.array(found).reshape(*shape, 2)

    return CrossNumbers(
        grid=LabelGrid(titles=tuple(column.title for column in query.columns), labels=query.names),
        counts=np.array(answer.values).reshape(shape),
        noise=ends(answer.noise_ends),
        total=ends(total) if total else None,
    )


def _table(answer: Release, query: CrossedQuery) -> dict[str, list[str]]:
    """Return the counts in words, a row for each first answer, with their sums.

    Of three columns, the totals of each alone.
    """
    values, ends = answer.numbers, answer.noise_ends

    def told(name: str) -> str:
        if name not in values:
            return ""
        known, value = ends.get(name, (-np.inf, np.inf)), values[name]
        shown, lower, upper = with_ends(value, known, query.quantity)
        return f"{shown} ({lower} to {upper})"

    sums = iter(query.margins)
    totals = [[told(name) for _, name in zip(names, sums, strict=False)] for names in query.names]
    titles = [column.title for column in query.columns]
    if len(titles) > _WIDE:
        return {
            "column": [
                title for title, names in zip(titles, query.names, strict=True) for _ in names
            ],
            "answer": [name for names in query.names for name in names],
            "total": [total for found in totals for total in found],
        }
    (rows, columns), (first, second) = query.names, titles
    cells = np.array(query.cells).reshape(query.shape)
    table = {first: [*rows, f"all of {first}"]}
    for place, name in enumerate(columns):
        # A space more where a category is called as the column of the table is.
        header = f"{name} " if name in table else name
        table[header] = [*(told(cell) for cell in cells[:, place].tolist()), totals[1][place]]
    table[f"all of {second}"] = [*totals[0], ""]
    return table


def ask(form: QuestionForm) -> Question:
    """Ask for one or two further columns."""
    edges = question_controls.bins(form)
    others = question_controls.label_columns(
        form,
        "Crossed with",
        most=MOST_GROUPED - 1,
        note="Up to two columns. Every row is in one cell, so all cells together cost one ε. "
        "Empty cells are released, too.",
    )
    return CrossedQuery(crossed=histograms(form, others, edges))


def histograms(
    form: QuestionForm, others: tuple[Column, ...], edges: tuple[float, ...] | None
) -> tuple[Query, ...]:
    """Return the questions that tables of several columns are made of, in their order."""
    columns = form.in_order(form.column, *others)
    size = form.study.size(*columns)
    return tuple(
        form.query(
            StatisticKind.HISTOGRAM, size, column=each, edges=edges if each is form.column else None
        )
        for each in columns
    )


VIEWS: Final = (
    AnswerView(
        plan=CrossPlan,
        preview=numbers.preview,
        show=show,
        picture=picture,
        details=numbers.details,
        kinds=CrossedQuery.kinds,
        ask=ask,
    ),
)
