"""The interval of a released quantile: two further quantiles that enclose it.

A quantile is chosen by rank, so that its own error is a number of ranks, and how far
that is in the unit of the column is not public. Two further quantiles, released in the
same way, lie on both sides of it with a known probability: ``RankPlan.enclosing`` says
which two, and has the proof. Everything here is made of public records.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from dpcore.analyses.base import REQUEST, Request
from dpcore.analyses.identity import canonical, mark_of
from dpcore.analyses.number import QUERY, Query
from dpcore.analyses.quantiles import RankPlan
from dpcore.codec import object_in
from dpcore.errors import DPCoreError
from dpcore.inference.intervals import LEVEL
from dpcore.mechanisms.catalog import EXPONENTIAL
from dpcore.releases.digits import quantity_in
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import COLUMN

_THOUSANDTHS: Final = 1000
"""Quantiles are asked for in tenths of a percent, rounded away from the middle."""

Sides = tuple[Request | None, Request | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """That a released quantile is an end of the interval of another one. PUBLIC.

    Attributes:
        side: Which end: "lower" or "upper".
        title: The other one, in words.
        mark: Its mark.

    """

    side: str
    title: str
    mark: str

    @property
    def text(self) -> str:
        """Return it in words."""
        return f"{self.side} end of the interval for the {self.title}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """An interval of a released quantile. PUBLIC.

    Attributes:
        quantile: The release that it is about.
        lower: The released quantile at its lower end; ``None`` for the column's bound.
        upper: The same at its upper end.
        low: Its lower end: half a step of the candidates below that quantile.
        high: Its upper end: half a step above.
        step: How far the candidates are apart.
        sampled: Whether it holds for the population as well as for the data.

    """

    quantile: Release
    lower: Release | None
    upper: Release | None
    low: float
    high: float
    step: float
    sampled: bool

    @classmethod
    def of(
        cls,
        quantile: Release,
        plan: RankPlan,
        ends: tuple[Release | None, Release | None],
        *,
        sampled: bool,
    ) -> Enclosure:
        """Return the interval between two released quantiles.

        Values count as their nearest candidate, so that half a step is added on either
        side. An interval that missed the released quantile itself is extended to it,
        which never makes it hold less often.
        """
        bounds, margin = plan.statistic.bounds, plan.statistic.grid_error
        (value,) = quantile.values
        lower, upper = ends
        low = bounds.lower if lower is None else lower.values[0] - margin
        high = bounds.upper if upper is None else upper.values[0] + margin
        return cls(
            quantile=quantile,
            lower=lower,
            upper=upper,
            low=float(bounds.clip(min(low, value))),
            high=float(bounds.clip(max(high, value))),
            step=2 * margin,
            sampled=sampled,
        )

    @property
    def level(self) -> float:
        """Return its confidence."""
        return LEVEL

    @property
    def ends(self) -> tuple[Release, ...]:
        """Return the releases at its ends."""
        return tuple(end for end in (self.lower, self.upper) if end is not None)

    @property
    def text(self) -> tuple[str, str]:
        """Return both ends, rounded outwards to the digits of the candidates."""
        quantity = quantity_in(self.quantile, self.quantile.labels[0])
        return quantity.ends(self.low, self.high, self.step)

    def end_at(self, release: Release) -> End | None:
        """Return which of its ends another release is; ``None`` if it is none."""
        for side, end in (("lower", self.lower), ("upper", self.upper)):
            if end is not None and end.id == release.id:
                quantile = self.quantile
                mark = mark_of(quantile.request)
                return End(side=side, title=quantile.title, mark=mark)
        return None


def sides_of(request: Request, *, sampled: bool) -> Sides:
    """Return the two requests whose answers enclose the quantile of a request.

    ``None`` stands for a side on which only the bound of the column will do.
    """
    lower, upper = cast("RankPlan", request.plan).enclosing(LEVEL, sampled=sampled)
    return (
        None if lower is None else _side(request, math.floor(lower * _THOUSANDTHS)),
        None if upper is None else _side(request, math.ceil(upper * _THOUSANDTHS)),
    )


def enclosures(releases: Sequence[Release], *, sampled: bool) -> tuple[Enclosure, ...]:
    """Return the intervals of all quantiles that some releases of one table enclose.

    ``sampled`` tells whether the table is a sample of a population. Where it is none,
    the wider interval for a population will do, as ``RankPlan.enclosing`` shows.
    """
    # The newest draw of each question is the one that pages show.
    latest = {canonical(one.request): one for one in sorted(releases, key=lambda x: x.draw)}
    found = (
        _enclosure(one, latest, sampled=sampled, wide=wide)
        for one in releases
        for wide in dict.fromkeys((sampled, True))
    )
    known = [one for one in found if one is not None]
    first = {one.quantile.id: one for one in reversed(known)}
    return tuple(first[one.id] for one in releases if one.id in first)


def ends_at(release: Release, known: Iterable[Enclosure]) -> tuple[End, ...]:
    """Return every interval's end that a release is, each once."""
    found = (one.end_at(release) for one in known)
    return tuple(dict.fromkeys(end for end in found if end is not None))


def _enclosure(
    release: Release, latest: Mapping[str, Release], *, sampled: bool, wide: bool
) -> Enclosure | None:
    """Return the interval of a release, ``wide`` if that for a population is meant."""
    request = _request_of(release)
    sides = (None, None) if request is None else sides_of(request, sampled=wide)
    lower, upper = ends = tuple(
        None if side is None else latest.get(canonical(side.parameters())) for side in sides
    )
    complete = all(side is None or end is not None for side, end in zip(sides, ends, strict=True))
    if request is None or sides == (None, None) or not complete:
        return None
    plan = cast("RankPlan", request.plan)
    return Enclosure.of(release, plan, (lower, upper), sampled=sampled)


def _side(request: Request, place: int) -> Request | None:
    """Return the request for a quantile in thousandths; none where it is a bound."""
    if not 0 < place < _THOUSANDTHS:
        return None
    query = replace(
        cast("Query", request.query), kind=StatisticKind.QUANTILE, q=place / _THOUSANDTHS
    )
    return replace(request, query=query, draw=1)


def _request_of(release: Release) -> Request | None:
    """Return the request of a released quantile; ``None`` of anything else."""
    if release.mechanism != EXPONENTIAL.key or len(release.values) != 1:
        return None
    try:
        content = object_in(release.request["query"])
        query = QUERY.read(content, column=COLUMN.read(content["column"]))
        request = REQUEST.read(release.request, query=query, draw=release.draw)
    except (LookupError, TypeError, ValueError, OverflowError, DPCoreError):
        return None
    return request if isinstance(request.plan, RankPlan) else None
