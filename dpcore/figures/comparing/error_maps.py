"""Contour maps of the errors of bounded mechanisms, and the borders between winners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.teaching.flips import flip_lines, flip_notes
from dpcore.figures.theme import NEUTRAL, PLATE, STROKES, Picture, frame, plain
from dpcore.figures.wording import percent
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.comparing.error_maps import CLEARLY, ErrorMaps, Quantity
from dpcore.studies.comparing.tradeoffs import Fairness

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray

_TIE = "no difference (under 1 %)"
_LEVELS = tuple(digit * 10.0**power for power in range(-6, 2) for digit in (1, 2, 5))
_MOST_LINES = 8
_STEEP = 0.2
_LABEL_AT = 0.3
_VISIBLE_SHARE = 0.02


def map_picture(
    maps: ErrorMaps, key: str, *, here: tuple[float, float], watermark: bool
) -> Picture:
    """Return the map of one mechanism on the ground of who has the lowest one.

    Args:
        maps: The maps of all mechanisms compared.
        key: The one whose level lines are drawn, with their values.
        here: The place and the Laplace scale that the page is set to.
        watermark: Whether the picture is for the classroom only.

    """
    flips = maps.quantity is Quantity.MSE and maps.fairness is Fairness.NOMINAL
    notes = [*_region_names(maps), *(flip_notes() if flips else ())]
    figure = frame(
        watermark=watermark,
        height=420,
        traces=[
            _ground(maps),
            *_borders(maps),
            *(flip_lines() if flips else ()),
            *_level_lines(maps, key),
            _position(here),
        ],
        xaxis={
            "title": {"text": "where the value lies (0 and 1 are the bounds)"},
            "range": [0, 1],
        },
        yaxis={
            "type": "log",
            "range": [np.log10(maps.scale[0]), np.log10(maps.scale[-1])],
            "tickvals": [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
            "title": {"text": "Laplace scale / range (log scale)"},
        },
        annotations=notes,
        showlegend=False,
    )
    title = _takeaway(maps)
    shares = ", ".join(
        f"{CATALOG[name].label} {percent(maps.share(index))}"
        for index, name in enumerate(maps.keys)
    )
    alt = (
        f"A map over position and scale, with level lines of the {maps.quantity} of "
        f"{CATALOG[key].label}. Lowest on: {shares}; no difference on "
        f"{percent(maps.share(len(maps.keys)))}. {title}."
    )
    return Picture(title=title, figure=figure, alt=alt, table=_table(maps))


def _ground(maps: ErrorMaps) -> dict[str, Any]:
    colors = [*(STROKES[key].color for key in maps.keys), NEUTRAL]
    steps = len(colors)
    return {
        "type": "heatmap",
        "x": maps.place,
        "y": maps.scale,
        "z": maps.best.astype(np.uint8),
        "zmin": -0.5,
        "zmax": steps - 0.5,
        "colorscale": [
            (edge / steps, color)
            for index, color in enumerate(colors)
            for edge in (index, index + 1)
        ],
        "showscale": False,
        "opacity": 0.35,
        "hoverinfo": "skip",
    }


def _borders(maps: ErrorMaps) -> list[dict[str, Any]]:
    """Draw the outline of every winner's region, where it wins by 1 % or more."""
    return [
        {
            "type": "contour",
            "x": maps.place,
            "y": maps.scale,
            "z": np.clip(maps.lead[index], -_STEEP, _STEEP).astype(np.float32),
            "contours": {
                "start": CLEARLY,
                "end": CLEARLY,
                "size": 1,
                "coloring": "none",
            },
            "line": {"width": 3, "color": STROKES[key].color},
            "showscale": False,
            "hoverinfo": "skip",
        }
        for index, key in enumerate(maps.keys)
        if 0 < maps.share(index) < 1
    ]


