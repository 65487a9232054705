"""Releasing a statistic of one's own table as noisy bootstraps, or at one shot.

What standard errors would do with one's own column. CONFIDENTIAL.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.quantities import quantity_of
from dpcore.figures.resampling.bootstrap import (
    coverage_picture,
    errors_picture,
    methods,
    one_picture,
    others,
)
from dpcore.formatting import epsilon_text, in_full, people, significant
from dpcore.inference.bootstrap_intervals import FEWEST_EXPECTED, FEWEST_PEOPLE, too_rare
from dpcore.releases.digits import quantity_in
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.resampling.bootstrap_study import Experiment, People, Runs, run
from ui import controls, offering, partwise, results, session, work
from ui.answering import answers, distortion
from ui.resampling.standard_errors_settings import (
    BootstrapSettings,
    ask_bootstraps,
    ask_epsilon,
    ask_question,
    noise_is_known,
)
from ui.study import Study
from ui.text import after_number, literal

_ANSWER = (
    "Public: the average of all released bootstraps. A new draw is a new release with a new cost."
)
_MANY, _ONE = "several noisy bootstraps", "one shot"


def show(asked: BootstrapSettings) -> Query | None:
    """Offer a release of the table in use; return the question, if there is one."""
    study = session.study()
    if study is None:
        st.markdown("Choose a table on Data to release its means with standard errors.")
        st.page_link("pages/data.py", label="Go to Data")
        return None
    if not partwise.in_memory(study, "A bootstrap"):
        return None
    query = request = None
    with controls.valid(ends=False):
        query = ask_question(study)
        request = None if query is None else _request(query, asked.delta)
    if query is None or request is None:
        return None
    st.markdown(f"**{literal(request.title)}**")
    if not study.sampled:
        st.info(
            "The data are declared to be the whole population, so there is no sampling error. "
            "Bootstrap standard errors describe a larger population."
        )
    if isinstance(request, BootstrapRequest):
        _bootstrapped(request, asked)
    else:
        unit = after_number(request.quantity.of_differences)
        st.markdown(
            f"Standard deviation of the noise: {significant(request.mechanism.noise)}{unit}. "
            f"With Laplace noise at the same ε: {_laplace(query, request.epsilon)}{unit}."
        )
        answer = offering.offer(request, _current(study), key="se")
        if answer is not None:
            answers.show(answer, request)
    distortion.show(request, _current(study), key="bootstrap-bias")
    return query


def _current(study: Study) -> Study:
    """Return the table as the controls have just declared it."""
    return session.study() or study


def _request(query: Query, delta: float) -> BootstrapRequest | Request:
    """Show the controls of the answer and return what is asked.

    Raises:
        ParameterError: The answer cannot be given this way.

    """
    first, *places = controls.row(4)
    way = first.selectbox(
        "Answer with",
        [_MANY, _ONE],
        key="se-way",
        note="One shot: one Gaussian release with the whole ε, without a standard error.",
    )
    if way == _ONE:
        epsilon = ask_epsilon(places[0])
        return Request(query=query, mechanism_key="gaussian", epsilon=epsilon.inside, delta=delta)
    return ask_bootstraps(query, places, delta=delta)


def _bootstrapped(request: BootstrapRequest, asked: BootstrapSettings) -> None:
    """Find the noise, show what to expect, offer the release and show the answer."""
    if not noise_is_known(request):
        return
    _expected(request)
    study = session.require_study()
    answer = offering.offer(request, study, key="se")
    if answer is not None:
        with offering.frame(answer, answer.said):
            _released(answer, request, asked)


def _expected(request: BootstrapRequest) -> None:
    """Compare the noise with that of one shot at the same privacy."""
    plan = request.plan
    average = plan.noise / math.sqrt(request.times)
    one = plan.sensitivity / math.sqrt(2 * request.rho)
    unit = after_number(request.quantity.of_differences)
    st.markdown(
        f"Standard deviation of the noise: {significant(average)}{unit}, plus resampling. One "
        f"Gaussian release at the same ε and δ: {significant(one)}{unit}. One Laplace release at "
        f"the same ε: {_laplace(request.query, request.claimed)}{unit}."
    )
    if not request.claim_holds:
        st.warning(
            f"Claimed: ε = {significant(request.claimed, 4)}. Actual: at most ε = "
            f"{epsilon_text(request.effective_epsilon)}, which is charged.",
            icon=":material/lock_open:",
        )


def _rarity(request: BootstrapRequest, center: float) -> str:
    """Say so where a share is too rare for its interval. From released numbers."""
    if not request.query.kind.of_members:
        return ""
    plan, people = request.plan, request.query.size.people
    whole = 1.0 if plan.average else float(people)
    noise = plan.noise / math.sqrt(request.times) / whole
    if not too_rare(center / whole, people=people, noise=noise):
        return ""
    return (
        f" The share is rare: it corresponds to fewer than {FEWEST_EXPECTED} "
        f"{session.unit().nouns}. The coverage of the intervals may be much lower."
    )


def _laplace(query: Query, epsilon: float) -> str:
    """Return the standard deviation of Laplace noise for a question."""
    plain = Request(query=query, mechanism_key="laplace", epsilon=epsilon)
    return significant(math.sqrt(2) * plain.mechanism.noise)


def _released(answer: Release, request: BootstrapRequest, asked: BootstrapSettings) -> None:
    """Show the released bootstraps with every interval that follows from them."""
    numbers = np.array(answer.values)
    people = request.query.size.people
    quantity = quantity_in(answer, answer.labels[0])
    unit = after_number(quantity.suffix)
    if people < FEWEST_PEOPLE:
        error = answer.noise / math.sqrt(len(numbers))
        st.metric(
            "Answer", f"{quantity.measured(float(numbers.mean()), error)}{unit}", help=_ANSWER
        )
        st.caption(
            f"No standard error and interval: with fewer than {FEWEST_PEOPLE} "
            f"{session.unit().nouns} they would often be too small."
        )
        offering.badge(answer, "se")
        return
    shown = (*others(level=asked.level), *asked.shown)
    corrected = methods(tail=asked.tail, level=asked.level)[3].method
    found = corrected.around(numbers, noise=answer.noise**2, people=people)
    error = found.standard_error
    results.metrics(
        {
            "Answer": (f"{quantity.measured(found.center, error)}{unit}", _ANSWER),
            "Standard error (conservative)": (
                f"{significant(error)}{after_number(quantity.of_differences)}",
                (
                    "Includes sampling and noise. It is more often too large than too small. "
                    f"More {session.unit().nouns} or more ε reduce it."
                ),
            ),
            f"{in_full(100 * asked.level)}% interval": (
                " to ".join(quantity.measured(end, error) for end in (found.lower, found.upper)),
                (
                    "Confidence interval for the population. Public: it is computed from the "
                    "released numbers only."
                ),
            ),
        }
    )
    picture = one_picture(
        numbers,
        shown,
        noise=answer.noise**2,
        people=people,
        quantity=quantity,
        statement=answer.said,
    )
    results.show(picture, "se-released")
    st.caption(
        "Standard error and intervals are for the population. They include sampling and noise, "
        "and cost nothing more (post-processing). They use a normal approximation, which needs "
        f"many {session.unit().nouns}, values without a long tail, and shares that are not rare."
        + _rarity(request, found.center)
    )
    offering.badge(answer, "se")


_TIMES = (2, 5, 10, 20, 30, 50, 100, 200)
_TABLES = 400
_DRAWS_A_PART = 3_000_000


def show_column(query: Query, asked: BootstrapSettings) -> None:
    """Use the rows of the column as the population that tables are drawn from. CONFIDENTIAL."""
    study = session.require_study()
    key = repr((study.fingerprint, query.parameters(), session.generation()))
    population = session.while_shown("se-column", key, lambda: _people(query))
    e = asked.experiment
    mine = Experiment(population=population, people=e.people, rho=e.rho, times=e.times)
    st.markdown(f"Simulated tables have {people(e.people, 'row')}, drawn from this column.")
    settings = [replace(mine, times=k) for k in sorted({*_TIMES, e.times})]
    picture = session.remember(
        "se-column-coverage",
        f"{key}-{asked.key('tail', 'level')}",
        lambda: coverage_picture(settings, {}, shown=asked.all_shown),
    )
    results.show(picture, "se-column-coverage")
    if not st.toggle("Simulate tables from this column", key="se-column-simulate"):
        return
    part = max(1, min(_TABLES, _DRAWS_A_PART // (e.people * e.times)))
    column, membership = query.column, query.membership
    names = [each.name for each in session.require_study().dataset.columns]
    label = None if membership is None else membership.label
    counted = column.labels.index(label) if label in column.labels else None
    known = (session.generation(), names.index(column.name), counted)
    pieces = work.follow(
        "se-column-tables",
        f"{asked.key('seed')}-{(*known, column.bounds, column.missing.name, column.replacement)!r}",
        -(-_TABLES // part),
        lambda: run(mine, _TABLES, np.random.default_rng(asked.seed), part=part),
        doing=f"Simulating {_TABLES} tables",
    )
    if pieces:
        results.show(errors_picture(mine, Runs.joined(pieces), asked.shown), "se-column-errors")


def _people(query: Query) -> People:
    """Return everybody's clamped term: a number, or 1 for who is counted. CONFIDENTIAL.

    Raises:
        DataError: The column cannot be read as it is declared.

    """
    values = query.values(session.require_study().in_memory)
    share = query.kind in {StatisticKind.PROPORTION, StatisticKind.COUNT}
    bounds = query.column.bounds
    if share or bounds is None:
        bounds = Interval(lower=0.0, upper=1.0)
    return People.of(
        bounds.clip(values),
        bounds=bounds,
        name=query.column.title,
        unit="" if share else quantity_of(query.column).of_differences,
    )
