"""Several quantiles with their intervals, along the shares of the people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.calendar import cells, date_axis, placed
from dpcore.figures.marks import NAME, line, points, ring
from dpcore.figures.theme import HEIGHT, TRUTH, Picture, Stroke, axis, on_axis, plain
from dpcore.releases.digits import with_ends

_TOTAL, _NOISE = "rgba(0,114,178,0.35)", "#0072B2"
_NEVER_TOLD = "no quantile can be told: only the bounds enclose them"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """What was released of several quantiles. PUBLIC.

    Attributes:
        shares: Which, ascending, from 0 to 1.
        values: The quantiles.
        noise: Their intervals in the table, shape ``(k, 2)``.
        total: The same for the population; None where the table is all of it.
        bounds: Between which values are counted.

    """

    shares: tuple[float, ...]
    values: FloatArray
    noise: FloatArray
    total: FloatArray | None
    bounds: tuple[float, float]

    @property
    def told(self) -> list[int]:
        """Return which of them more than the bounds enclose."""
        low, high = self.bounds
        open_ = (self.noise[:, 0] <= low) & (self.noise[:, 1] >= high)
        return [int(place) for place in np.flatnonzero(~open_)]


def chain_picture(
    found: Quantiles, *, statement: str, quantity: Quantity, counted: str, truth: FloatArray | None
) -> Picture:
    """Return quantiles as dots over their shares, with intervals that hold together.

    ``counted`` is whose values they are, such as "people"; ``truth`` are those of the
    table, in Classroom mode only.
    """
    percents = [100 * share for share in found.shares]
    hover = "%{x:.4g} %: %{y:,.5g}"
    drawn = (
        ("noise and sampling", found.total, Stroke(color=_TOTAL, width=12)),
        ("noise alone", found.noise, Stroke(color=_NOISE, width=5)),
    )
    traces = [
        line(*_upright(percents, ends), name, stroke, hover=hover, aside=NAME)
        for name, ends, stroke in drawn
        if ends is not None
    ]
    dots = ring(_NOISE, 12)
    traces.append(points(percents, found.values, "sanitized quantile", dots, hover=hover))
    table: dict[str, Any] = {
        "percent below": percents,
        "sanitized quantile": cells(found.values, quantity),
        "noise, lower": cells(found.noise[:, 0], quantity),
        "noise, upper": cells(found.noise[:, 1], quantity),
    }
    if found.total is not None:
        table["with sampling, lower"] = cells(found.total[:, 0], quantity)
        table["with sampling, upper"] = cells(found.total[:, 1], quantity)
    title = chain_text(found, quantity=quantity, counted=counted)
    if truth is not None:
        traces.append(points(percents, truth, "quantile without noise", TRUTH))
        table["quantile without noise"] = cells(truth, quantity)
        title = f"As released: {title}"
    return Picture.of(
        title,
        table,
        drawn=f"{len(percents)} dots from left to right, none lower than the one "
        f"before, each with its bars: {on_axis(statement)}",
        height=HEIGHT,
        traces=placed(traces, "y", quantity),
        xaxis=axis(f"percent of the {counted} with so much or less", range=[0, 100]),
        yaxis=axis(plain(quantity.name or "value"), **date_axis(quantity)),
    )


def chain_text(found: Quantiles, *, quantity: Quantity, counted: str) -> str:
    """Return the lowest, the middle and the highest quantile that can be told."""
    told = found.told
    if not told:
        return f"At this price {_NEVER_TOLD}. Spend more"
    middle = min(told, key=lambda place: abs(found.shares[place] - 0.5))
    parts: list[str] = []
    for place in dict.fromkeys((told[0], middle, told[-1])):
        low, high = (float(end) for end in found.noise[place])
        drawn = float(found.values[place])
        value, lower, upper = with_ends(drawn, (low, high), quantity)
        after = f" {quantity.suffix}".rstrip()
        percent = f"{100 * found.shares[place]:.6g} %"
        have = "" if parts else f" of the {counted} have"
        said = f"{percent}{have} at most {value}{after}"
        parts.append(f"{said} (95 %: {lower} to {upper})")
    few = len(found.shares) - len(told)
    text = f"{'; '.join(parts)}; all intervals hold at once"
    return text + (f"; {few} of {len(found.shares)} cannot be told" if few else "")


def _upright(
    across: list[float], ends: FloatArray
) -> tuple[list[float | None], list[float | None]]:
    """Return the points of one upright bar for each share, with gaps between them."""
    x: list[float | None] = []
    y: list[float | None] = []
    for place, (low, high) in zip(across, ends.tolist(), strict=True):
        x += [place, place, None]
        y += [low, high, None]
    return x, y
