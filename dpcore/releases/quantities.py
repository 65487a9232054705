"""What the numbers of a release are numbers of, by what its record says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcore.data.columns import ColumnKind
from dpcore.data.quantities import Quantity
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind


def quantity_in(release: Release, label: str) -> Quantity:
    """Return what a number of a release is a number of.

    Counts are whole, and so are quantiles of whole numbers. They are stored as they
    were drawn, and rounded where they are written, which is post-processing.
    """
    asked = _asked(release)
    kind = StatisticKind(asked["kind"]) if asked.get("kind") in _KINDS else None
    column = asked.get("column")
    of_whole = isinstance(column, dict) and column.get("kind") == ColumnKind.WHOLE
    own = label in release.labels or label in release.units
    whole = kind is not None and own and (kind.of_counts or (kind.of_places and of_whole))
    return Quantity(unit=release.unit_of(label), whole=whole or is_group_size(release, label))


def is_group_size(release: Release, label: str) -> bool:
    """Return whether it is how many people a group has of which more was asked.

    It is called after what is counted: such as "people in north".
    """
    asked, counted = _asked(release), release.unit_of(label)
    of_groups = bool({"moments", "pair"} & asked.keys()) or (
        asked.get("kind") == StatisticKind.MEANS
    )
    follows = label in release.derived and of_groups
    return follows and bool(counted) and f"{counted} in " in label


def _asked(release: Release) -> Mapping[str, Any]:
    asked = release.request.get("query")
    return asked if isinstance(asked, dict) else {}


_KINDS = frozenset(StatisticKind)
