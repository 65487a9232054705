"""What the figures of subsampling have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpcore.data.bounds import FloatArray

EXACT = {"color": "#0072B2", "dash": "solid", "width": 3}
OTHER = {"color": "#CC79A7", "dash": "dashdot", "width": 2.5}
_MIDDLE = 0.5
SHARE = "share of the rows in the sample"


def line(
    x: FloatArray, y: FloatArray, name: str, style: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a curve with its stroke."""
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "name": name,
        "line": dict(style),
        "hovertemplate": "%{x:.3g}: %{y:.4g}<extra>%{fullData.name}</extra>",
    }


def now(at: float) -> dict[str, Any]:
    """Return a vertical line at the setting of the page, a share of the rows."""
    return {
        "type": "line",
        "x0": at,
        "x1": at,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": "rgba(127,127,127,0.6)", "width": 1},
        "label": {
            "text": "now",
            "textposition": "end",
            "textangle": 0,
            # Beside the line, on the side that has room.
            "xanchor": "right" if at > _MIDDLE else "left",
            "yanchor": "top",
        },
    }
