"""Controls that ask a question: which statistic, through which mechanism, at what cost.

Public settings are in the URL; the column is not, and nothing that came with the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.data.columns import ColumnKind
from dpcore.errors import ParameterError
from dpcore.figures.wording import epsilon_text, percent
from dpcore.mechanisms.catalog import CATALOG, Entry
from dpcore.privacy.interpretation import best_guess
from dpcore.relations import NeighboringRelation
from dpcore.releases.request import Request
from dpcore.statistics.bins import equal_edges
from dpcore.statistics.kinds import StatisticKind, allowed
from dpcore.statistics.membership import Membership
from dpcore.statistics.query import Query
from ui import columns, session
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.data.columns import Column
    from dpcore.data.dataset import Dataset
    from ui.study import Study

_LAST = "_last_statistic"
EPSILON_HELP = (
    "How much one person can change the odds of any answer. At 0.1 hardly, at 1 an "
    "attacker who was 50 % sure becomes at most 73 % sure, at 5 up to 99 %."
)
DELTA_HELP = (
    "The chance that the guarantee fails for a person. Keep it far below one in the "
    "number of people; 0 for all Laplace mechanisms."
)


def ask(study: Study) -> Request:
    """Show the controls of a question and return it; explain in place what is missing.

    Where the question cannot be asked yet, the page stops below the explanation.
    """
    first, second, third, fourth = st.columns(4)
    with first:
        position = columns.choose(study.dataset)
    column = study.dataset.columns[position]
    kinds = allowed(column.kind)
    changed = _settle_statistic(column.kind)
    kind = second.selectbox("Statistic", kinds, key="statistic", bind="query-params")
    session.set_public(_LAST, (column.kind, kind))
    key = third.selectbox(
        "Mechanism",
        list(CATALOG),
        format_func=lambda name: CATALOG[name].label,
        key="mechanism",
        bind="query-params",
        help="\n\n".join(f"**{e.label}**: {e.sentence}" for e in CATALOG.values()),
    )
    entry = CATALOG[key]
    epsilon = fourth.number_input(
        "ε for this release",
        min_value=1e-9,
        max_value=700.0,
        value=0.5,
        step=0.1,
        format="%g",
        key="epsilon",
        bind="query-params",
        help=EPSILON_HELP,
    )
    if changed:
        st.caption(f"This column has no {changed}; the question is now its {kind}.")
    place = st.container()
    try:
        dataset = _declare(study.dataset, position)
        if dataset is None:
            st.stop()
        column = dataset.columns[position]
        with place:
            details = _details(column, kind, study, entry)
        query = Query(
            kind=kind,
            column=column,
            relation=study.terms.relation,
            unit=study.terms.unit,
            size=study.size(column),
            membership=details.membership,
            edges=_edges(column, kind, details.bins),
        )
        request = Request(
            query=query, mechanism_key=key, epsilon=epsilon, delta=details.delta
        )
        _ = request.mechanism
    except ParameterError as error:
        st.info(literal(str(error)), icon="✏️")
        st.stop()
    return request


def _declare(dataset: Dataset, position: int) -> Dataset | None:
    """Show the form of the column, folded away once it is declared.

    It is drawn only while it is open: a control must answer quickly.
    """
    form = st.expander(
        "Bounds and missing values",
        expanded=not dataset.columns[position].is_declared,
        key=f"bounds-{session.generation()}-{position}",
        on_change="rerun",
    )
    if not form.open:
        return dataset
    with form:
        return columns.declare(dataset, position, session.redeclare)


def _settle_statistic(column: ColumnKind) -> StatisticKind | None:
    """Choose a statistic that the column has; return the one it does not have.

    Back at a column of another kind, the statistic asked of that kind comes back.
    """
    chosen, last = session.public("statistic"), session.public(_LAST)
    kinds = allowed(column)
    if isinstance(last, tuple) and last[0] is not column:
        session.set_public(f"{_LAST}-{last[0]}", last[1])
        before = session.public(f"{_LAST}-{column}")
        if before in kinds:
            session.set_public("statistic", before)
            return None
    if chosen is None or chosen in kinds:
        return None
    session.set_public("statistic", kinds[0])
    return StatisticKind(str(chosen))


def odds(epsilon: float) -> str:
    """Return a privacy parameter in plain words."""
    guess = percent(float(best_guess(epsilon)))
    return (
        f"ε {epsilon_text(epsilon)}: an attacker who was 50 % sure about a person "
        f"becomes at most {guess} sure"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Details:
    membership: Membership | None
    bins: int | None
    delta: float


def _details(
    column: Column, kind: StatisticKind, study: Study, entry: Entry
) -> _Details:
    """Show the controls that only some questions have."""
    binned = kind is StatisticKind.HISTOGRAM and column.kind is ColumnKind.NUMBER
    if not (kind.of_members or binned or entry.needs_delta):
        return _Details(membership=None, bins=None, delta=0.0)
    cells = iter(st.columns(4))
    membership = bins = None
    if kind.of_members:
        membership = _membership(column, kind, study, next(cells), next(cells))
    elif binned:
        bins = next(cells).number_input(
            "Bins of equal width", 2, 50, 10, key="bins", bind="query-params"
        )
    delta = 0.0
    if entry.needs_delta:
        delta = next(cells).number_input(
            "δ for this release",
            min_value=1e-15,
            max_value=0.1,
            value=1e-6,
            format="%g",
            key="delta",
            bind="query-params",
            help=DELTA_HELP,
        )
    return _Details(membership=membership, bins=bins, delta=delta)


def _membership(
    column: Column,
    kind: StatisticKind,
    study: Study,
    first: st.delta_generator.DeltaGenerator,
    second: st.delta_generator.DeltaGenerator,
) -> Membership:
    position = study.dataset.columns.index(column)
    key = f"{session.generation()}-{position}"
    everyone = (
        kind is StatisticKind.COUNT
        and study.terms.relation is NeighboringRelation.ADD_REMOVE
    )
    if column.kind is not ColumnKind.NUMBER:
        options: list[str | None] = [*column.labels[::-1]]
        if everyone:
            options.insert(0, None)
        if not options:
            message = "declare the public list of categories first, below."
            raise ParameterError(message)
        everybody = "everybody"
        while everybody in column.labels:
            everybody += " at all"
        label = first.selectbox(
            "Who counts",
            options,
            format_func=lambda name: everybody if name is None else name,
            key=f"member-{key}-{hash(column.labels)}",
            persist_state="session",
        )
        return Membership(label=label)
    if column.bounds is None:
        message = "declare public bounds of the column first, below."
        raise ParameterError(message)
    bounds = column.bounds
    lower = first.number_input(
        "Counts from",
        value=bounds.lower + (bounds.upper - bounds.lower) / 2,
        format="%g",
        key=f"from-{key}-{bounds.lower}-{bounds.upper}",
        persist_state="session",
    )
    upper = second.number_input(
        "Counts up to",
        value=bounds.upper,
        format="%g",
        key=f"to-{key}-{bounds.lower}-{bounds.upper}",
        persist_state="session",
    )
    return Membership(interval=Interval(lower=lower, upper=upper))


def _edges(
    column: Column, kind: StatisticKind, bins: int | None
) -> tuple[float, ...] | None:
    if kind is not StatisticKind.HISTOGRAM or column.kind is not ColumnKind.NUMBER:
        return None
    if column.bounds is None or bins is None:
        message = "declare public bounds first: the bins lie between them."
        raise ParameterError(message)
    return equal_edges(column.bounds, bins)