def _region_names(maps: ErrorMaps) -> list[dict[str, Any]]:
    labels = [*(f"{CATALOG[key].label} wins" for key in maps.keys), _TIE]
    notes = []
    for index, label in enumerate(labels):
        if maps.share(index) < _VISIBLE_SHARE:
            continue
        row, column = _heart(maps.best == index)
        notes.append(
            {
                "x": maps.place[column],
                "xanchor": _anchor(float(maps.place[column])),
                "y": np.log10(maps.scale[row]),
                "text": plain(label),
                "showarrow": False,
                **PLATE,
            }
        )
    return notes


def _anchor(place: float) -> str:
    """Return which side of a label lies there, so that it stays on a narrow map."""
    near = "left" if place < _LABEL_AT else "center"
    return "right" if place > 1 - _LABEL_AT else near


def _heart(inside: FloatArray) -> tuple[int, int]:
    """Return the cell with the most room around it, the middle one of several."""
    depth = np.zeros(inside.shape, dtype=np.intp)
    left = np.pad(inside.astype(bool), 1)
    while left.any():
        depth += left[1:-1, 1:-1]
        core = left[1:-1, 1:-1] & left[:-2, 1:-1] & left[2:, 1:-1]
        left = np.pad(core & left[1:-1, :-2] & left[1:-1, 2:], 1)
    deepest = np.argwhere(depth == depth.max())
    row, column = deepest[len(deepest) // 2]
    return int(row), int(column)


def _level_lines(maps: ErrorMaps, key: str) -> list[dict[str, Any]]:
    heights = maps.heights[maps.keys.index(key)]
    levels = [level for level in _LEVELS if heights.min() < level < heights.max()]
    step = -(-len(levels) // _MOST_LINES)
    unit = "" if maps.quantity is Quantity.BIAS else "²"
    lines = []
    for level in levels[::-1][:: max(step, 1)]:
        scale = maps.level_line(key, level)
        drawn = np.flatnonzero(~np.isnan(scale))
        if len(drawn) == 0:
            continue
        text = np.full(scale.shape, "", dtype=object)
        nearest = drawn[np.argmin(np.abs(maps.place[drawn] - _LABEL_AT))]
        text[nearest] = f"{level:g}"
        side = "right" if maps.place[nearest] < _LABEL_AT / 2 else "center"
        lines.append(
            {
                "type": "scatter",
                "x": maps.place,
                "y": scale,
                "mode": "lines+text",
                "text": text,
                "textposition": f"top {side}",
                "line": {"color": NEUTRAL, "width": 1.5},
                "hovertemplate": (
                    f"{maps.quantity} {level:g} range{unit}: value %{{x:.2f}}, scale "
                    "%{y:.3g}<extra></extra>"
                ),
            }
        )
    return lines


def _position(here: tuple[float, float]) -> dict[str, Any]:
    place, scale = here
    return {
        "type": "scatter",
        "x": [place],
        "y": [scale],
        "mode": "markers",
        "cliponaxis": False,
        "marker": {
            "size": 13,
            "color": "white",
            "line": {"color": "black", "width": 3},
        },
        "hovertemplate": "the page is set here<extra></extra>",
    }


def _takeaway(maps: ErrorMaps) -> str:
    shares = sorted(
        ((maps.share(index), key) for index, key in enumerate(maps.keys)), reverse=True
    )
    won = [
        f"{CATALOG[key].label} on {percent(share)}"
        for share, key in shares
        if share >= _VISIBLE_SHARE
    ]
    bounded = " of the bounded ones" if maps.quantity is Quantity.BIAS else ""
    return (
        f"At the {maps.fairness}, the least {maps.quantity}{bounded}: "
        f"{', '.join(won)} of the map"
    )


def _table(maps: ErrorMaps) -> pd.DataFrame:
    names = np.array([*(CATALOG[key].label for key in maps.keys), _TIE])
    columns = {
        "scale / range": np.repeat(maps.scale, len(maps.place)),
        "value": np.tile(maps.place, len(maps.scale)),
        "least": names[maps.best].ravel(),
    }
    for key, values in zip(maps.keys, maps.heights, strict=True):
        columns[f"{maps.quantity}, {CATALOG[key].label}"] = values.ravel()
    return pd.DataFrame(columns)
