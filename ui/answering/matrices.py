"""Showing a released covariance matrix. Everything here is public."""

from __future__ import annotations

from functools import partial
from typing import Final, cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.analyses.base import Question, Request
from dpcore.analyses.matrix import JointQuery, MatrixPlan
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import Table
from dpcore.errors import ParameterError
from dpcore.figures.covariances import covariance_picture, ellipses_picture
from dpcore.figures.theme import Picture
from dpcore.formatting import interval_ends, percent, significant
from dpcore.inference.intervals import level_of_each
from dpcore.mechanisms.covariances import matrix_of
from dpcore.postprocessing.psd_repair import Repaired, repair
from dpcore.relations import TableSize
from dpcore.releases.record import Release
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.pooled import GroupSizes
from ui import layout, partwise, results, session
from ui.answering.numbers import recorded, together
from ui.answering.ranks import points
from ui.answering.views import AnswerView, Cells
from ui.asking import question_controls
from ui.asking.question_controls import QuestionForm
from ui.study import Study
from ui.text import literal


def show(answer: Release, asked: Request) -> None:
    """Show the matrix before and after its repair, and what it says of correlations."""
    plan = cast("MatrixPlan", asked.plan)
    names = plan.statistic.names
    repaired = repair(matrix_of(answer.values))
    if asked.query.kind is StatisticKind.CORRELATION:
        _correlation(answer, asked)
    flat = [
        name
        for name, variance in zip(names, np.diag(repaired.before), strict=True)
        if variance <= 0
    ]
    if flat:
        st.info(
            f"The released variance of {literal(', '.join(flat))} is 0: the noise took "
            "it to the lower bound. Its covariances can only be 0 then, and its "
            "correlations are not defined. This is part of the result: no draw is repeated. "
            "Increase ε, or choose narrower bounds."
        )
    picture = covariance_picture(
        names, repaired.before, repaired.after, noise=recorded(answer).noise, statement=answer.said
    )
    results.show(picture, "matrix")
    st.caption(
        "On the diagonal are variances, elsewhere covariances with their correlation r; "
        "colors are correlations, from blue (-1) to orange (1). “May be 0” marks a 95% "
        "interval that contains 0."
    )
    if repaired.changed:
        st.markdown(
            "As released, the matrix is not positive semidefinite: some combination of the "
            "columns would have a negative variance (smallest eigenvalue of the "
            f"correlations {significant(repaired.smallest_before)}). The repair moves the "
            "correlations to the nearest positive semidefinite matrix, keeps the variances, and "
            "costs nothing. The files have both."
        )
    # A dozen curves that few open: an answer must come quickly.
    layout.folded("As ellipses", "folded-ellipses", partial(_ellipses, names, repaired))


def _ellipses(names: tuple[str, ...], repaired: Repaired) -> None:
    results.show(ellipses_picture(names, repaired.before, repaired.after), "ellipses")
    st.caption("Each axis is scaled to what is drawn.")


def _correlation(answer: Release, asked: Request) -> None:
    """Show the quotient of the released covariance and its largest possible size."""
    name = next((name for name in answer.derived if name.startswith("corr(")), None)
    number = None if name is None else answer.derived[name]
    st.metric(
        f"Private {literal(asked.query.title)}",
        "not defined" if number is None else significant(number),
        help="From both released variances and the released covariance, before any "
        f"repair. One {session.unit().noun} can turn a correlation from -1 to 1, so "
        "noise on the "
        "correlation itself would say nothing.",
    )
    around = answer.intervals
    if name is not None and around is not None and around.noise and around.total:
        sampled = session.require_study().sampled and name in around.total
        beyond = f"; for the population, from {_ends(around.total[name])}" if sampled else ""
        if name in around.noise:
            st.markdown(
                "The correlation in this table lies from "
                f"{_ends(around.noise[name])}{beyond} (each in {percent(around.level)} "
                "of releases, together with the variances and the covariance below)."
            )


def _ends(ends: tuple[float, float]) -> str:
    return " to ".join(interval_ends(*ends))


def preview(asked: Request, cells: Cells) -> None:
    """Show the noise as a part of the largest variance and covariance."""
    plan = cast("MatrixPlan", asked.plan)
    each = level_of_each(len(plan.statistic.labels))
    parts = plan.half_widths(each) / plan.release.largest
    columns = plan.release.columns
    results.metrics(
        {
            "Noise / largest variance": (
                f"± {points(float(np.max(parts[:columns])))}",
                (
                    "A part of the largest variance that the bounds allow; the worst of all "
                    "columns. The variance of the table may be far smaller, and the noise a far "
                    "larger part of that."
                    f"{together(len(parts))}"
                ),
            ),
            "Noise / largest covariance": (
                f"± {points(float(np.max(parts[columns:])))}",
                (
                    "A part of the largest covariance that the bounds allow; the covariance of the "
                    f"table may be far smaller.{together(len(parts))}"
                ),
            ),
            "Numbers released": (
                f"{len(parts)}",
                (
                    f"{columns} variances, then {len(parts) - columns} covariances within "
                    "what the released variances allow. They share the budget."
                ),
            ),
        },
        places=cells,
    )
    st.caption(
        "The noise is given as a part of the largest variance and covariance that the "
        "bounds allow. Those of the table may be far smaller."
    )


