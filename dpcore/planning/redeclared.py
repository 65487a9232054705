"""A planned question as its table is declared now.

Bounds are set anew, people join, the next quarter brings another table: a question that
was planned before is still about what was declared then. It is never changed silently.
What differs is told, and the same question, asked of what is declared now, is offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

from dpcore.analyses.base import Releasable
from dpcore.analyses.groups import OfGroups
from dpcore.analyses.number import Query
from dpcore.data.columns import Column, MissingPolicy
from dpcore.data.quantities import bounds_text, replacement_text
from dpcore.errors import DPCoreError, ParameterError
from dpcore.models.question import ModelQuestion
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.bins import edges_for
from dpcore.statistics.pooled import GroupSizes

_PUBLIC_NUMBERS = {"people", "most_people"}
"""Fields of questions that hold the public number of people, where there is one."""
_PUBLIC_GROUPS = (
    "it uses public group sizes, which depend on the table in use: ask it again on “Release”, "
    "and add it to the plan there"
)
_OTHERWISE = "it would be asked in other words"


@dataclass(frozen=True, kw_only=True)
class Declared:
    """How a table is declared now. PUBLIC.

    Attributes:
        column: Returns the column of a name as it is declared; refuses unknown names.
        relation: Which tables are neighbors.
        unit: The privacy unit.
        size: Returns what is public about the number of people behind columns.

    """

    column: Callable[[str], Column]
    relation: NeighboringRelation
    unit: PrivacyUnit
    size: Callable[..., TableSize]


@dataclass(frozen=True, kw_only=True)
class RedeclaredQuery:
    """A planned question that what is declared now would make another one.

    Attributes:
        item: The question as it was planned.
        now: The same question as the table is declared now; ``None`` where it cannot be
            asked so.
        told: What differs, in words; why it cannot be asked where there is no ``now``.

    """

    item: PlannedQuery
    now: PlannedQuery | None
    told: tuple[str, ...]


def changes(items: Iterable[PlannedQuery], now: Declared) -> tuple[RedeclaredQuery, ...]:
    """Return those questions that would be others as the table is declared now."""
    found = (_changed(item, now) for item in items)
    return tuple(one for one in found if one is not None)


def adopted(basket: AnalysisPlan, changed: Iterable[RedeclaredQuery]) -> AnalysisPlan:
    """Return the plan with questions as the table is declared now.

    Those that cannot be asked so stay as they are; of two that become one question, the
    first stays.
    """
    anew = {one.item.key: one.now for one in changed if one.now is not None}
    kept: dict[str, PlannedQuery] = {}
    for item in basket.items:
        new = anew.get(item.key, item)
        kept.setdefault(new.key, new)
    return replace(basket, items=tuple(kept.values()))


def redeclared(request: Releasable, now: Declared) -> Releasable:
    """Return the same question, asked of the table as it is declared now.

    Columns, relation, unit and the public number of people become those of now; bins of
    equal width between the bounds become those between the bounds of now.

    Raises:
        ParameterError: It cannot be asked of the table as declared.

    """
    asked = request.asked
    columns = tuple(now.column(column.name) for column in asked.columns)
    # The parts of a question about groups have a private size, whatever is public.
    size = None if isinstance(asked, OfGroups) else now.size(*columns)
    found = _Reader(now=now, size=size).read(request)
    return cast("Releasable", found)


@dataclass(frozen=True, kw_only=True)
class _Reader:
    """Puts what is declared now in the place of what was, through a whole question."""

    now: Declared
    size: TableSize | None

    def read(self, value: object) -> object:
        """Return a part of a question as of now."""
        match value:
            case Column():
                found: object = self.now.column(value.name)
            case NeighboringRelation():
                found = self.now.relation
            case PrivacyUnit():
                found = self.now.unit
            case TableSize():
                found = value if self.size is None else self.size
            case GroupSizes():
                found = self._sizes(value)
            case tuple():
                found = tuple(map(self.read, value))
            case _:
                found = self._parts(value) if is_dataclass(value) else value
        return found

    def _parts(self, value: object) -> object:
        asked = cast("Any", value)
        old = {field.name: getattr(asked, field.name) for field in fields(asked)}
        new = {name: self.read(part) for name, part in old.items()}
        if isinstance(value, Query):
            new["edges"] = _edges(value, cast("Column", new["column"]))
        if isinstance(value, ModelQuestion):
            new["covers_excess"] = True
        if self.size is not None and self.size.public:
            named = {name for name in _PUBLIC_NUMBERS & set(old) if old[name]}
            new |= dict.fromkeys(named, self.size.people)
        changed = {name: part for name, part in new.items() if part != old[name]}
        return replace(asked, **changed) if changed else value

    def _sizes(self, groups: GroupSizes) -> GroupSizes:
        if groups.labels_public or self.size is None:
            raise ParameterError(_PUBLIC_GROUPS)
        return GroupSizes(sizes=(self.size.people, *groups.sizes[1:]), labels_public=False)


def _edges(before: Query, column: Column) -> tuple[float, ...] | None:
    """Return the edges of the bins: those that were not typed follow the bounds."""
    if before.edges is None:
        return None
    return edges_for(before.edges, before.column, column)


def _changed(item: PlannedQuery, now: Declared) -> RedeclaredQuery | None:
    try:
        request = redeclared(item.request, now)
        if request is item.request or request.parameters() == item.request.parameters():
            return None
        # A name that was not typed is the title, which may hold what has changed.
        name = item.own_name or PlannedQuery.of(request).name
        anew = replace(item, request=request, name=name)
    except DPCoreError as error:
        return RedeclaredQuery(item=item, now=None, told=(str(error).rstrip("."),))
    told = tuple(_differences(item.request, request)) or (_OTHERWISE,)
    return RedeclaredQuery(item=item, now=anew, told=told)


def _differences(before: Releasable, after: Releasable) -> Iterator[str]:
    """Yield in words in what two questions about the same columns differ."""
    for old, new in zip(before.asked.columns, after.asked.columns, strict=True):
        yield from _of_column(old, new)
    if before.relation is not after.relation:
        yield (
            f"the neighboring relation was {before.unit.change(before.relation)}, now "
            f"{after.unit.change(after.relation)}"
        )
    if before.unit.called(after.unit) != after.unit:
        yield (
            f"a {before.unit.noun} owned {before.unit.owned}, now a {after.unit.noun} "
            f"owns {after.unit.owned}"
        )
    sizes = (getattr(one.asked, "size", None) for one in (before, after))
    units = (before.unit, after.unit)
    old_size, new_size = map(_sized, sizes, (unit.counted for unit in units))
    if old_size != new_size:
        yield f"it was asked of {old_size}, now of {new_size}"
    old_covers, new_covers = (getattr(one.asked, "covers_excess", True) for one in (before, after))
    if old_covers is not new_covers:
        yield (
            "its price now covers a table with more rows than the public maximum, at "
            "the cost of two moves of a row instead of one"
        )
    old_most, new_most = (getattr(one.asked, "most_people", None) for one in (before, after))
    if old_most != new_most:
        yield (f"it was asked of at most {old_most:,} {after.unit.counted}, now of {new_most:,}")


def _sized(size: TableSize | None, counted: str) -> str:
    if size is None:
        return f"any number of {counted}"
    return f"{'' if size.public else 'at least '}{size.people:,} {counted}"


def _of_column(old: Column, new: Column) -> Iterator[str]:
    name = new.name
    if old.kind is not new.kind:
        yield f"{name} was a {old.kind} column, now it is a {new.kind} column"
        return
    if old.bounds != new.bounds:
        yield f"bounds of {name}: {_bounded(old)}, now {_bounded(new)}"
    if old.labels != new.labels:
        yield f"answers of {name}: {_labelled(old, new)}"
    if (old.missing, old.replacement) != (new.missing, new.replacement):
        yield f"missing {name} {_filled(old)}, now {_filled(new)}"


def _bounded(column: Column) -> str:
    return bounds_text(column) or "none"


def _labelled(old: Column, new: Column) -> str:
    gone = [f"without “{label}”" for label in old.labels if label not in new.labels]
    came = [f"with “{label}”" for label in new.labels if label not in old.labels]
    return f"now {', '.join([*gone, *came]) or 'in another order'}"


def _filled(column: Column) -> str:
    if column.missing is MissingPolicy.DROP:
        return "is left out"
    shown = replacement_text(column)
    named = isinstance(column.replacement, str)
    return f"counts as {f'“{shown}”' if named else shown}"
