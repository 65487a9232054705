"""Leverage against residual, with lines of equal loss. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import (
    CONFIDENTIAL,
    PLATE,
    SCALE,
    Picture,
    frame,
    log_axis,
    plain,
)
from dpcore.figures.wording import epsilon_text, percent, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.individual.leverage_map import IsoLine, LeverageMap

_LINE = "#D55E00"
_FLAT = 0.1


def iso_epsilon_picture(
    found: LeverageMap,
    *,
    rows: Sequence[int],
    leverage: str,
    residual: str,
    watermark: bool,
) -> Picture:
    """Return cells of people colored by their loss, and the most exposed as points.

    Args:
        found: The map.
        rows: Row in the table, from 1, of each of ``found.top``.
        leverage: What the horizontal axis is called.
        residual: What the vertical axis is called.
        watermark: Whether the picture is for the classroom only.

    """
    traces = [_cells(found), *_drawn_lines(found.lines)]
    traces.append(_points(found, rows))
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=460,
        showlegend=False,
        annotations=_names(found.lines, 0.9 * float(found.residual_edges[-1])),
        xaxis=log_axis(leverage, *found.leverage_edges[[0, -1]].tolist()),
        yaxis={
            "range": found.residual_edges[[0, -1]].tolist(),
            "title": {"text": plain(residual)},
        },
    )
    title = _title(found, rows)
    words = ", ".join(epsilon_text(line.epsilon) for line in found.lines)
    alt = (
        f"A map of {int(found.people.sum()):,} people by leverage and residual, "
        f"colored by mean loss. {title}."
    )
    if words:
        alt += f" Lines of equal loss: {words}."
    return Picture(title=title, figure=figure, alt=alt, table=_table(found, rows))


def _cells(found: LeverageMap) -> dict[str, Any]:
    middles_x = np.sqrt(found.leverage_edges[1:] * found.leverage_edges[:-1])
    middles_y = (found.residual_edges[1:] + found.residual_edges[:-1]) / 2
    with np.errstate(divide="ignore"):
        shade = np.log10(found.epsilon)
    finite = shade[np.isfinite(shade)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    ticks = np.linspace(low, high, 4)
    hover = np.dstack([found.people, found.epsilon])
    return {
        "type": "heatmap",
        "x": middles_x,
        "y": middles_y,
        "z": np.where(np.isneginf(shade), low, shade),
        "zmin": low,
        "zmax": high,
        "colorscale": SCALE,
        "customdata": hover,
        "hoverongaps": False,
        "hovertemplate": (
            "%{customdata[0]:,} people, mean epsilon %{customdata[1]:.3g}<br>"
            "leverage %{x:.3g}, residual %{y:.3g}<extra></extra>"
        ),
        "colorbar": {
            "orientation": "h",
            "y": 1.0,
            "yanchor": "bottom",
            "thickness": 12,
            "tickvals": ticks,
            "ticktext": [significant(10.0**tick, 2) for tick in ticks.tolist()],
            "title": {"text": "own epsilon (mean of the cell)", "side": "top"},
        },
    }


def _drawn_lines(lines: Sequence[IsoLine]) -> list[dict[str, Any]]:
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": line.leverage,
            "y": side * line.residual,
            "line": {"color": _LINE, "width": 1.5, "dash": "dash"},
            "hovertemplate": (
                f"everybody on this line loses {epsilon_text(line.epsilon)}"
                "<extra></extra>"
            ),
        }
        for line in lines
        for side in (1, -1)
    ]


def _names(lines: Sequence[IsoLine], height: float) -> list[dict[str, Any]]:
    """Name each line a quarter from its left end, where it is on the figure."""
    notes = []
    for line in lines:
        inside = np.flatnonzero(line.residual <= height)
        if len(inside) == 0 or line.residual.max() < _FLAT * height:
            continue
        place = inside[len(inside) // 4]
        notes.append(
            {
                "x": float(np.log10(line.leverage[place])),
                "y": float(line.residual[place]),
                "text": f"ε {epsilon_text(line.epsilon)}",
                "showarrow": False,
                **PLATE,
            }
        )
    return notes


def _points(found: LeverageMap, rows: Sequence[int]) -> dict[str, Any]:
    labels = [f"row {row}" for row in rows]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": found.top_leverage,
        "y": found.top_residual,
        "text": [labels[0], *[""] * (len(labels) - 1)],
        "textposition": "middle left",
        "cliponaxis": False,
        "marker": {
            "symbol": "diamond",
            "size": 11,
            "color": CONFIDENTIAL,
            "line": {"color": "black", "width": 1.5},
        },
        "customdata": [
            [label, epsilon_text(loss)]
            for label, loss in zip(labels, found.top_epsilon.tolist(), strict=True)
        ],
        "hovertemplate": (
            "%{customdata[0]}: epsilon %{customdata[1]}<br>leverage %{x:.3g}, residual "
            "%{y:.3g}<extra></extra>"
        ),
    }


def _title(found: LeverageMap, rows: Sequence[int]) -> str:
    leverage, residual = found.above
    return (
        f"The most exposed person (row {rows[0]}, epsilon "
        f"{epsilon_text(float(found.top_epsilon[0]))}) pulls the model harder than "
        f"{percent(leverage)} of the people do, and is predicted worse than "
        f"{percent(residual)} of them"
    )


def _table(found: LeverageMap, rows: Sequence[int]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "row": list(rows),
            "leverage": found.top_leverage,
            "residual": found.top_residual,
            "own epsilon": found.top_epsilon,
        }
    )
