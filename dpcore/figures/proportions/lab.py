"""Closer looks at study 2: releases in a triangle, trees of many cells, intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import NAME, Mark, dot, line, note, now, points, rows
from dpcore.figures.proportions.study import LINES
from dpcore.figures.theme import NEUTRAL, ROWS, TRUTH, Picture, Stroke, axis, log_axis, plain
from dpcore.postprocessing.universal_histogram import half_sums
from dpcore.studies.proportion_intervals import Cloud, IntervalPrice
from dpcore.studies.proportion_study import Procedure
from dpcore.wording import percent, significant

_HIGH = math.sqrt(3) / 2
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, _HIGH]])
_HEIGHT = 480
_STEP = 1.3


def simplex_picture(
    clouds: Sequence[Cloud], shares: Sequence[float], names: tuple[str, str, str]
) -> Picture:
    """Return one triangle a procedure: each corner is everybody in one cell.

    All stand on the same two axes, which are far quicker to draw than two for each.
    """
    corners = [
        np.add(_CORNERS, [_STEP * (panel % 2), -_STEP * (panel // 2)])
        for panel in range(len(clouds))
    ]
    x, y = np.array([shares @ at for at in corners]).T
    traces = [
        _edges(corners),
        *(_dots(cloud, at, names) for cloud, at in zip(clouds, corners, strict=True)),
        points(x, y, marker=TRUTH | {"size": 12}, hover="truth"),
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
    return Picture.of(
        title,
        [
            {
                "procedure": str(cloud.procedure),
                "typical distance": cloud.distance,
                "a cell is 0": cloud.emptied,
            }
            for cloud in clouds
        ],
        alt=f"{len(clouds)} triangles of releases around the truth. {title}. {emptied}.",
        height=_HEIGHT,
        traces=traces,
        annotations=notes,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        showlegend=False,
        xaxis=hidden | {"range": [-0.1, _STEP + 1.1]},
        yaxis=hidden | {"range": [-_STEP - 0.12, 1.1], "scaleanchor": "x"},
    )


def tree_picture(leaves: int, branching: int) -> Picture:
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
    variances = [1, 2, 4, 8, 16, 32]
    return Picture.of(
        title,
        {"cells": sizes, names[0]: pairs[:, 0], names[1]: pairs[:, 1]},
        drawn="Two rising lines against the number of cells",
        traces=[
            line(
                sizes,
                values,
                plain(name),
                stroke,
                hover="%{x} cells: %{y:.3g}",
                aside=NAME,
                marker={"symbol": stroke.symbol, "size": 8},
            )
            for name, values, stroke in zip(names, pairs.T, strokes, strict=True)
        ],
        shapes=[now(leaves, textangle=None)],
        xaxis=log_axis("cells", **_read_at(sizes)),
        yaxis=log_axis("noise variance, times one cell's", **_read_at(variances)),
    )


def prices_picture(prices: Sequence[IntervalPrice]) -> Picture:
    """Return how wide each interval is, with how often it covers beside the bar."""
    labels = [
        price.name if price.sets == 1 else f"{price.name}, {price.sets} sets" for price in prices
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
        title += f", multiple synthesis in at most {percent(best.coverage)} ({best.sets} sets)"
    bars = rows(
        [plain(label) for label in labels],
        [price.width for price in prices],
        [f"covers {percent(price.coverage)}" for price in prices],
        LINES[Procedure.RESCALING].color,
        hover="%{y}: width %{x:.3g}, %{text}",
        textposition="auto",
    )
    return Picture.of(
        title,
        {
            "interval": labels,
            "coverage": [price.coverage for price in prices],
            "mean width": [price.width for price in prices],
        },
        drawn=f"Bars of the mean width of {len(prices)} intervals",
        traces=[bars],
        xaxis=axis("mean width of a 95 % interval", range=[0, 1]),
        yaxis=ROWS,
    )


def _read_at(numbers: list[int]) -> dict[str, Any]:
    """Return the ticks of an axis that is read at these numbers."""
    return {"tickvals": numbers, "ticktext": [str(number) for number in numbers]}


def _edges(corners: list[FloatArray]) -> Mark:
    gap = [[math.nan, math.nan]]
    lines = np.vstack([np.vstack([at, at[:1], gap]) for at in corners])
    x, y = lines.T
    return line(x, y, stroke=Stroke(color=NEUTRAL, width=1.5), hover="")


def _dots(cloud: Cloud, corners: FloatArray, names: tuple[str, str, str]) -> Mark:
    words = ", ".join(
        f"{plain(name)} %{{customdata[{cell}]:.2f}}" for cell, name in enumerate(names)
    )
    x, y = (cloud.releases @ corners).T
    return points(
        x,
        y,
        marker=dot(LINES[cloud.procedure].color, 5, opacity=0.55),
        hover=words,
        customdata=cloud.releases,
    )


def _labels(title: str, names: tuple[str, str, str], corners: FloatArray) -> list[Mark]:
    left, bottom = corners[0]
    places = [(-0.02, -0.06), (1.02, -0.06), (0.5, _HIGH + 0.05)]
    words = [*zip(names, places, strict=True), (f"<b>{title}</b>", (0.5, 1.05))]
    return [note(text, left + x, bottom + y, xref="x", yref="y") for text, (x, y) in words]
