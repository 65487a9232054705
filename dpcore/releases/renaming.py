"""Stored answers in the words of today: the rows of a table can be renamed.

A record keeps the words of its day. Which question it answers does not change with
them, so the same question says what its numbers are called now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from dpcore.analyses.base import Releasable
from dpcore.analyses.reading import is_model, model_request_from, request_from
from dpcore.codec import object_in
from dpcore.data.partitions.table import Table
from dpcore.errors import DPCoreError
from dpcore.relations import PrivacyUnit
from dpcore.releases.record import Release
from dpcore.statistics.parameters import UNIT

T = TypeVar("T")


def request_of(release: Release, dataset: Table, called: PrivacyUnit) -> Releasable:
    """Return the question of a record, about rows with the name that ``called`` has.

    Raises:
        DataError: It is no question about columns of this table.

    """
    read = model_request_from if is_model(release.request) else request_from
    return read(release.request, dataset, draw=release.draw, called=called)


def renamed(release: Release, dataset: Table, called: PrivacyUnit) -> Release:
    """Return a record with its title, units and names of counts as of now.

    A record that has the name of now, or whose question is none about columns of this
    table, is returned as it is.
    """
    try:
        then = _name_then(release)
        if then.nouns == called.nouns:
            return release
        before = request_of(release, dataset, then)
        now = request_of(release, dataset, called)
    except (DPCoreError, LookupError, TypeError):
        return release
    names = dict(zip(before.units, now.units, strict=True))
    changed = {
        old: now.units[new] for old, new in names.items() if before.units[old] != now.units[new]
    }
    units = {name: changed.get(name, unit) for name, unit in release.units.items()}
    around = release.intervals
    if around is not None:
        around = replace(
            around,
            noise=around.noise and _renamed(around.noise, names),
            total=around.total and _renamed(around.total, names),
        )
    return replace(
        release,
        title=now.title,
        statement=release.statement and now.statement,
        unit=release.unit if before.unit_text == now.unit_text else now.unit_text,
        units=_renamed(units, names),
        derived=_renamed(release.derived, names),
        unsaid=tuple(names.get(name, name) for name in release.unsaid),
        intervals=around,
        nouns=called.nouns,
    )


def _name_then(release: Release) -> PrivacyUnit:
    """Return the unit of a record with the name that its rows had."""
    asked = object_in(release.request.get("query", release.request.get("question")))
    unit = UNIT.read(asked["unit"])
    return replace(unit, noun=unit.key, plural=release.nouns)


def _renamed(numbers: Mapping[str, T], names: Mapping[str, str]) -> dict[str, T]:
    return {names.get(name, name): value for name, value in numbers.items()}
