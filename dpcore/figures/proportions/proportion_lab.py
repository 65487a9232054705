"""Closer looks at study 2: releases in a triangle, trees of many cells, intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.proportions.proportion_study import LINES
from dpcore.figures.theme import Picture, frame, plain
from dpcore.figures.wording import percent, significant
from dpcore.inference.variance_multipliers import half_sums
from dpcore.studies.proportions.proportion_design import Procedure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray
    from dpcore.studies.proportions.proportion_lab import Cloud, Price

_HIGH = math.sqrt(3) / 2
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, _HIGH]])
_HEIGHT = 480
_STEP = 1.3


def simplex_picture(
    clouds: Sequence[Cloud],
    shares: Sequence[float],
    names: tuple[str, str, str],
    *,
    watermark: bool,
) -> Picture:
    """Return one triangle a procedure: each corner is everybody in one cell.

    All stand on the same two axes, which are far quicker to draw than two for each.
    """
    corners = [
        np.add(_CORNERS, [_STEP * (panel % 2), -_STEP * (panel // 2)])
        for panel in range(len(clouds))
    ]
    traces = [
        _edges(corners),
        *(_dots(cloud, at, names) for cloud, at in zip(clouds, corners, strict=True)),
        _truth(np.array([shares @ at for at in corners])),
    ]
    notes = [
        note
        for cloud, at in zip(clouds, corners, strict=True)
        for note in _labels(plain(str(cloud.procedure)), names, at)
    ]
    hidden = {"visible": False, "fixedrange": True}
    nearest = min(clouds, key=lambda cloud: cloud.distance)
    farthest = max(clouds, key=lambda cloud: cloud.distance)
    title = (
        f"{str(nearest.procedure).capitalize()} stays nearest to the truth (typical "
        f"distance {significant(nearest.distance)}), {farthest.procedure} strays "
        f"farthest ({significant(farthest.distance)})"
    )
    emptied = "; ".join(
        f"{cloud.procedure} empties a cell in {percent(cloud.emptied)} of releases"
        for cloud in clouds
    )
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            height=_HEIGHT,
            traces=traces,
            annotations=notes,
            margin={"l": 8, "r": 8, "t": 8, "b": 8},
            showlegend=False,
            xaxis=hidden | {"range": [-0.1, _STEP + 1.1]},
            yaxis=hidden | {"range": [-_STEP - 0.12, 1.1], "scaleanchor": "x"},
        ),
        alt=f"{len(clouds)} triangles of releases around the truth. {title}. "
        f"{emptied}.",
        table=pd.DataFrame(
            [
                {
                    "procedure": str(cloud.procedure),
                    "typical distance": cloud.distance,
                    "a cell is 0": cloud.emptied,
                }
                for cloud in clouds
            ]
        ),
    )


def tree_picture(leaves: int, branching: int, *, watermark: bool) -> Picture:
    """Return the noise in the sum of half the cells: from a tree, and released flat."""
    sizes = [4, 8, 16, 32, 64, 128]
    pairs = np.array([half_sums(size, branching=branching) for size in sizes])
    tree, flat = pairs[sizes.index(leaves)]
    wins = [size for size, (up, down) in zip(sizes, pairs, strict=True) if up < down]
    start = f"it wins from {wins[0]} cells on" if wins else "it wins for no size shown"
    title = (
        f"With {leaves} cells a tree leaves {significant(tree / flat)} times the noise "
        f"variance of flat releases in the sum of half of them; {start}"
    )
    names = (str(Procedure.HISTOGRAM), "released flat, moved to sum 1")
    strokes = (LINES[Procedure.HISTOGRAM], LINES[Procedure.PROJECTION])
    traces = [
        {
            "type": "scatter",
            "x": sizes,
            "y": values,
            "mode": "lines+markers",
            "name": plain(name),
            "line": {"color": stroke.color, "dash": stroke.dash, "width": 2.5},
            "marker": {"symbol": stroke.symbol, "size": 8},
            "hovertemplate": "%{x} cells: %{y:.3g}<extra>%{fullData.name}</extra>",
        }
        for name, values, stroke in zip(names, pairs.T, strokes, strict=True)
    ]
    now = {
        "type": "line",
        "x0": leaves,
        "x1": leaves,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": "rgba(127,127,127,0.6)", "width": 1},
        "label": {"text": "now", "textposition": "end"},
    }
    log = {"type": "log", "tickvals": sizes, "ticktext": [str(size) for size in sizes]}
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            traces=traces,
            shapes=[now],
            xaxis=log | {"title": {"text": "cells (log scale)"}},
            yaxis=log
            | {
                "tickvals": [1, 2, 4, 8, 16, 32],
                "ticktext": ["1", "2", "4", "8", "16", "32"],
                "title": {"text": "noise variance, times one cell's (log scale)"},
            },
        ),
        alt=f"Two rising lines against the number of cells. {title}.",
        table=pd.DataFrame(
            {"cells": sizes, names[0]: pairs[:, 0], names[1]: pairs[:, 1]}
        ),
    )


def prices_picture(prices: Sequence[Price], *, watermark: bool) -> Picture:
    """Return how wide each interval is, with how often it covers beside the bar."""
    labels = [
        price.name if price.sets == 1 else f"{price.name}, {price.sets} sets"
        for price in prices
    ]
    known = {price.name: price for price in prices if price.sets == 1}
    aware, naive = known["noise-aware"], known["Wald"]
    split = [price for price in prices if price.sets > 1]
    title = (
        f"95 % intervals: Wald's covers in {percent(naive.coverage)} of cases, the "
        f"noise-aware one in {percent(aware.coverage)}"
    )
    if split:
        best = max(split, key=lambda price: price.coverage)
        title += (
            f", multiple synthesis in at most {percent(best.coverage)} "
            f"({best.sets} sets)"
        )
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [price.width for price in prices],
        "y": [plain(label) for label in labels],
        "text": [f"covers {percent(price.coverage)}" for price in prices],
        "textposition": "auto",
        "marker": {"color": LINES[Procedure.RESCALING].color},
        "hovertemplate": "%{y}: width %{x:.3g}, %{text}<extra></extra>",
    }
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            traces=[bars],
            xaxis={"title": {"text": "mean width of a 95 % interval"}},
            yaxis={"autorange": "reversed", "automargin": True},
        ),
        alt=f"Bars of the mean width of {len(prices)} intervals. {title}.",
        table=pd.DataFrame(
            {
                "interval": labels,
                "coverage": [price.coverage for price in prices],
                "mean width": [price.width for price in prices],
            }
        ),
    )


def _edges(corners: list[FloatArray]) -> dict[str, Any]:
    gap = [[math.nan, math.nan]]
    lines = np.vstack([np.vstack([at, at[:1], gap]) for at in corners])
    return {
        "type": "scatter",
        "x": lines[:, 0],
        "y": lines[:, 1],
        "mode": "lines",
        "line": {"color": "#7F7F7F", "width": 1.5},
        "hoverinfo": "skip",
    }


def _dots(
    cloud: Cloud, corners: FloatArray, names: tuple[str, str, str]
) -> dict[str, Any]:
    place = cloud.releases @ corners
    stroke = LINES[cloud.procedure]
    words = ", ".join(
        f"{plain(name)} %{{customdata[{cell}]:.2f}}" for cell, name in enumerate(names)
    )
    return {
        "type": "scatter",
        "x": place[:, 0],
        "y": place[:, 1],
        "customdata": cloud.releases,
        "mode": "markers",
        "marker": {"color": stroke.color, "size": 5, "opacity": 0.55},
        "hovertemplate": f"{words}<extra></extra>",
    }


def _truth(places: FloatArray) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": places[:, 0],
        "y": places[:, 1],
        "mode": "markers",
        "marker": {
            "symbol": "diamond",
            "size": 12,
            "color": "black",
            "line": {"color": "white", "width": 2},
        },
        "hovertemplate": "truth<extra></extra>",
    }


def _labels(
    title: str, names: tuple[str, str, str], corners: FloatArray
) -> list[dict[str, Any]]:
    left, bottom = corners[0]
    places = [(-0.02, -0.06), (1.02, -0.06), (0.5, _HIGH + 0.05)]
    words = [*zip(names, places, strict=True), (f"<b>{title}</b>", (0.5, 1.05))]
    return [
        {
            "text": text,
            "x": left + x,
            "y": bottom + y,
            "xref": "x",
            "yref": "y",
            "showarrow": False,
        }
        for text, (x, y) in words
    ]
