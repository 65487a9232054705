"""The controls that ask for noisy bootstraps of the table in use. All are public."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from dpcore.data.columns import Column
from dpcore.errors import ParameterError
from dpcore.privacy.bootstrap_cost import Correction, calibration_steps, claimed_epsilon, rho_for
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.releases.bootstrap.request import BootstrapRequest
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.membership import Membership
from dpcore.statistics.query import Query
from dpcore.wording import significant
from ui import controls, session, work
from ui.asking import columns
from ui.controls import Cell
from ui.resampling.standard_errors.settings import ask_delta
from ui.study import Study

_NUMBERS = [StatisticKind.MEAN, StatisticKind.SUM]
_LABELS = [StatisticKind.PROPORTION, StatisticKind.COUNT]
_STEPS = 11
_NOISE = {
    Correction.FINITE: "corrected",
    Correction.ASYMPTOTIC: "corrected, in the limit",
    Correction.PUBLISHED: "as published",
}


def ask(study: Study) -> BootstrapRequest | None:
    """Show the controls of bootstraps of the table in use; return what they ask.

    ``None`` while something is missing, or the noise is still being searched for.

    Raises:
        ParameterError: The question cannot be answered this way.

    """
    query = ask_question(study)
    if query is None:
        return None
    request = ask_bootstraps(query, controls.row(4), delta=None)
    return request if noise_is_known(request) else None


def ask_question(study: Study) -> Query | None:
    """Show the controls of the question; ``None`` while something is missing.

    Raises:
        ParameterError: The question cannot be asked of this column.

    """
    first, second, third, _ = controls.row(4)
    with first.place:
        position = columns.choose(study.dataset)
    if columns.folded(study.in_memory, position, "se-bounds") is None:
        return None
    study = session.require_study()
    column = study.dataset.columns[position]
    number = column.kind.is_numeric
    kind = second.selectbox(
        "Statistic",
        _NUMBERS if number else _LABELS,
        key="se-number-statistic" if number else "se-label-statistic",
        kept="table",
        note=f"Only what is a sum of one term {session.unit().indefinite} can be "
        "bootstrapped this way.",
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


def _members(cell: Cell, column: Column) -> Membership:
    if not column.labels:
        raise ParameterError("declare the public labels of this column first.")
    label = cell.selectbox(
        f"Of {session.unit().nouns} with",
        column.labels,
        key=f"se-label-{session.generation()}-{hash(column.labels)}",
        kept="session",
    )
    return Membership(label=label)


def ask_epsilon(cell: Cell) -> controls.Typed:
    """Show the control of what all bootstraps together stand for."""
    return cell.charged_epsilon(
        "ε for this release",
        0.5,
        (1e-3, 50.0, 0.1),
        key="se-release-epsilon",
        kept="table",
        more="δ is set on its own.",
    )


def ask_bootstraps(
    query: Query, places: Sequence[Cell], *, delta: float | None
) -> BootstrapRequest:
    """Show the controls of several bootstraps, and that of delta where it is open."""
    epsilon = ask_epsilon(places[0])
    times = places[1].number(
        "Bootstraps to release", 50, (2, 500, 10), key="se-release-times", kept="table"
    )
    correction = places[2].selectbox(
        "Their noise",
        list(_NOISE),
        format_func=_NOISE.__getitem__,
        key="se-correction",
        kept="table",
        note="Corrected: enough for this number of bootstraps. In the limit: enough "
        "for very many of them. As published it does not give the privacy that is "
        "claimed: that can be shown in a classroom, and not released.",
    )
    if delta is None:
        delta = ask_delta(places[3])
    # What is proved for changes from one bound to the other covers all of a share.
    bound = Bound.MEAN if query.kind.of_members else Bound.GENERIC
    return BootstrapRequest(
        query=query,
        rho=rho_for(epsilon.inside, delta),
        delta=delta,
        times=times,
        correction=correction,
        bound=bound,
    )


def noise_is_known(request: BootstrapRequest) -> bool:
    """Search for the noise, if it has to be; tell whether it was found."""
    if request.correction is not Correction.FINITE:
        return True
    found = find_noise(
        "se-release-repair",
        request.bound,
        rho=request.rho,
        delta=request.delta,
        times=request.times,
        people=request.query.size.people,
    )
    return found is not None


def find_noise(
    slot: str, bound: Bound, *, rho: float, delta: float, times: int, people: int
) -> float | None:
    """Return the factor on the noise that makes the claim hold, once it is found."""
    steps = work.follow(
        slot,
        repr((rho, times, people, delta, bound.value)),
        _STEPS,
        lambda: calibration_steps(rho=rho, delta=delta, times=times, people=people, bound=bound),
        # So that nobody takes an older search for it.
        doing=f"Looking for the noise that is enough for {times} bootstraps at ε "
        f"{significant(claimed_epsilon(rho, delta), 4)}",
    )
    if steps is None:
        return None
    if not steps or math.isinf(steps[-1].high):
        st.info("The search was stopped before it found enough noise.")
        return None
    return steps[-1].high
