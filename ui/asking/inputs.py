"""Controls that ask a question: which statistic, through which mechanism, at what cost.

Public settings are in the URL; the column is not, and nothing that came with the data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.analyses.base import Question
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.differences import DifferenceQuery
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.means import MeansQuery
from dpcore.analyses.number import Query
from dpcore.analyses.request import Request, offered
from dpcore.analyses.shares import Constraint
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import Table
from dpcore.errors import ParameterError
from dpcore.mechanisms.catalog import Entry
from dpcore.relations import TableSize
from dpcore.statistics.kinds import MEANINGS, StatisticKind, allowed
from dpcore.statistics.pooled import GroupSizes
from dpcore.statistics.user_level import ASKED_OF_PEOPLE
from ui import controls, partwise, session
from ui.asking import columns, details, methods
from ui.asking.details import Details
from ui.study import Study

_LAST = "_last_statistic"
_ASKED = "_asked_column"
_EPSILON = "epsilon"
_USUAL_EPSILON = 0.5
_FEWEST_IN_PUBLIC_GROUP = 2


def ask(study: Study) -> Request:
    """Show the controls of a question and return it; explain in place what is missing.

    Where the question cannot be asked yet, the page stops below the explanation.
    """
    first, second, third, fourth = controls.row(4)
    with first.place:
        position = columns.choose(study.dataset)
    anew = _begin_anew(position)
    column = study.dataset.columns[position]
    kinds = _offered(column.kind, study.dataset.cap)
    changed = _settle_statistic(column.kind, kinds)
    kind = second.selectbox(
        "Statistic", kinds, key="statistic", kept="table", note=_explained(kinds, study.dataset.cap)
    )
    session.set_public(_last(), (column.kind, kind))
    key = methods.mechanism(third, kind)
    epsilon = fourth.charged_epsilon(
        "ε for this release", _USUAL_EPSILON, (1e-9, 700.0, 0.1), key=_EPSILON, kept="table"
    )
    if anew:
        st.caption(f"For another column ε starts at {_USUAL_EPSILON:g} again.")
    if changed:
        st.caption(f"This column has no {changed}; the question is now its {kind}.")
    place = st.container()
    with controls.valid():
        dataset = columns.folded(study.dataset, position, "bounds")
        if dataset is None:
            session.end_page()
        column = dataset.columns[position]
        study = replace(study, dataset=dataset)
        with place:
            asked = details.ask(column, kind, study)
            query = _question(column, kind, asked, study)
            request = Request(
                query=query,
                mechanism_key=key,
                epsilon=epsilon.inside,
                delta=_delta(offered(kind)[key]),
                constraint=_constraint(query, key),
                weights=methods.weights(query) if kind.of_matrix else None,
            )
        _ = request.plan
    return request


def _question(column: Column, kind: StatisticKind, asked: Details, study: Study) -> Question:
    """Return the question that the controls describe.

    Raises:
        ParameterError: Something is missing, or does not go together.

    """
    if kind is StatisticKind.CROSS_TABLE:
        return _crossed(column, asked, study)
    if kind is StatisticKind.DIFFERENCE:
        return _difference(column, asked, study)
    if kind is StatisticKind.MEANS:
        return _means(column, asked, study)
    if kind.of_several:
        return _joint(column, kind, asked, study)
    size = study.size(column)
    if asked.group is not None:
        size = ANY_SIZE
    query = Query(
        kind=kind,
        column=column,
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=size,
        membership=asked.membership,
        edges=asked.edges,
        q=asked.q,
        qs=asked.qs,
    )
    if asked.group is not None:
        return GroupedQuery(part=query, group=asked.group)
    return query


def _joint(column: Column, kind: StatisticKind, asked: Details, study: Study) -> JointQuery:
    # In the order of the table: either column first is the same question.
    numbers = sorted((column, *asked.others), key=study.dataset.columns.index)
    size = study.size(*numbers)
    return JointQuery(
        kind=kind,
        numbers=tuple(numbers),
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=size,
        group=asked.group,
        groups=_groups(asked, size, study),
    )


def _difference(column: Column, asked: Details, study: Study) -> DifferenceQuery:
    part = Query(
        kind=StatisticKind.MEAN,
        column=column,
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=ANY_SIZE,
    )
    # The controls of such a question always name both.
    group, pair = cast("Column", asked.group), cast("tuple[str, str]", asked.pair)
    return DifferenceQuery(part=part, group=group, pair=pair)


def _means(column: Column, asked: Details, study: Study) -> MeansQuery:
    # In the order of the table: whichever column is first, it is the same question.
    numbers = sorted((column, *asked.others), key=study.dataset.columns.index)
    return MeansQuery(
        numbers=tuple(numbers),
        group=cast("Column", asked.group),
        relation=study.terms.relation,
        unit=study.terms.unit,
    )


def _crossed(column: Column, asked: Details, study: Study) -> CrossedQuery:
    # In the order of the table: either column first is the same question.
    both = sorted((column, *asked.others), key=study.dataset.columns.index)
    size = study.size(*both)
    first, second = (
        Query(
            kind=StatisticKind.HISTOGRAM,
            column=each,
            relation=study.terms.relation,
            unit=study.terms.unit,
            size=size,
            edges=asked.edges if each is column else None,
        )
        for each in both
    )
    return CrossedQuery(first=first, second=second)


def _groups(asked: Details, size: TableSize, study: Study) -> GroupSizes | None:
    """Return what is public about the groups, people of no listed label last."""
    if asked.group is None:
        return None
    cells = len(asked.group.labels) + 1
    if not asked.labels_public:
        sizes = (size.people, *(0,) * (cells - 1))
        return GroupSizes(sizes=sizes, labels_public=False)
    # Declared public by the curator, with everybody's group.
    sizes = _sizes(asked.group, cells, study)
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

    if study.parts is None:
        return counted(study.dataset)
    found = partwise.found(
        "group-sizes",
        f"{study.fingerprint} {group}",
        study.parts,
        counted,
        doing=f"Counting the {session.unit().counted} of each group",
    )
    if found is None:
        session.end_page()
    return found


def _in_cells(name: str, cells: int, part: Dataset) -> NDArray[np.intp]:
    codes = part.codes(name)
    return np.bincount(np.where(codes < 0, cells - 1, codes), minlength=cells)


def _constraint(query: Question, key: str) -> Constraint | None:
    if query.kind is not StatisticKind.PROPORTIONS:
        return None
    return methods.constraint(key, query.statistic.labels)


def _delta(entry: Entry) -> float:
    if not entry.needs_delta:
        return 0.0
    return controls.row(4)[0].charged_delta(key="delta", kept="table").inside


def _begin_anew(position: int) -> bool:
    """Let ε start at the usual one where another column of the table is asked about.

    Returns whether that is another one than was typed.
    """
    asked = (session.generation(), position)
    before = cast("tuple[int, int] | None", session.public(_ASKED))
    session.set_public(_ASKED, asked)
    if before is None or before == asked or before[0] != asked[0]:
        return False
    typed = session.public(_EPSILON)
    session.set_public(_EPSILON, _USUAL_EPSILON)
    return typed not in (None, _USUAL_EPSILON)


def _offered(column: ColumnKind, cap: int | None) -> tuple[StatisticKind, ...]:
    """Return what can be asked, fewer where several rows of a person count."""
    kinds = allowed(column)
    if cap is None:
        return kinds
    return tuple(kind for kind in kinds if kind in ASKED_OF_PEOPLE)


def _settle_statistic(column: ColumnKind, kinds: tuple[StatisticKind, ...]) -> StatisticKind | None:
    """Choose a statistic that the column has; return the one it does not have.

    Back at a column of another kind, the statistic asked of that kind comes back.
    """
    chosen, last = session.public("statistic"), session.public(_last())
    if isinstance(last, tuple) and last[0] is not column:
        session.set_public(f"{_last()}-{last[0]}", last[1])
        before = session.public(f"{_last()}-{column}")
        if before in kinds:
            session.set_public("statistic", before)
            return None
    if chosen is None or chosen in kinds:
        return None
    session.set_public("statistic", kinds[0])
    return StatisticKind(str(chosen))


def _last() -> str:
    return f"{_LAST}-{session.generation()}"


def _explained(kinds: Iterable[StatisticKind], cap: int | None) -> str:
    """Return the meanings of those statistics, as a list, and why no more are there."""
    lines = [f"- **{kind}**: {MEANINGS[kind]}" for kind in kinds if kind in MEANINGS]
    if cap is not None:
        one = session.unit().noun
        lines += [
            "",
            f"Spreads, quantiles and relations of columns need one row per {one}.",
            f"Make one of each on “Data”: here several rows of one {one} count.",
        ]
    return "\n".join(lines)
