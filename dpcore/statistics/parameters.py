"""Public values as plain JSON values, and back.

An infinite end of an interval becomes ``null``, because JSON has no infinity, and every
number of a bound becomes a float, so that 0 and 0.0 describe the same analysis.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.statistics.membership import Membership

if TYPE_CHECKING:
    JSON = dict[str, Any]


def interval_ends(interval: Interval | None) -> list[float | None] | None:
    """Return the two ends, ``None`` for an infinite one."""
    if interval is None:
        return None
    ends = (float(interval.lower), float(interval.upper))
    # Adding 0.0 turns -0.0 into 0.0.
    return [end + 0.0 if math.isfinite(end) else None for end in ends]


def interval_from(ends: list[float | None] | None) -> Interval | None:
    """Return the interval with these ends."""
    if ends is None:
        return None
    lower, upper = ends
    return Interval(
        lower=-math.inf if lower is None else float(lower),
        upper=math.inf if upper is None else float(upper),
    )


def column_parameters(column: Column) -> JSON:
    """Return what an analysis depends on: not the unit or the description."""
    replacement = column.replacement
    return {
        "name": column.name,
        "kind": column.kind.value,
        "bounds": interval_ends(column.bounds),
        "labels": list(column.labels),
        "missing": column.missing.value,
        "replacement": (
            replacement
            if replacement is None or isinstance(replacement, str)
            else float(replacement) + 0.0
        ),
    }


def column_from(parameters: JSON) -> Column:
    """Return the column that ``parameters`` describe."""
    return Column(
        name=parameters["name"],
        kind=ColumnKind(parameters["kind"]),
        bounds=interval_from(parameters["bounds"]),
        labels=tuple(parameters["labels"]),
        missing=MissingPolicy(parameters["missing"]),
        replacement=parameters["replacement"],
    )


def membership_parameters(membership: Membership | None) -> JSON | None:
    """Return the condition of a count; an empty one counts everybody."""
    if membership is None:
        return None
    if membership.label is not None:
        return {"label": membership.label}
    if membership.interval is not None:
        return {"interval": interval_ends(membership.interval)}
    return {}


def membership_from(parameters: JSON | None) -> Membership | None:
    """Return the membership that ``parameters`` describe."""
    if parameters is None:
        return None
    return Membership(
        label=parameters.get("label"),
        interval=interval_from(parameters.get("interval")),
    )
