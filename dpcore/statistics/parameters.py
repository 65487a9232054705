"""Public values as plain JSON values.

An infinite end of an interval becomes ``null``, because JSON has no infinity, and every
number of a bound becomes a float, so that 0 and 0.0 describe the same analysis.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpcore.data.bounds import Interval
    from dpcore.data.columns import Column
    from dpcore.statistics.membership import Membership

    JSON = dict[str, Any]


def interval_ends(interval: Interval | None) -> list[float | None] | None:
    """Return the two ends, ``None`` for an infinite one."""
    if interval is None:
        return None
    ends = (float(interval.lower), float(interval.upper))
    # Adding 0.0 turns -0.0 into 0.0.
    return [end + 0.0 if math.isfinite(end) else None for end in ends]


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


def membership_parameters(membership: Membership | None) -> JSON | None:
    """Return the condition of a count; an empty one counts everybody."""
    if membership is None:
        return None
    if membership.label is not None:
        return {"label": membership.label}
    if membership.interval is not None:
        return {"interval": interval_ends(membership.interval)}
    return {}
