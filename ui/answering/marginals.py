"""A set of tables on the Release page: how far off each is, and one of them at a time."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.marginals import MarginalsPlan, MarginalsQuery
from dpcore.arrays import FloatArray
from dpcore.figures.answers import CrossNumbers, cross_picture
from dpcore.figures.label_grid import LabelGrid
from dpcore.figures.theme import Picture
from dpcore.formatting import significant
from dpcore.inference.intervals import level_of_each
from dpcore.releases.record import Release
from ui import results, session
from ui.answering import numbers
from ui.text import after_number

_TABLE = "marginal-table"


def preview(asked: Request, cells: numbers.Cells) -> None:
    """Show how far off the counts of the tables will be, the worst and the best."""
    plan, unit = cast("MarginalsPlan", asked.plan), after_number(asked.query.unit_text)
    widths = plan.half_widths(level_of_each(plan.numbers))
    help_ = f"Of all counts of all tables.{numbers.together(plan.numbers)}"
    results.metrics(
        {
            "Largest margin of error (95%, noise only)": (
                f"± {significant(float(widths.max()))}{unit}",
                help_,
            ),
            "Smallest margin of error (95%, noise only)": (
                f"± {significant(float(widths.min()))}{unit}",
                help_,
            ),
        },
        places=cells,
    )
    numbers.sampling(cells[2], "Margin of sampling error, at most", "see result")


def show(answer: Release, asked: Request) -> None:
    """Show one of the tables, which is chosen here."""
    query = cast("MarginalsQuery", asked.query)
    st.selectbox(
        "Table",
        range(len(query.tables)),
        format_func=query.table_titles.__getitem__,
        key=_TABLE,
        persist_state="session",
    )
    results.show(picture(answer, asked, truth=None), "answer")
    agree = (
        "Before rounding, the tables agree about every total that they share: they are the "
        "nearest ones that do, in least squares. The margins of error include this."
        if query.consistent
        else "The tables are as they were drawn, so totals that they share differ by chance."
    )
    below = sum(value < 0 for value in answer.values)
    negative = (
        f" Of all counts, {below:,} are below 0 because of noise and are kept as they are, so that "
        "sums are right on average. No interval begins below 0, as no true count is lower."
        if below
        else ""
    )
    st.caption(
        f"{agree} Totals are rounded after the sum. The intervals hold for all counts of all "
        "tables at once, and not for totals. The files have all tables: JSON with every digit, "
        f"CSV rounded.{negative}"
    )


def picture(answer: Release, asked: Request, *, truth: FloatArray | None) -> Picture:
    """Return the picture of the chosen table; ``truth`` holds all counts without noise."""
    query = cast("MarginalsQuery", asked.query)
    chosen = session.public(_TABLE)
    place = chosen if isinstance(chosen, int) and chosen < len(query.tables) else 0
    columns, marginals = query.tables[place], query.statistic
    start, end = [*pairwise([0, *np.cumsum(marginals.counts).tolist()])][place]
    around = numbers.recorded(answer)
    shape = marginals.shapes[place]
    found = CrossNumbers(
        grid=LabelGrid(
            titles=tuple(query.columns[column].title for column in columns),
            labels=tuple(query.names[column] for column in columns),
        ),
        counts=np.array(answer.values[start:end]).reshape(shape),
        noise=around.noise[start:end].reshape(*shape, 2),
        total=around.total[start:end].reshape(*shape, 2)
        if session.require_study().sampled
        else None,
        together="all cells of all tables",
        totals=True,
    )
    return cross_picture(
        found,
        statement=asked.statement,
        unit=query.unit_text,
        truth=None if truth is None else truth[start:end].reshape(shape),
    )
