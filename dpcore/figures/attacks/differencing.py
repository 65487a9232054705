"""What two totals leave of a newcomer's value. CONFIDENTIAL, unless it is made up."""

from __future__ import annotations

import numpy as np

from dpcore.figures.attacks.looks import BEFORE, CARELESS, PRIVATE
from dpcore.figures.marks import dot, line, rows
from dpcore.figures.theme import ROWS, Picture, axis, on_axis, plain
from dpcore.studies.attacks.differencing import Differencing
from dpcore.wording import interval_ends, percent, significant

_ROWS = ("known before", "exact totals", "private totals")
_HEIGHT = 260


def values_picture(found: Differencing, *, name: str, what: str, unit: str) -> Picture:
    """Return which values remain possible, as intervals, with the numbers."""
    bounds = found.bounds
    low, high = bounds.clip(np.array(found.interval)).tolist()
    exact = float(bounds.clip(np.array(found.exact)))
    ends = [(bounds.lower, bounds.upper), (exact, exact), (low, high)]
    suffix = f" {unit}" if unit else ""
    said = [significant(exact, 7), *interval_ends(low, high)]
    title = (
        f"Exact totals tell that {name} has {said[0]}{suffix}; private ones leave "
        f"everything from {said[1]} to {said[2]}{suffix} possible"
    )
    strokes = (BEFORE, CARELESS, PRIVATE)
    return Picture.of(
        title,
        {
            "by": _ROWS,
            "at least": [first for first, _ in ends],
            "at most": [last for _, last in ends],
        },
        drawn="Three intervals of values below each other: what is possible "
        "beforehand, after exact totals, and after private totals, with 95 % "
        "confidence",
        height=_HEIGHT,
        traces=[
            line(
                list(pair),
                [row, row],
                stroke=stroke,
                hover="%{y}: %{x:.6g}",
                marker=dot(stroke.color, 11, stroke.symbol),
            )
            | {"line": {"color": stroke.color, "width": 7}}
            for row, pair, stroke in zip(_ROWS, ends, strokes, strict=True)
        ],
        showlegend=False,
        xaxis=axis(plain(on_axis(f"{what}{f', {unit}' if unit else ''}"))),
        yaxis=ROWS,
    )


def left_picture(found: Differencing) -> Picture:
    """Return how much of the possible values remains, and no value."""
    left = [1.0, 0.0, found.left]
    return Picture.of(
        f"Exact totals leave one value; private ones leave {percent(found.left)} of "
        "all possible values",
        {"by": _ROWS, "share of the possible values that remains": left},
        drawn="Three bars: how much remains possible beforehand, after exact totals, "
        "and after private totals, with 95 % confidence",
        height=_HEIGHT,
        traces=[
            rows(
                _ROWS,
                [100 * share for share in left],
                ["all", "one value", percent(found.left)],
                [BEFORE.color, CARELESS.color, PRIVATE.color],
            )
        ],
        xaxis=axis("possible values that remain, %", range=[0, 118]),
        yaxis=ROWS,
    )
