"""What standard errors would do with one's own column. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.data.quantities import quantity_of
from dpcore.figures.resampling.bootstrap import coverage_picture, errors_picture
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query
from dpcore.studies.resampling.bootstrap_study import Experiment, People, Runs, run
from dpcore.wording import people
from ui import confidential, results, session, work
from ui.resampling.standard_errors.settings import BootstrapSettings

_TIMES = (2, 5, 10, 20, 30, 50, 100, 200)
_TABLES = 400
_DRAWS_A_PART = 3_000_000


def show_column(query: Query, asked: BootstrapSettings) -> None:
    """Take the people of the column for the population that tables are drawn from."""
    with confidential.area("standard-errors", "how it does on your column") as shown:
        if not shown:
            return
        _study(query, asked)


def _study(query: Query, asked: BootstrapSettings) -> None:
    study = session.require_study()
    key = repr((study.fingerprint, query.parameters(), session.generation()))
    population = session.while_shown("se-column", key, lambda: _people(query))
    e = asked.experiment
    mine = Experiment(population=population, people=e.people, rho=e.rho, times=e.times)
    st.markdown(
        f"Tables of {people(e.people)} are drawn from this column as if it were the "
        "population; the settings are those at the top."
    )
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
    pieces = work.follow(
        "se-column-tables",
        f"{asked.key('seed')}-{_position(query)}",
        -(-_TABLES // part),
        lambda: run(mine, _TABLES, np.random.default_rng(asked.seed), part=part),
        doing=f"Simulating {_TABLES} tables",
    )
    if pieces:
        runs = Runs.joined(pieces)
        results.show(errors_picture(mine, runs, asked.shown), "se-column-errors")


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


def _position(query: Query) -> str:
    """Return which question it is, by public settings and without any name."""
    column, membership = query.column, query.membership
    names = [each.name for each in session.require_study().dataset.columns]
    label = None if membership is None else membership.label
    counted = column.labels.index(label) if label in column.labels else None
    known = (session.generation(), names.index(column.name), counted)
    return repr((*known, column.bounds, column.missing.name, column.replacement))
