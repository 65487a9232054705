"""What the pictures of the resized bootstrap have in common."""

from __future__ import annotations

from typing import Any

from dpcore.figures.theme import NEUTRAL, STROKES
from dpcore.figures.wording import significant
from dpcore.mechanisms import resized_bootstrap, resized_repair

PUBLISHED = STROKES[resized_bootstrap.KEY]
REPAIRED = STROKES[resized_repair.KEY]
RARE = "#D55E00"
"""Color of what concerns a trait that one person has."""


def chance(share: float) -> str:
    """Return a probability as a percentage, with three digits.

    >>> chance(0.0952078), chance(0.0), chance(1.0)
    ('9.52 %', '0 %', '100 %')
    """
    return f"{significant(100 * share)} %"


def line(
    x: Any,  # noqa: ANN401 - any array
    y: Any,  # noqa: ANN401 - any array
    name: str,
    style: dict[str, Any],
    hover: str,
) -> dict[str, Any]:
    """Return a line with what hovering over it says."""
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "name": name,
        "line": style,
        "hovertemplate": f"{hover}<extra></extra>",
    }


def upright(x: float, text: str) -> dict[str, Any]:
    """Return a labelled vertical line across the figure."""
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": NEUTRAL, "dash": "dash", "width": 2},
        "label": {
            "text": text,
            "textposition": "start",
            "textangle": 0,
            "xanchor": "left",
            "yanchor": "bottom",
        },
    }
