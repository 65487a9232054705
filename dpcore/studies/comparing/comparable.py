"""Questions whose answers by several mechanisms can be compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeGuard

from dpcore.statistics.crossed_query import CrossedQuery
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.joint_query import JointQuery
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query
from dpcore.statistics.question import Question

Comparable = Query | GroupedQuery | JointQuery | CrossedQuery
"""Questions that noise on a number can answer: not ranks, not a whole matrix."""
_FEWEST: Final = 3


def comparable(query: Question) -> TypeGuard[Comparable]:
    """Tell whether noise on each number of the answer can answer the question."""
    of_sums = isinstance(query, GroupedQuery) and query.moments is not None
    noisy = not (query.kind.of_places or query.kind.of_matrix or of_sums)
    return noisy and isinstance(query, Comparable)


def each_number(query: Comparable) -> str:
    """Return what one of several numbers of the answer is; empty if there is one.

    All have noise of their own of the same law, so that comparing one compares all.
    """
    if isinstance(query, GroupedQuery):
        return f"{query.kind} of one group"
    if not query.kind.of_cells:
        return ""
    if isinstance(query, CrossedQuery):
        return "count of one cell"
    noun = "count" if query.kind is StatisticKind.HISTOGRAM else "share"
    cell = "bin" if query.column.kind.is_numeric else "category"
    return f"{noun} of one {cell}"


def with_people(query: Comparable, people: int) -> Comparable:
    """Return ``query`` for another number of people (of a group, if by group).

    Groups that are pooled keep their proportions.

    Raises:
        ParameterError: If there are too few, see ``fewest_people``.

    """
    size = replace(query.size, people=people)
    if isinstance(query, CrossedQuery):
        return query.with_size(size)
    if isinstance(query, GroupedQuery):
        return replace(query, part=replace(query.part, size=size))
    if isinstance(query, JointQuery) and query.groups is not None:
        return replace(query, size=size, groups=query.groups.resized(people))
    return replace(query, size=size)


def fewest_people(query: Comparable) -> int:
    """Return the fewest people that every statistic of this kind is defined for."""
    if isinstance(query, JointQuery) and query.groups is not None:
        return max(_FEWEST, query.groups.fewest_people)
    return _FEWEST
