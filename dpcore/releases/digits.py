"""Released numbers with no more digits than is known of them: one rule everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dpcore.data.columns import ColumnKind
from dpcore.data.quantities import Quantity
from dpcore.mechanisms.catalog import EXPONENTIAL
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind

COUNTS: Final = "counts"

PLACES: Final = "places in the sorted table"
_WITHOUT: Final = 4
"""Digits of a number of which nobody can say how far off it is."""
_RANKED: Final = 3
"""Digits of a number that is off by places, and by how much is not public."""
_NUMBER: Final = Quantity()
_COUNT: Final = Quantity(whole=True)


def of_noise(release: Release) -> str:
    """Return what the scale of the noise is a number of; of ranks, of places."""
    if release.mechanism == EXPONENTIAL.key:
        return PLACES
    return noise_unit(release)


def number_text(release: Release, label: str, value: float) -> str:
    """Return a number of a release as its interval, or its noise, leaves it.

    An interval from the noise comes before one with sampling, and both before the scale
    of the noise. Whole numbers below a million keep their digits where none is known.
    """
    quantity = quantity_in(release, label)
    around = release.intervals
    noise = None if around is None else (around.noise or {}).get(label)
    total = None if around is None else (around.total or {}).get(label)
    known = noise or total
    if known:
        return quantity.measured(value, reach(known, value))
    if release.mechanism == EXPONENTIAL.key:
        return quantity.about(value, _RANKED)
    if label in release.labels and of_noise(release) == quantity.of_differences:
        return quantity.measured(value, release.noise)
    return quantity.about(value, _WITHOUT)


def interval_text(release: Release, label: str, value: float) -> tuple[str, str] | None:
    """Return the ends of the interval from the noise; ``None`` where it is not known.

    With as many digits as ``number_text`` writes.
    """
    around = release.intervals
    ends = None if around is None else (around.noise or {}).get(label)
    return None if ends is None else ends_text(ends, value, quantity_in(release, label))


def reach(ends: tuple[float, float], value: float) -> float:
    """Return how far off a number may be, which says how many digits it has.

    The farther end, and at least half of the interval: one that was cut off at a bound
    is short, though the noise is as large as beside it.

    >>> reach((0.0, 19.5), -11.75), reach((4.0, 6.0), 5.0)
    (31.25, 1.0)
    """
    low, high = ends
    return max((high - low) / 2, high - value, value - low)


def with_ends(
    value: float, ends: tuple[float, float], quantity: Quantity = _NUMBER
) -> tuple[str, str, str]:
    """Return a number and the ends of its interval, with as many digits as it has.

    >>> with_ends(54.21, (52.9, 55.5)), with_ends(-86.2, (0.0, 44.1))
    (('54.2', '52.9', '55.5'), ('−90', '0', '50'))
    """
    shown = quantity.measured(value, reach(ends, value))
    return (shown, *ends_text(ends, value, quantity))


def ends_text(
    ends: tuple[float, float], value: float, quantity: Quantity = _NUMBER
) -> tuple[str, str]:
    """Return the ends of the interval of a number, with as many digits as it has.

    >>> ends_text((0.0, 19.5), -11.75)
    ('0', '20')
    """
    return quantity.ends(*ends, reach(ends, value))


def sizes_text(release: Release, counts: Mapping[str, str]) -> str:
    """Return how many people groups have, each by its own interval, in words.

    ``counts`` gives for each group what its number of people is called in the release.
    """
    around = release.intervals
    noise = {} if around is None else around.noise or {}
    return ", ".join(
        f"“{group}” {' to '.join(_COUNT.ends(low, high, (high - low) / 2))}"
        for group, name in counts.items()
        if name in noise
        for low, high in [noise[name]]
    )


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


def noise_unit(release: Release) -> str:
    """Return what the scale of the noise is a number of, which may be no unit's.

    Counts and sums of groups, and what several quantiles follow from, are drawn as
    counts, coefficients on the scale of their model, a median by places in the sorted
    table; everything else in the unit of the answer.
    """
    query = release.request.get("query")
    if release.request.get("kind") == "model":
        return "scale of the model"
    if isinstance(query, dict) and (
        {"moments", "qs", "pair"} & query.keys() or query.get("kind") == StatisticKind.MEANS
    ):
        return COUNTS
    if release.mechanism == EXPONENTIAL.key:
        return "ranks"
    return Quantity(unit=release.unit).of_differences
