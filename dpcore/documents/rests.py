"""On what the answers of a plan rest beside the noise, question by question. PUBLIC.

No ± covers any of it: a minimum that is divided by, values that stand in for missing
ones, and who is left out of a comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.differences import DifferenceQuery
from dpcore.data.columns import Column
from dpcore.documents import missing
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.relations import TableSize
from dpcore.releases.declared import minimum_of


class Compared(NamedTuple):
    """A difference of two groups: its number, both labels, and those in neither."""

    place: int
    column: Column
    pair: tuple[str, str]
    others: tuple[str, ...]


def minimums(items: Sequence[PlannedQuery], size: TableSize) -> dict[int, tuple[int, ...]]:
    """Return every public minimum that is divided by, with the numbers of questions.

    Not the one that stands in for a private number of people anyway.
    """
    found: dict[int, list[int]] = {}
    for place, item in enumerate(items, 1):
        least = minimum_of(item.request.parameters())
        if least is not None and (size.public or least != size.people):
            found.setdefault(least, []).append(place)
    return {least: tuple(places) for least, places in found.items()}


def filled(items: Sequence[PlannedQuery]) -> tuple[Column, ...]:
    """Return the columns where somebody without a value counts as a public one."""
    asked = [item.request.asked for item in items]
    columns = dict.fromkeys(column for one in asked for column in one.columns)
    return missing.counted_as(columns, missing.of_columns(asked))


def compared(items: Sequence[PlannedQuery]) -> tuple[Compared, ...]:
    """Return the differences of two groups, with the groups that they leave out."""
    found = []
    for place, item in enumerate(items, 1):
        asked = item.request.asked
        if isinstance(asked, DifferenceQuery):
            others = tuple(x for x in asked.group.labels if x not in asked.pair)
            found.append(Compared(place, asked.group, asked.pair, others))
    return tuple(found)


def assumed_groups(items: Sequence[PlannedQuery]) -> dict[int, tuple[int, ...]]:
    """Return every size that was assumed of groups, with the numbers of questions."""
    found: dict[int, tuple[int, ...]] = {}
    for place, item in enumerate(items, 1):
        if item.width.assumed:
            found[item.group] = (*found.get(item.group, ()), place)
    return found


def crossed(items: Sequence[PlannedQuery]) -> tuple[int, ...]:
    """Return the numbers of the questions whose sums are less exact than their ±."""
    return tuple(
        place for place, item in enumerate(items, 1) if isinstance(item.request.asked, CrossedQuery)
    )


def treated(items: Sequence[PlannedQuery]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return what is done with people without a value, by column and question.

    Each treatment comes with the numbers of the questions that do it; with none where
    all of a column do the same.
    """
    found: dict[str, dict[str, list[int]]] = {}
    for place, item in enumerate(items, 1):
        for column, told in missing.of_question(item.request.asked):
            found.setdefault(column.name, {}).setdefault(told, []).append(place)
    return {
        name: {text: tuple(at) if len(told) > 1 else () for text, at in told.items()}
        for name, told in found.items()
    }
