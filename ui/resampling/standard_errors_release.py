"""Releasing a statistic of one's own table as noisy bootstraps, or at one shot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.errors import ParameterError
from dpcore.figures.resampling.bootstrap_lines import methods, others
from dpcore.figures.resampling.bootstrap_releases import one_picture
from dpcore.figures.wording import epsilon_text, measured, significant
from dpcore.privacy.bootstrap_bounds import Bound
from dpcore.privacy.bootstrap_calibration import Correction, rho_for, search
from dpcore.releases.bootstrap_request import BootstrapRequest
from dpcore.releases.record import Mode
from dpcore.releases.request import Request
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.membership import Membership
from dpcore.statistics.query import Query
from ui import answers, offering, results, running, session
from ui.asking import columns, inputs
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.data.columns import Column
    from dpcore.releases.record import Release
    from ui.resampling.standard_errors_settings import Settings
    from ui.study import Study

_NUMBERS = [StatisticKind.MEAN, StatisticKind.SUM]
_LABELS = [StatisticKind.PROPORTION, StatisticKind.COUNT]
_NOISE = {
    Correction.FINITE: "corrected",
    Correction.ASYMPTOTIC: "corrected, in the limit",
    Correction.PUBLISHED: "as published",
}
_MANY, _ONE = "several noisy bootstraps", "one shot"
_SEARCH_STEPS = 11


def show(asked: Settings) -> Query | None:
    """Offer a release of the table in use; return the question, if there is one."""
    study = session.study()
    if study is None:
        st.markdown(
            "Choose a table, and its answers can be released with their standard error "
            "from here."
        )
        st.page_link("pages/data.py", label="Go to Data")
        return None
    try:
        query = _question(study)
        if query is None:
            return None
        request = _request(query, asked)
    except ParameterError as error:
        st.info(literal(str(error)), icon="✏️")
        return None
    st.markdown(f"**{literal(request.title)}**")
    if isinstance(request, BootstrapRequest):
        _bootstrapped(request, asked)
    else:
        answer = offering.offer(request, _current(study), key="se")
        if answer is not None:
            answers.show(answer, request)
    return query


def _current(study: Study) -> Study:
    """Return the table as the controls have just declared it."""
    return session.study() or study


def _question(study: Study) -> Query | None:
    """Show the controls of the question; ``None`` while something is missing.

    Raises:
        ParameterError: The question cannot be asked of this column.

    """
    first, second, third, _ = st.columns(4)
    with first:
        position = columns.choose(study.dataset)
    form = st.expander(
        "Bounds and missing values",
        expanded=not study.dataset.columns[position].is_declared,
        key=f"se-bounds-{session.generation()}-{position}",
        on_change="rerun",
    )
    if form.open:
        with form:
            if columns.declare(study.dataset, position, session.redeclare) is None:
                return None
    study = _current(study)
    column = study.dataset.columns[position]
    number = column.kind is ColumnKind.NUMBER
    kind = second.selectbox(
        "Statistic",
        _NUMBERS if number else _LABELS,
        key="se-number-statistic" if number else "se-label-statistic",
        bind="query-params",
        help="Only what is a sum of one term a person can be bootstrapped this way.",
    )
    membership = None if number else _members(third, column)
    return Query(
        kind=kind,
        column=column,
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=study.size(column),
        membership=membership,
    )


def _members(place: st.delta_generator.DeltaGenerator, column: Column) -> Membership:
    if not column.labels:
        message = "declare the public labels of this column first."
        raise ParameterError(message)
    label = place.selectbox(
        "Of people with",
        column.labels,
        key=f"se-label-{session.generation()}-{hash(column.labels)}",
        persist_state="session",
    )
    return Membership(label=label)


def _request(query: Query, asked: Settings) -> BootstrapRequest | Request:
    """Show the controls of the answer and return what is asked.

    Raises:
        ParameterError: The answer cannot be given this way.

    """
    first, second, third, fourth = st.columns(4)
    way = first.selectbox(
        "Answer with",
        [_MANY, _ONE],
        key="se-way",
        bind="query-params",
        help="One shot: one Gaussian release with all of the budget, without a "
        "standard error of its own.",
    )
    epsilon = second.number_input(
        "ε for this release",
        min_value=1e-3,
        max_value=50.0,
        value=0.5,
        step=0.1,
        format="%g",
        key="se-release-epsilon",
        bind="query-params",
        help=f"{inputs.EPSILON_HELP} δ is that of “More settings” above.",
    )
    if way == _ONE:
        return Request(
            query=query, mechanism_key="gaussian", epsilon=epsilon, delta=asked.delta
        )
    times = third.number_input(
        "Bootstraps to release",
        min_value=2,
        max_value=500,
        value=50,
        step=10,
        key="se-release-times",
        bind="query-params",
    )
    correction = fourth.selectbox(
        "Their noise",
        list(_NOISE),
        format_func=_NOISE.__getitem__,
        key="se-correction",
        bind="query-params",
        help="Corrected: enough for this number of bootstraps. In the limit: enough "
        "for very many of them. As published it does not give the privacy that is "
        "claimed: that can be shown in a classroom, and not released.",
    )
    # What is proved for changes from one bound to the other covers all of a share.
    bound = Bound.MEAN if query.kind.of_members else Bound.GENERIC
    return BootstrapRequest(
        query=query,
        rho=rho_for(epsilon, asked.delta),
        delta=asked.delta,
        times=times,
        correction=correction,
        bound=bound,
    )


def _bootstrapped(request: BootstrapRequest, asked: Settings) -> None:
    """Find the noise, show what to expect, offer the release and show the answer."""
    if request.correction is Correction.FINITE:
        steps = running.follow(
            "se-release-repair",
            repr((request.rho, request.delta, request.times, request.bound.value))
            + str(request.query.size.people),
            _SEARCH_STEPS,
            lambda: search(
                rho=request.rho,
                delta=request.delta,
                times=request.times,
                people=request.query.size.people,
                bound=request.bound,
            ),
            doing="Looking for the noise that is enough",
        )
        if steps is None:
            return
        if not steps or math.isinf(steps[-1].high):
            st.info("The search was stopped before it found enough noise.")
            return
    _expected(request)
    study = session.require_study()
    answer = offering.offer(request, study, key="se")
    if answer is not None:
        with offering.frame(answer):
            _released(answer, request, asked)


def _expected(request: BootstrapRequest) -> None:
    """Compare the noise with that of one shot at the same privacy."""
    plan = request.plan
    average = plan.noise / math.sqrt(request.times)
    one = plan.sensitivity / math.sqrt(2 * request.rho)
    unit = f" {literal(request.unit_text)}" if request.unit_text else ""
    st.markdown(
        f"The average of {request.times} bootstraps has noise of standard deviation "
        f"{significant(average)}{unit}, and resampling adds to it. One shot at "
        f"ε {epsilon_text(request.claimed)} would have {significant(one)}{unit}."
    )
    if not request.claim_holds:
        st.warning(
            f"Claimed: ε {significant(request.claimed, 4)}. Really given: up to "
            f"ε {epsilon_text(request.real_epsilon)}, which is what it costs.",
            icon=":material/lock_open:",
        )


def _released(answer: Release, request: BootstrapRequest, asked: Settings) -> None:
    """Show the released bootstraps with every interval that follows from them."""
    numbers = np.array(answer.values)
    people = request.query.size.people
    shown = (*others(level=asked.level), *asked.shown)
    corrected = methods(tail=asked.tail, level=asked.level)[3].method
    found = corrected.around(
        numbers, noise=answer.noise**2, people=people if people > 1 else None
    )
    unit = f" {literal(answer.unit)}" if answer.unit else ""
    first, second, third = st.columns(3)
    error = found.standard_error
    first.metric("Answer", f"{measured(found.center, error)}{unit}")
    second.metric("Standard error", f"{significant(error)}{unit}")
    third.metric(
        f"{100 * asked.level:g} % interval",
        f"{measured(found.lower, error)} to {measured(found.upper, error)}",
    )
    picture = one_picture(
        numbers,
        shown,
        noise=answer.noise**2,
        people=people if people > 1 else None,
        unit=answer.unit,
        watermark=answer.mode is Mode.CLASSROOM,
    )
    results.show(picture, "se-released")
    st.caption(
        "All intervals are computed from the released numbers: they cost nothing."
    )
    offering.badge(answer, "se")
