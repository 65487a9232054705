"""A set of tables on the Release page: how far off each is, and one of them at a time."""

from __future__ import annotations

from itertools import combinations, pairwise, product
from typing import Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode, Question, Request
from dpcore.analyses.marginals import MarginalsPlan, MarginalsQuery
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.figures.answers import CrossNumbers, cross_picture
from dpcore.figures.label_grid import LabelGrid
from dpcore.figures.theme import Picture
from dpcore.formatting import significant
from dpcore.inference.intervals import level_of_each
from dpcore.postprocessing.consistent_marginals import nonnegative
from dpcore.releases.digits import number_text
from dpcore.releases.record import WATERMARK, Release
from dpcore.statistics.grouping import MOST_COLUMNS as MOST_GROUPED
from dpcore.statistics.grouping import SIDE_BY_SIDE
from ui import results, session
from ui.answering import numbers
from ui.answering.crossed import histograms
from ui.answering.views import AnswerView, Cells
from ui.asking import question_controls
from ui.asking.question_controls import QuestionForm
from ui.text import after_number

_TABLE = "marginal-table"
_PAIR = 2


def preview(asked: Request, cells: Cells) -> None:
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
    wanted = query.consistent and below
    if wanted and st.toggle("Counts of at least 0", key="marginals-nonnegative"):
        _at_least_zero(answer, query)


def _at_least_zero(answer: Release, query: MarginalsQuery) -> None:
    """Show the chosen table with the nearest counts of at least 0, and offer all as files."""
    counts = nonnegative(query.statistic, np.array(answer.values)).tolist()
    rows = [
        {
            "cell": label,
            "released": number_text(answer, label, value),
            "at least 0": number_text(answer, label, max(count, 0.0)),
        }
        for label, value, count in zip(answer.labels, answer.values, counts, strict=True)
    ]
    place, cells = _cells(query)
    names = product(*(query.names[column] for column in query.tables[place]))
    results.table(
        [
            row | {"cell": SIDE_BY_SIDE.join(name)}
            for row, name in zip(rows[cells], names, strict=True)
        ],
        key="counts-at-least-0",
    )
    st.caption(
        "These are the nearest tables that agree and have no count below 0, in least squares. They "
        "follow from the released ones and cost nothing. Small counts are too large on average, so "
        "the intervals above do not hold for them."
    )
    mark = WATERMARK if answer.mode is Mode.CLASSROOM else ""
    results.table_files(
        lambda: [row | {"watermark": mark} for row in rows], "counts-of-at-least-0", "at-least-0"
    )


def _cells(query: MarginalsQuery) -> tuple[int, slice]:
    """Return the place of the chosen table, and where its counts are among all."""
    chosen = session.public(_TABLE)
    place = chosen if isinstance(chosen, int) and chosen < len(query.tables) else 0
    return place, slice(*[*pairwise([0, *np.cumsum(query.statistic.counts).tolist()])][place])


def picture(answer: Release, asked: Request, *, truth: FloatArray | None) -> Picture:
    """Return the picture of the chosen table; ``truth`` holds all counts without noise."""
    query = cast("MarginalsQuery", asked.query)
    place, cells = _cells(query)
    columns, shape = query.tables[place], query.statistic.shapes[place]
    around = numbers.recorded(answer)
    found = CrossNumbers(
        grid=LabelGrid(
            titles=tuple(query.columns[column].title for column in columns),
            labels=tuple(query.names[column] for column in columns),
        ),
        counts=np.array(answer.values[cells]).reshape(shape),
        noise=around.noise[cells].reshape(*shape, 2),
        total=around.total[cells].reshape(*shape, 2) if session.require_study().sampled else None,
        together="all cells of all tables",
        totals=True,
    )
    return cross_picture(
        found,
        statement=asked.statement,
        unit=query.unit_text,
        truth=None if truth is None else truth[cells].reshape(shape),
    )


def ask(form: QuestionForm) -> Question:
    """Ask for columns, and for the tables of them; every pair unless others are chosen."""
    edges = question_controls.bins(form)
    others = question_controls.several_labelled(
        form,
        most=MarginalsQuery.most_columns - 1,
        note="All tables together cost one ε. Every row is in one cell of each table, so each "
        "further table adds noise to all.",
    )
    crossed = histograms(form, others, edges)
    names = [form.study.dataset.short(each.column.name) for each in crossed]
    sizes = range(1, min(MOST_GROUPED, len(names)) + 1)
    choices = [table for size in sizes for table in combinations(range(len(names)), size)]
    chosen = st.multiselect(
        "Tables",
        range(len(choices)),
        default=[place for place, table in enumerate(choices) if len(table) == _PAIR],
        format_func=lambda place: SIDE_BY_SIDE.join(names[column] for column in choices[place]),
        placeholder="choose",
        help="Of one, two or three columns. Every pair is chosen at first.",
        key=f"tables-{session.generation()}-{hash(tuple(names))}",
        persist_state="session",
    )
    if not chosen:
        raise ParameterError("choose at least one table.")
    consistent = next(form.cells).place.checkbox(
        "Consistent tables",
        value=True,
        key=f"consistent-{session.generation()}",
        persist_state="session",
        help="The nearest tables, in least squares, that agree about every total they share. "
        "This is post-processing: it costs nothing, and no count gets noisier. Choose it "
        "before you release: with and without it are two questions, with a cost each.",
    )
    tables = tuple(choices[place] for place in sorted(chosen))
    return MarginalsQuery(crossed=crossed, tables=tables, consistent=consistent)


VIEWS: Final = (
    AnswerView(
        plan=MarginalsPlan,
        preview=preview,
        show=show,
        picture=picture,
        details=numbers.details,
        kinds=MarginalsQuery.kinds,
        ask=ask,
    ),
)
