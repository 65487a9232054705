"""The controls that ask for noisy bootstraps of the table in use. All are public."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.errors import ParameterError
from dpcore.privacy.bootstrap.calibration import Correction, rho_for
from dpcore.privacy.bootstrap.upper_bounds import Bound
from dpcore.releases.bootstrap.request import BootstrapRequest
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.membership import Membership
from dpcore.statistics.query import Query
from ui import controls, session
from ui.asking import columns
from ui.resampling.standard_errors.searching import find_noise
from ui.resampling.standard_errors.settings import ask_delta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamlit.delta_generator import DeltaGenerator

    from dpcore.data.columns import Column
    from ui.study import Study

_NUMBERS = [StatisticKind.MEAN, StatisticKind.SUM]
_LABELS = [StatisticKind.PROPORTION, StatisticKind.COUNT]
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
    request = ask_bootstraps(query, st.columns(4), delta=None)
    return request if noise_is_known(request) else None


def ask_question(study: Study) -> Query | None:
    """Show the controls of the question; ``None`` while something is missing.

    Raises:
        ParameterError: The question cannot be asked of this column.

    """
    first, second, third, _ = st.columns(4)
    with first:
        position = columns.choose(study.dataset)
    if columns.folded(study.dataset, position, "se-bounds") is None:
        return None
    study = session.require_study()
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


def ask_epsilon(place: DeltaGenerator) -> controls.Typed:
    """Show the control of what all bootstraps together stand for."""
    return controls.charged_epsilon(
        place,
        "ε for this release",
        0.5,
        (1e-3, 50.0, 0.1),
        key="se-release-epsilon",
        more="δ is set on its own.",
    )


def ask_bootstraps(
    query: Query, places: Sequence[DeltaGenerator], *, delta: float | None
) -> BootstrapRequest:
    """Show the controls of several bootstraps, and that of delta where it is open."""
    epsilon = ask_epsilon(places[0])
    times = controls.number(
        places[1], "Bootstraps to release", 50, (2, 500, 10), key="se-release-times"
    )
    correction = places[2].selectbox(
        "Their noise",
        list(_NOISE),
        format_func=_NOISE.__getitem__,
        key="se-correction",
        bind="query-params",
        help="Corrected: enough for this number of bootstraps. In the limit: enough "
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
