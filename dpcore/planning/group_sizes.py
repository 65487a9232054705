"""Head counts that come with other answers, and that need not be paid for again.

A mean of each group is a sum divided by a number of people: both are released, so that
the answer tells how many are in each group, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dpcore.analyses.base import Question
from dpcore.analyses.number import Query
from dpcore.data.columns import MissingPolicy
from dpcore.data.quantities import COUNTS, SUMS
from dpcore.models.question import ModelQuestion
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.targets import is_difference, size_condition
from dpcore.releases.digits import noise_unit_of
from dpcore.releases.record import Release
from dpcore.statistics.group_sums import count_names
from dpcore.statistics.grouping import enumerated
from dpcore.statistics.kinds import StatisticKind

Asked = Question | ModelQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Twice:
    """Head counts that a plan pays for twice. PUBLIC.

    Attributes:
        counts: The question that asks for them.
        beside: Another one, whose answer has them, too.

    """

    counts: PlannedQuery
    beside: PlannedQuery


def released_sizes(asked: Asked) -> str:
    """Return the name of the column whose groups are counted with an answer, if any."""
    return "" if isinstance(asked, ModelQuestion) else asked.released_sizes


def counted(asked: Asked) -> str:
    """Return the name of the column whose labels are counted; empty for the others."""
    if not isinstance(asked, Query) or asked.kind is not StatisticKind.HISTOGRAM:
        return ""
    return asked.column.name if asked.column.labels else ""


def paid_twice(items: Sequence[PlannedQuery]) -> tuple[Twice, ...]:
    """Return the head counts that other questions of a plan tell, too.

    Two groups that are compared are not all: what tells only those is no substitute.
    """
    beside = {
        released_sizes(item.request.asked): item
        for item in reversed(items)
        if not is_difference(item) and not _leaves_out(item.request.asked)
    }
    return tuple(
        Twice(counts=item, beside=beside[name])
        for item in items
        if (name := counted(item.request.asked)) and name in beside
    )


def _leaves_out(asked: Asked) -> bool:
    """Tell whether whoever lacks a value is in none of the head counts of an answer."""
    by = getattr(asked, "grouping", None)
    groups = by.columns if by else ()
    return any(one.missing is MissingPolicy.DROP for one in asked.columns if one not in groups)


def earlier_group_sizes(asked: Asked, releases: Iterable[Release]) -> Release | None:
    """Return the latest release that has told the head counts a question asks for."""
    name = counted(asked)
    found = None
    for release in releases if name else ():
        if name == _tells(release.request):
            found = release
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallestGroup:
    """The smallest of the groups whose sizes an answer has told. PUBLIC.

    Attributes:
        label: What the group is called.
        least: How many are in it at least, at the confidence of the answer.
        most: How many at most.
        day: When it was told, ISO 8601.

    """

    label: str
    least: int
    most: int
    day: str

    @property
    def text(self) -> str:
        """Return it as a sentence without its stop."""
        return (
            f"By the answer of {self.day} the smallest, {self.label}, has "
            f"{self.least:,} to {self.most:,}"
        )


def smallest_group(asked: Asked, releases: Iterable[Release]) -> SmallestGroup | None:
    """Return the smallest group of a question, as the latest answer told its size.

    Of the listed groups, or of the two that are compared. ``None`` where no answer has
    told it.
    """
    if isinstance(asked, ModelQuestion) or asked.grouping is None or not asked.listed_groups:
        return None
    names = count_names(asked.listed_groups, asked.unit.counted)
    found = None
    for release in releases:
        if _grouped_by(release.request) == asked.grouping.name:
            found = _smallest(release, names) or found
    return found


def too_few(item: PlannedQuery, told: Mapping[str, SmallestGroup]) -> int:
    """Tell whether a group is known to have too few for the ✓ of a question.

    2 if one has, 1 if one may have; 0 else. ``told`` has the smallest group of each
    question, by its key, where an answer has told its size.
    """
    on, known = size_condition(item), told.get(item.key)
    if on is None or on.fewest is None or known is None:
        return 0
    return (known.least < on.fewest) + (known.most < on.fewest)


def sign(item: PlannedQuery, told: Mapping[str, SmallestGroup], *, shown: bool | None) -> str:
    """Return whether a question shows what must be seen: ✓, (✓) for perhaps, or ✗.

    ``shown`` says so of the size that was assumed; empty where nothing must be seen.
    """
    if shown is None:
        return ""
    return ("✓ ", "(✓) ", "✗ ")[too_few(item, told)] if shown else "✗ "


def seen(items: Sequence[PlannedQuery], told: Mapping[str, SmallestGroup]) -> int:
    """Return of how many questions what must be seen is shown, or perhaps is."""
    return sum(bool(item.seen) and too_few(item, told) < 2 for item in items)  # noqa: PLR2004 - for sure


def _smallest(release: Release, names: Mapping[str, str]) -> SmallestGroup | None:
    """Return the smallest of some groups, if a release tells the sizes of all."""
    around = release.noise_ends
    if not set(names.values()) <= around.keys():
        return None
    told = (
        SmallestGroup(
            label=label,
            least=max(0, math.floor(around[name][0])),
            most=max(0, math.ceil(around[name][1])),
            day=release.created[:10],
        )
        for label, name in names.items()
    )
    return min(told, key=lambda one: one.least, default=None)


def _grouped_by(parameters: Mapping[str, object]) -> str:
    """Return the names of the columns that a stored question asks by; else empty."""
    query = parameters.get("query")
    group = query.get("group", []) if isinstance(query, dict) else []
    columns = group if isinstance(group, list) else [group]
    return enumerated(str(column["name"]) for column in columns) if columns else ""


def _tells(parameters: Mapping[str, object]) -> str:
    """Return the same as ``released_sizes`` of a stored question."""
    query = parameters.get("query")
    if not isinstance(query, dict):
        return ""
    tells = noise_unit_of(query) in {COUNTS, SUMS} and query["kind"] != StatisticKind.DIFFERENCE
    columns = [query.get("column"), *(query.get("columns") or ())]
    everybody = all(
        column.get("missing") != MissingPolicy.DROP
        for column in columns
        if isinstance(column, dict)
    )
    return _grouped_by(parameters) if tells and everybody else ""
