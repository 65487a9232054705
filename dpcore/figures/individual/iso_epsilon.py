"""Leverage against residual, with lines of equal loss. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.marks import Mark, dot, heat, line, note, points
from dpcore.figures.theme import (
    CONFIDENTIAL,
    PLATE,
    SCALE,
    Picture,
    Stroke,
    axis,
    log_axis,
    plain,
)
from dpcore.wording import percent, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.individual.leverage_map import IsoLine, LeverageMap

_LINE = Stroke(color="#D55E00", dash="dash", width=1.5)
_FLAT = 0.1


def iso_epsilon_picture(
    found: LeverageMap, *, rows: Sequence[int], leverage: str, residual: str
) -> Picture:
    """Return cells of people colored by their loss, and the most exposed as points.

    ``rows`` are those of the points in the table, from 1; ``leverage`` and ``residual``
    are the names of the axes.
    """
    title = _title(found, rows)
    words = ", ".join(significant(line.epsilon) for line in found.lines)
    alt = (
        f"A map of {int(found.people.sum()):,} people by leverage and residual, "
        f"colored by mean loss. {title}."
    )
    if words:
        alt += f" Lines of equal loss: {words}."
    return Picture.of(
        title,
        {
            "row": list(rows),
            leverage: found.top_leverage,
            "residual": found.top_residual,
            "own epsilon": found.top_epsilon,
        },
        alt=alt,
        traces=[_cells(found), *_drawn_lines(found.lines), _points(found, rows)],
        height=460,
        showlegend=False,
        annotations=_names(found.lines, 0.9 * float(found.residual_edges[-1])),
        xaxis=log_axis(leverage, *found.leverage_edges[[0, -1]].tolist()),
        yaxis=axis(plain(residual), range=found.residual_edges[[0, -1]].tolist()),
    )


def _cells(found: LeverageMap) -> Mark:
    middles_x = np.sqrt(found.leverage_edges[1:] * found.leverage_edges[:-1])
    middles_y = (found.residual_edges[1:] + found.residual_edges[:-1]) / 2
    with np.errstate(divide="ignore"):
        shade = np.log10(found.epsilon)
    finite = shade[np.isfinite(shade)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    ticks = np.linspace(low, high, 4)
    told = np.dstack([found.people, found.epsilon])
    return heat(
        middles_x,
        middles_y,
        np.where(np.isneginf(shade), low, shade),
        SCALE,
        (low, high),
        hover="%{customdata[0]:,} people, mean epsilon %{customdata[1]:.3g}<br>"
        "%{x:.3g} across, residual %{y:.3g}",
        customdata=told,
        hoverongaps=False,
        showscale=True,
        colorbar={
            "orientation": "h",
            "y": 1.0,
            "yanchor": "bottom",
            "thickness": 12,
            "tickvals": ticks,
            "ticktext": [significant(10.0**tick, 2) for tick in ticks.tolist()],
            "title": {"text": "own epsilon (mean of the cell)", "side": "top"},
        },
    )


def _drawn_lines(lines: Sequence[IsoLine]) -> list[Mark]:
    return [
        line(
            iso.leverage,
            side * iso.residual,
            stroke=_LINE,
            hover=f"everybody on this line loses {significant(iso.epsilon)}",
        )
        for iso in lines
        for side in (1, -1)
    ]


def _names(lines: Sequence[IsoLine], height: float) -> list[Mark]:
    """Name each line a quarter from its left end, where it is on the figure."""
    notes = []
    for iso in lines:
        inside = np.flatnonzero(iso.residual <= height)
        if len(inside) == 0 or iso.residual.max() < _FLAT * height:
            continue
        place = inside[len(inside) // 4]
        x, y = float(np.log10(iso.leverage[place])), float(iso.residual[place])
        notes.append(note(f"ε {significant(iso.epsilon)}", x, y, **PLATE))
    return notes


def _points(found: LeverageMap, rows: Sequence[int]) -> Mark:
    labels = [f"row {row}" for row in rows]
    return points(
        found.top_leverage,
        found.top_residual,
        marker=dot(CONFIDENTIAL, 11, "diamond", line={"color": "black", "width": 1.5}),
        hover="%{customdata[0]}: epsilon %{customdata[1]}<br>%{x:.3g} across, residual "
        "%{y:.3g}",
        text=[labels[0], *[""] * (len(labels) - 1)],
        textposition="middle left",
        cliponaxis=False,
        customdata=[
            [label, significant(loss)]
            for label, loss in zip(labels, found.top_epsilon.tolist(), strict=True)
        ],
    )


def _title(found: LeverageMap, rows: Sequence[int]) -> str:
    leverage, residual = found.above
    return (
        f"The most exposed person (row {rows[0]}, epsilon "
        f"{significant(float(found.top_epsilon[0]))}) pulls the model harder than "
        f"{percent(leverage)} of the people do, and is predicted worse than "
        f"{percent(residual)} of them"
    )
