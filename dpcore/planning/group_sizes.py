"""Head counts that come with other answers, and that need not be paid for again.

A mean of each group is a sum divided by a number of people: both are released, so that
the answer tells how many are in each group, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.statistics.difference_query import DifferenceQuery
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.means_query import MeansQuery
from dpcore.statistics.query import Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dpcore.models.question import ModelQuestion
    from dpcore.planning.item import Item
    from dpcore.releases.record import Release
    from dpcore.statistics.question import Question

    Asked = Question | ModelQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Twice:
    """Head counts that a plan pays for twice. PUBLIC.

    Attributes:
        counts: The question that asks for them.
        beside: Another one, whose answer has them, too.

    """

    counts: Item
    beside: Item


def tells_sizes(asked: Asked) -> str:
    """Return the name of the column whose groups are counted with an answer.

    Empty where it tells no head counts, or is a question for them.

    Sums and counts of groups divide by nothing, and tell no sizes.
    """
    if isinstance(asked, GroupedQuery):
        return asked.group.name if asked.moments is not None else ""
    if isinstance(asked, MeansQuery | DifferenceQuery):
        return asked.group.name
    return ""


def counted(asked: Asked) -> str:
    """Return the name of the column whose labels are counted; empty for the others."""
    if not isinstance(asked, Query) or asked.kind is not StatisticKind.HISTOGRAM:
        return ""
    return asked.column.name if asked.column.labels else ""


def paid_twice(items: Sequence[Item]) -> tuple[Twice, ...]:
    """Return the head counts that other questions of a plan tell, too.

    Two groups that are compared are not all: what tells only those is no substitute.
    """
    beside = {
        tells_sizes(item.request.asked): item
        for item in reversed(items)
        if not isinstance(item.request.asked, DifferenceQuery)
    }
    return tuple(
        Twice(counts=item, beside=beside[name])
        for item in items
        if (name := counted(item.request.asked)) and name in beside
    )


def told_before(asked: Asked, releases: Iterable[Release]) -> Release | None:
    """Return the latest release that has told the head counts a question asks for."""
    name = counted(asked)
    found = None
    for release in releases if name else ():
        if name == _tells(release.request):
            found = release
    return found


def _tells(parameters: Mapping[str, object]) -> str:
    """Return the same as ``tells_sizes`` of a stored question."""
    query = parameters.get("query")
    group = query.get("group") if isinstance(query, dict) else None
    if not isinstance(query, dict) or not isinstance(group, dict):
        return ""
    tells = "moments" in query or query.get("kind") == StatisticKind.MEANS
    return str(group.get("name", "")) if tells else ""
