"""Dots of what could come out of a question under two plans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.calendar import cells, date_ticks
from dpcore.figures.marks import Mark, dot, note, points, vertical
from dpcore.figures.theme import DOTTED, GUIDE, STROKES, Picture, axis, plain
from dpcore.wording import brief, significant

_BINS: Final = 30
_DOT: Final = 10
_GAP: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Possible:
    """What could come out under one plan. PUBLIC.

    Attributes:
        name: The plan, with its epsilon.
        values: Equally likely outcomes, ascending.
        key: Of the mechanism.

    """

    name: str
    values: FloatArray
    key: str


def outcomes_picture(
    question: str,
    possible: Sequence[Possible],
    *,
    assumed: float,
    quantity: Quantity,
    wanted: float | None,
) -> Picture:
    """Return a quantile dotplot for each plan, one above the other, on one axis.

    Each dot is one of so many equally likely answers. Lines mark the assumed value, and
    what must be seen to either side of it.
    """
    edges = _edges(possible, assumed, wanted)
    traces, notes, base = [], [], 0.0
    for one in reversed(possible):
        x, y = _stacked(one.values, edges)
        stroke = STROKES.get(one.key, GUIDE)
        traces.append(
            points(
                x,
                base + y,
                one.name,
                dot(stroke.color, _DOT, stroke.symbol),
                # Dots of dates stand on an axis of days.
                hover="" if quantity.is_date else "about %{x:.4g}",
                aside=plain(one.name),
                showlegend=False,
            )
        )
        top = base + float(y.max()) + 1.6
        notes.append(_named(one.name, top))
        base = top + _GAP
    title = _takeaway(question, possible, assumed, quantity.of_differences, wanted)
    ends = 2 * edges[0] - edges[2], 2 * edges[-1] - edges[-3]
    had = f"{quantity.about(assumed, 6)}{_after(quantity.suffix)}"
    return Picture.of(
        title,
        {one.name: cells(one.values, quantity) for one in possible},
        drawn=f"{len(possible[0].values)} equally likely answers under each plan, if "
        f"the table had {had}",
        traces=traces,
        annotations=notes,
        shapes=_lines(assumed, wanted),
        height=int(110 + 13 * base),
        xaxis=axis(
            f"answer{', ' + plain(quantity.name) if quantity.name else ''}",
            range=list(ends),
            **date_ticks(quantity, *ends),
        ),
        yaxis={"visible": False, "range": [-1.0, base], "fixedrange": True},
    )


def _edges(possible: Sequence[Possible], assumed: float, wanted: float | None) -> FloatArray:
    """Return the places of the columns that dots stand in, for all plans alike.

    What must be seen lies half-way between two of them, so that as many dots stand
    within its lines as answers do.
    """
    known = np.concatenate([one.values for one in possible])
    reach = float(np.abs(known - assumed).max())
    reach = max(reach, wanted or 0.0) or 1.0
    width = 2 * reach / (_BINS - 1)
    if wanted is None or wanted < width / 2:
        return np.linspace(assumed - reach, assumed + reach, _BINS)
    width = wanted / (max(1, round(wanted / width)) - 0.5)
    half = math.ceil(reach / width)
    return np.asarray(assumed + width * np.arange(-half, half + 1))


def _stacked(values: FloatArray, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where each dot stands: in the middle of its bin, on those before it."""
    width = edges[1] - edges[0]
    places = np.round((values - edges[0]) / width).astype(int)
    heights = np.zeros(len(values))
    for at in np.unique(places):
        inside = places == at
        heights[inside] = np.arange(np.count_nonzero(inside))
    return edges[0] + width * places, heights


def _named(name: str, y: float) -> Mark:
    return note(
        f"<b>{plain(brief(name, 60))}</b>", 0, y, xref="paper", xanchor="left",
        font={"size": 13},
    )  # fmt: skip


def _lines(assumed: float, wanted: float | None) -> list[Mark]:
    lines = [vertical(assumed, "assumed", GUIDE, layer="below")]
    if wanted is not None:
        lines += [vertical(assumed + side * wanted, "", DOTTED, layer="below") for side in (-1, 1)]
    return lines


def _takeaway(
    question: str, possible: Sequence[Possible], assumed: float, unit: str, wanted: float | None
) -> str:
    if wanted is not None:
        near = [
            f"{int(np.count_nonzero(np.abs(one.values - assumed) <= wanted))} of "
            f"{len(one.values)} with {one.name}"
            for one in possible
        ]
        limit = f"{significant(wanted)}{_after(unit)}"
        return f"{question}: so many answers are off by {limit} or less: " + ", ".join(near)
    half = [
        f"± {significant(float(np.median(np.abs(one.values - assumed))))}{_after(unit)}"
        f" with {one.name}"
        for one in possible
    ]
    return f"{question}: half of the answers are off by at most " + ", ".join(half)


def _after(unit: str) -> str:
    return f" {unit}" if unit else ""