def picture(answer: Release, asked: Request, *, truth: FloatArray) -> Picture:
    """Return the released ellipses beside those without noise."""
    plan = cast("MatrixPlan", asked.plan)
    repaired = repair(matrix_of(answer.values))
    return ellipses_picture(
        plan.statistic.names, repaired.before, repaired.after, truth=matrix_of(truth)
    )


def details(asked: Request) -> str:
    """Say how much one unit can move the answer."""
    unit = asked.query.unit
    return (
        f"One {unit.noun} can move every variance and covariance; each gets the noise that "
        f"its own range needs ({unit.change(asked.query.relation)})."
    )


def numbers(asked: Request) -> None:
    """List every number of a matrix with its part of the budget and its noise."""
    plan = cast("MatrixPlan", asked.plan)
    release = plan.release
    st.caption("The margin of error (95%) covers all numbers at once.")
    results.table(
        {
            "number": plan.statistic.labels,
            "asked ε": release.epsilons,
            "real ε": release.levels,
            "noise scale": release.scales,
            "noise": plan.half_widths(level_of_each(len(plan.statistic.labels))),
            "largest possible": release.largest,
        },
        column_config=dict.fromkeys(_IN_UNITS, results.THREE_DIGITS),
        key="matrix-numbers",
    )


_IN_UNITS = ("noise scale", "noise", "largest possible")
_FEWEST_IN_PUBLIC_GROUP = 2


def ask(form: QuestionForm) -> Question:
    """Ask for further columns of numbers, and for the groups of a pooled statistic."""
    others: tuple[Column, ...] = ()
    if form.kind is StatisticKind.COVARIANCE_MATRIX:
        others = question_controls.several_others(
            form,
            "Every column adds noise to all: the budget is split over all variances and "
            "covariances.",
        )
    elif form.kind is not StatisticKind.POOLED_VARIANCE:
        others = (_other(form),)
    numbers = form.in_order(form.column, *others)
    size, terms, study = form.study.size(*numbers), form.study.terms, form.study
    group = groups = None
    if form.kind.pooled:
        group = Grouping.of(question_controls.label_column(form, "Within the groups of"))
        groups = _sizes_of(
            group,
            size,
            study,
            public=next(form.cells).place.checkbox(
                "The group of every row is public",
                key=f"labels-public-{session.generation()}-{group.name}",
                persist_state="session",
                help="Then the sizes of the groups are public too, and another record of a "
                f"{session.unit().noun} stays in the same group: less noise is needed. "
                "The guarantee assumes it, and the program cannot check it. Leave it off "
                "unless the groups are known to everybody.",
            ),
        )
    return JointQuery(
        kind=form.kind,
        numbers=numbers,
        relation=terms.relation,
        unit=terms.unit,
        size=size,
        group=group,
        groups=groups,
    )


def _other(form: QuestionForm) -> Column:
    numbers = question_controls.other_numbers(form)
    place = next(form.cells).selectbox(
        "And",
        range(len(numbers)),
        format_func=[form.study.dataset.short(one.name) for one in numbers].__getitem__,
        key=f"and-{form.key}",
        kept="session",
    )
    return numbers[place]


def _sizes_of(group: Grouping, size: TableSize, study: Study, *, public: bool) -> GroupSizes:
    """Return what is public about the groups, people of no listed label last."""
    cells = len(group.labels) + 1
    if not public:
        sizes = (size.people, *(0,) * (cells - 1))
        return GroupSizes(sizes=sizes, labels_public=False)
    # Declared public by the curator, with everybody's group.
    sizes = _sizes(group.column, cells, study)
    if sizes[-1] == 0:
        sizes = sizes[:-1]
    if min(sizes) < _FEWEST_IN_PUBLIC_GROUP:
        raise ParameterError(
            f"public groups need at least two {session.unit().counted} each, and one "
            "of these has fewer. "
            "Change the list of labels, or leave “The group of every row is public” "
            "off."
        )
    return GroupSizes(sizes=sizes, labels_public=True)


def _sizes(group: Column, cells: int, study: Study) -> tuple[int, ...]:
    """Return how many people are in each group; the page ends while they are counted.

    Where groups are public.
    """

    def counted(table: Table) -> tuple[int, ...]:
        parts = [*table.each(partial(_in_cells, group.name, cells), [group.name])]
        return tuple(np.sum(parts, axis=0, dtype=int).tolist())

    found = partwise.found(
        "group-sizes",
        f"{study.fingerprint} {group}",
        study.dataset,
        counted,
        doing=f"Counting the {session.unit().counted} of each group",
    )
    if found is None:
        session.end_page()
    return found


def _in_cells(name: str, cells: int, part: Dataset) -> NDArray[np.intp]:
    codes = part.codes(name)
    return np.bincount(np.where(codes < 0, cells - 1, codes), minlength=cells)


VIEWS: Final = (
    AnswerView(
        plan=MatrixPlan,
        preview=preview,
        show=show,
        picture=picture,
        details=details,
        kinds=JointQuery.kinds,
        ask=ask,
    ),
)
