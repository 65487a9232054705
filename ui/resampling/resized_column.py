"""The resized bootstrap on a column of the table: question, price, release, losses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.analyses.number import Query
from dpcore.analyses.resized import Form, ResizedRequest
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.formatting import epsilon_text, in_full, significant
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from ui import confidential, controls, exposures, offering, partwise, results, session
from ui.answering import answers, distortion
from ui.asking import columns
from ui.form import SettingsForm
from ui.resampling.resized_bootstrap import (
    FORM,
    SIZE,
    ResampleSize,
    ResizedCase,
    answer,
    compare,
    show_tour,
    simulated_case,
)
from ui.study import Study
from ui.text import after_number

_AT_LEAST = "share of people at or above a number"
_MEAN = "mean"
_DELTAS = (0.0, 1e-8, 1e-7, 1e-6, 1e-5)


def show() -> None:
    """Show the method on a simulated table, or on a column of the table in use."""
    study = session.study()
    if study is None or (
        controls.HERE.radio("Data", ["my column", "simulated"], key="resized-data") == "simulated"
    ):
        case = simulated_case(**FORM.ask())
        answer(case)
        st.header("Explore")
        show_tour(case, "resized")
    elif partwise.in_memory(study, "A resized bootstrap"):
        own, study = ask(study)
        plan = own.request.plan
        compare(
            own.bootstrap,
            plan.resample,  # type: ignore[union-attr] # the request is the repaired form
            scores=own.size.scores,
            epsilon=own.size.epsilon,
            width=own.request.query.bounds.width,
        )
        what = "what scores of this column reveal"
        confidential.area("resized", what, partial(_losses, own, study))
        st.header("Release the repair")
        _offer(own, study)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnScores:
    """A question about the table in use, repaired and as published. PUBLIC.

    The bootstrap is the published mechanism, with the Z that was typed.
    """

    request: ResizedRequest
    published: ResizedRequest
    bootstrap: ResizedBootstrap
    size: ResampleSize


def ask(study: Study) -> tuple[ColumnScores, Study]:
    """Show the controls; return the question, and the study as declared by them.

    Raises:
        ParameterError: Something is missing, or does not go together.

    """
    row = controls.row(3)
    with row[0].place:
        position = columns.choose(study.dataset)
    size = ResampleSize(**SettingsForm(row=SIZE).ask())
    dataset = columns.folded(study.in_memory, position, "resized-bounds")
    if dataset is None:
        session.end_page()
    study = replace(study, dataset=dataset)
    column = dataset.columns[position]
    kind, membership = _question(column, row[1], row[2])
    with st.expander("More settings", key="resized-own-more"):
        delta = controls.row(4)[0].selectbox(
            "δ of the repaired form",
            _DELTAS,
            format_func=in_full,
            key="resized-delta",
            kept="table",
            note="0 is a pure guarantee. A δ must be below 1/n: with this probability a "
            "drawn row may be revealed.",
        )
    query = Query(
        kind=kind,
        column=column,
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=study.size(column),
        membership=membership,
    )
    bootstrap = size.bootstrap(query.size.people, rows=query.unit.rows)
    request = ResizedRequest(query=query, draws=bootstrap.draws, epsilon=size.epsilon, delta=delta)
    published = replace(request, form=Form.PUBLISHED)
    return ColumnScores(request=request, published=published, bootstrap=bootstrap, size=size), study


def _offer(own: ColumnScores, study: Study) -> None:
    """Offer the repaired form, and in Classroom mode the published one, too."""
    request = own.request
    if session.mode() is Mode.CLASSROOM:
        published = st.radio(
            "Version",
            [Form.REPAIRED, Form.PUBLISHED],
            format_func=lambda form: f"as {form}" if form is Form.PUBLISHED else form,
            horizontal=True,
            key="resized-form",
            help="Live mode releases only the repaired version.",
        )
        request = own.published if published is Form.PUBLISHED else request
    else:
        st.caption(
            f"The published version cannot be released: {own.published.refusal(Mode.RELEASE)}"
        )
    answer = offering.offer(request, study, key="resized")
    if answer is not None:
        answers.resampled(
            answer,
            request,
            title=request.title,
            note="Intervals cover noise and sampling.",
            keys=("resized-answer", "resized-answer"),
        )
    distortion.show(request, study, key="resized-bias")


def _question(
    column: Column, cell: controls.Cell, beside: controls.Cell
) -> tuple[StatisticKind, Membership | None]:
    """Show what can be asked of a column; return the statistic and whom it counts."""
    key = f"{session.generation()}-{column.name}"
    if column.kind is ColumnKind.YES_NO:
        cell.place.text_input("Question", f"share of “{column.labels[1]}”", disabled=True)
        return StatisticKind.PROPORTION, Membership(label=column.labels[1])
    if column.kind is ColumnKind.CATEGORY:
        if not column.labels:
            raise ParameterError(f"{column.name!r} needs a public list of categories.")
        label = cell.selectbox(
            "Share of people with", column.labels, key=f"resized-label-{key}", kept="session"
        )
        return StatisticKind.PROPORTION, Membership(label=label)
    if column.bounds is None:
        raise ParameterError(f"{column.name!r} needs public bounds.")
    question = cell.selectbox("Question", [_MEAN, _AT_LEAST], key="resized-question")
    if question == _MEAN:
        return StatisticKind.MEAN, None
    least = beside.number(
        "At or above",
        column.bounds.lower + column.bounds.width / 2,
        key=f"resized-least-{key}-{column.bounds}",
        kept="session",
        note="A public number, chosen without the table.",
    )
    return (StatisticKind.PROPORTION, Membership(interval=Interval(lower=least, upper=math.inf)))


def _losses(own: ColumnScores, study: Study) -> None:
    """Show what scores of this very column reveal. CONFIDENTIAL."""
    rows = session.while_shown(
        "resized-rows", study.about(own.request.query), lambda: own.request.value(study.dataset)
    )
    if own.request.shares:
        ones = int(rows.sum())
        st.markdown(f"In this table: {session.unit().number(ones)} of {len(rows):,}.")
        if own.bootstrap.rows > 1:
            st.caption(
                f"Below, each row is separate. {session.unit().indefinite.capitalize()} with "
                "several rows is drawn more often."
            )
        show_tour(
            ResizedCase(
                bootstrap=replace(own.bootstrap, rows=1),
                ones=ones,
                scores=own.size.scores,
                epsilon=own.size.epsilon,
                simulated=False,
            ),
            "resized-own",
        )
    else:
        _spread(own, rows)
    exposure = exposures.exposed(study, own.request, own.request.query.relation)
    middle, most = exposure.quantiles([0.5, 1.0])
    st.markdown(
        f"**Own ε of one repaired answer:** median {epsilon_text(float(middle))}, largest "
        f"{epsilon_text(float(most))}, guarantee {epsilon_text(exposure.worst_case)}."
    )


def _spread(own: ColumnScores, rows: FloatArray) -> None:
    """Say how far scores of a mean are off, as published and repaired."""
    bootstrap, width = own.bootstrap, own.request.query.bounds.width
    spread = float(np.var(rows))
    published = math.sqrt(spread / bootstrap.draws)
    fixed = own.request.plan.resample  # type: ignore[union-attr] # the repaired form
    repaired = math.sqrt(float(fixed.variance(width, spread)))
    claimed = width * math.sqrt(bootstrap.claimed_variance)
    unit = after_number(own.request.unit_text)
    results.metrics(
        {
            "RMSE, claimed": (
                f"{significant(claimed)}{unit}",
                "√(Z)/n times the width of the bounds.",
            ),
            "RMSE, as published": (
                f"{significant(published)}{unit}",
                ("Of answers of the published method about the mean of this table. Confidential."),
            ),
            "RMSE, repaired": (
                f"{significant(repaired)}{unit}",
                "Of answers of the repaired method.",
            ),
        }
    )
    st.markdown(
        f"The mean of this table is {significant(float(rows.mean()), 6)}{unit}. A rare value "
        "in a published score can identify a row, so no finite ε holds."
    )
