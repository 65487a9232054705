"""The resized bootstrap on a column of the table in use: question, price and release.

All of it is public; what the column itself shows is in ``ui.resampling.resized.look``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.data.columns import ColumnKind
from dpcore.errors import ParameterError
from dpcore.figures.answers import resampled_picture
from dpcore.releases.record import Mode
from dpcore.releases.resized.request import Form, ResizedRequest
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.membership import Membership
from dpcore.statistics.query import Query
from dpcore.wording import measured, significant
from ui import controls, offering, results, session
from ui.answering import answers, distortion
from ui.asking import columns
from ui.resampling.resized import comparison, settings
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.data.columns import Column
    from dpcore.mechanisms.resized.bootstrap import ResizedBootstrap
    from dpcore.releases.record import Release
    from ui.resampling.resized.settings import Size
    from ui.study import Study

_AT_LEAST = "share of people at or above a number"
_MEAN = "mean"
_DELTAS = (0.0, 1e-8, 1e-7, 1e-6, 1e-5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """A question about the table in use, and the size of the resample. PUBLIC.

    Attributes:
        request: The repaired form, which can be released.
        published: The same question as published.
        bootstrap: The published mechanism, with the Z that was typed.
        size: What the controls of the resample say.

    """

    request: ResizedRequest
    published: ResizedRequest
    bootstrap: ResizedBootstrap
    size: Size


def ask(study: Study) -> tuple[Own, Study]:
    """Show the controls; return the question, and the study as declared by them.

    Raises:
        ParameterError: Something is missing, or does not go together.

    """
    row = st.columns(3)
    with row[0]:
        position = columns.choose(study.dataset)
    size = settings.ask_size(tuple(st.columns(4)))
    dataset = columns.folded(study.dataset, position, "resized-bounds")
    if dataset is None:
        session.end_page()
    study = replace(study, dataset=dataset)
    column = dataset.columns[position]
    kind, membership = _question(column, row[1], row[2])
    with st.expander("More settings", key="resized-own-more"):
        delta = st.columns(4)[0].selectbox(
            "δ of the repaired form",
            _DELTAS,
            format_func=lambda delta: f"{delta:g}",
            key="resized-delta",
            bind="query-params",
            help="0 is a pure guarantee. A δ must be below one in the number of "
            "people: with that chance, a row that was drawn may show.",
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
    request = ResizedRequest(
        query=query,
        draws=bootstrap.draws,
        epsilon=size.epsilon,
        delta=delta,
    )
    published = replace(request, form=Form.PUBLISHED)
    own = Own(request=request, published=published, bootstrap=bootstrap, size=size)
    return own, study


def claims(own: Own) -> None:
    """Show what is claimed, measured and repaired, from public numbers only."""
    plan = own.request.plan
    comparison.answer_public(
        own.bootstrap,
        plan.resample,  # type: ignore[union-attr] # the request is the repaired form
        scores=own.size.scores,
        epsilon=own.size.epsilon,
        width=own.request.query.bounds.width,
    )


def offer(own: Own, study: Study) -> None:
    """Offer the repaired form, and in Classroom mode the published one, too."""
    request = own.request
    if session.mode() is Mode.CLASSROOM:
        published = st.radio(
            "What to draw",
            [Form.REPAIRED, Form.PUBLISHED],
            format_func=lambda form: f"as {form}" if form is Form.PUBLISHED else form,
            horizontal=True,
            key="resized-form",
            help="In Release mode only the repaired form can be drawn.",
        )
        request = own.published if published is Form.PUBLISHED else request
    else:
        st.caption(
            f"As published it cannot be released: {own.published.refusal(Mode.RELEASE)}"
        )
    answer = offering.offer(request, study, key="resized")
    if answer is not None:
        _show(answer, request)
    distortion.show(request, study, key="resized-bias")


def _question(
    column: Column,
    place: st.delta_generator.DeltaGenerator,
    beside: st.delta_generator.DeltaGenerator,
) -> tuple[StatisticKind, Membership | None]:
    """Show what can be asked of a column; return the statistic and whom it counts."""
    key = f"{session.generation()}-{column.name}"
    if column.kind is ColumnKind.YES_NO:
        place.text_input("Question", f"share of “{column.labels[1]}”", disabled=True)
        return StatisticKind.PROPORTION, Membership(label=column.labels[1])
    if column.kind is ColumnKind.CATEGORY:
        if not column.labels:
            message = f"{column.name!r} needs a public list of categories."
            raise ParameterError(message)
        label = place.selectbox(
            "Share of people with",
            column.labels,
            key=f"resized-label-{key}",
            persist_state="session",
        )
        return StatisticKind.PROPORTION, Membership(label=label)
    if column.bounds is None:
        message = f"{column.name!r} needs public bounds."
        raise ParameterError(message)
    question = place.selectbox(
        "Question", [_MEAN, _AT_LEAST], key="resized-question", bind="query-params"
    )
    if question == _MEAN:
        return StatisticKind.MEAN, None
    least = controls.number(
        beside,
        "At or above",
        column.bounds.lower + column.bounds.width / 2,
        key=f"resized-least-{key}-{column.bounds}",
        kept="session",
        note="A number that you would know without the table.",
    )
    return (
        StatisticKind.PROPORTION,
        Membership(interval=Interval(lower=least, upper=math.inf)),
    )


def _show(answer: Release, request: ResizedRequest) -> None:
    """Show a drawn answer with its interval and files."""
    with offering.frame(answer):
        value = answer.values[0]
        if answer.intervals is None:
            text = significant(value, 4)
        else:
            around = answers.recorded(answer)
            low, high = around.noise[0]
            text = measured(value, float(high - low) / 2)
        st.metric(
            f"Sanitized {literal(request.title)}", f"{text} {answer.unit}".rstrip()
        )
        if answer.intervals is not None:
            picture = resampled_picture(
                value,
                around,
                statement=request.statement,
                unit=answer.unit,
                sampled=session.require_study().sampled,
            )
            results.show(picture, "resized-answer")
            st.caption("Intervals cover the noise and who was drawn.")
        offering.badge(answer, "resized-answer")
