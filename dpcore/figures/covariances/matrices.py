"""A sanitized covariance matrix: its numbers, and the ellipses that they draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.figures.marks import Mark, heat, line
from dpcore.figures.theme import NEUTRAL, Picture, Stroke, axis, below, on_axis, plain
from dpcore.mechanisms.covariances import correlations_of, matrix_of, pairs_of, places_of, vector_of
from dpcore.wording import brief, capital, significant

BEFORE, AFTER = "#D55E00", "#0072B2"
_SCALE = [(0.0, "#6BAED6"), (0.5, "#F7F7F7"), (1.0, "#F4A582")]
_RADIUS = math.sqrt(-2 * math.log(0.05))
"""An ellipse of that radius holds 95 % of a Gaussian."""
_POINTS = 90
_MOST_PANELS = 6
_MOST_WRITTEN = 6


def covariance_picture(
    labels: Sequence[str],
    before: FloatArray,
    after: FloatArray,
    *,
    noise: FloatArray | None = None,
    statement: str = "",
) -> Picture:
    """Return the matrix as a heat map, before and after its repair.

    Colors are correlations, from -1 to 1 around 0; the numbers are variances on the
    diagonal, and covariances with their correlation elsewhere. Where nothing was
    repaired, there is one map.

    ``noise`` are intervals around the released numbers, shape ``(d (d + 1) / 2, 2)``:
    where they are known, the picture says which covariances may be 0.
    """
    unsure = np.zeros(len(vector_of(before)), dtype=bool)
    if noise is not None:
        unsure = (noise[:, 0] <= 0) & (noise[:, 1] >= 0)
    changed = not np.array_equal(before, after)
    maps = [("as released", before), ("repaired", after)] if changed else []
    maps = maps or [("as released", after)]
    share = 1 / len(maps)
    names = [plain(label) for label in labels]
    # Long names would leave no room for the numbers.
    ticks = {"tickvals": names, "ticktext": [plain(brief(label)) for label in labels]}
    # Numbers that stand with their noise need the width: one map below the other.
    stacked = noise is not None and len(maps) > 1
    if statement:
        *others, (title, matrix) = maps
        maps = [*others, (f"{title}: {plain(on_axis(statement))}", matrix)]
    axes: dict[str, Any] = {}
    traces = []
    for place, (title, matrix) in enumerate(maps):
        end = str(place + 1) if place else ""
        traces.append(_map(names, matrix, end, matrix_of(unsure) > 0))
        side = [place * share + 0.03 * place, (place + 1) * share - 0.03]
        axes[f"xaxis{end}"] = axis(
            title, domain=[0.0, 1.0] if stacked else side, anchor=f"y{end}", showgrid=False, **ticks
        )
        axes[f"yaxis{end}"] = {
            "anchor": f"x{end}",
            "domain": [0.58 * (1 - place), 1 - 0.58 * place] if stacked else [0.0, 1.0],
            "autorange": "reversed",
            "showgrid": False,
            "showticklabels": stacked or place == 0,
            "ticks": "",
            **ticks,
        }
    height = (150 + 70 * len(labels)) * (2 if stacked else 1) + below(maps[-1][0])
    told = None if noise is None else int(np.sum(~unsure[len(labels) :]))
    title = _takeaway(labels, before, after, told)
    cells = zip(vector_of(before), vector_of(after), strict=True)
    rows: list[dict[str, Any]] = [
        {"row": labels[i], "column": labels[j], "as released": x, "repaired": y}
        for (i, j), (x, y) in zip(places_of(len(labels)), cells, strict=True)
    ]
    if noise is not None:
        for row, (lower, upper) in zip(rows, noise.tolist(), strict=True):
            row |= {"noise, lower": lower, "noise, upper": upper}
    numbers = "; ".join(
        f"{row['row']} and {row['column']}: {significant(float(row['repaired']))}" for row in rows
    )
    return Picture.of(
        title,
        rows,
        alt=f"{title}. {capital(statement or 'variances and covariances')}: {numbers}.",
        traces=traces,
        height=height,
        **axes,
    )


def ellipses_picture(
    labels: Sequence[str], before: FloatArray, after: FloatArray, *, truth: FloatArray | None = None
) -> Picture:
    """Return the ellipse that each pair of columns has before and after the repair.

    It holds 95 % of a Gaussian with that covariance matrix. The first six pairs are
    drawn; ``truth`` is drawn beside them where it may be known.
    """
    pairs = pairs_of(len(labels))[:_MOST_PANELS]
    columns = min(len(pairs), 3)
    rows = math.ceil(len(pairs) / columns)
    changed = not np.array_equal(before, after)
    first = Stroke(color=BEFORE if changed else AFTER, dash="dash")
    drawn = [("as released", before, first)]
    if changed:
        drawn.append(("repaired", after, Stroke(color=AFTER)))
    if truth is not None:
        drawn.append(("without noise", truth, Stroke(color=NEUTRAL, dash="dot")))
    traces: list[Mark] = []
    axes: dict[str, Any] = {}
    for place, (i, j) in enumerate(pairs):
        end = str(place + 1) if place else ""
        row, column = divmod(place, columns)
        traces += [
            line(
                *_ellipse(matrix, i, j),
                name,
                stroke,
                xaxis=f"x{end}",
                yaxis=f"y{end}",
                legendgroup=name,
                showlegend=place == 0,
                hoverinfo="name",
            )
            for name, matrix, stroke in drawn
        ]
        axes[f"xaxis{end}"] = axis(
            plain(brief(labels[i])), domain=_stretch(column, columns), anchor=f"y{end}", nticks=4
        )
        axes[f"yaxis{end}"] = {
            "domain": _stretch(rows - 1 - row, rows),
            "anchor": f"x{end}",
            "title": {"text": plain(brief(labels[j])), "standoff": 2},
            "nticks": 5,
        }
    correlations = correlations_of(vector_of(after))
    words = [
        f"{labels[i]} and {labels[j]} "
        + ("without a correlation" if np.isnan(r) else f"r = {significant(float(r))}")
        for (i, j), r in zip(pairs_of(len(labels)), correlations, strict=True)
    ]
    state = "after the repair" if changed else "as released"
    title = f"Correlations {state}: " + ", ".join(words[: len(pairs)])
    table = {"pair": words, f"correlation {state}": correlations}
    if changed:
        table["correlation as released"] = correlations_of(vector_of(before))
    if truth is not None:
        table["correlation without noise"] = correlations_of(vector_of(truth))
    return Picture.of(
        title,
        table,
        alt=f"Ellipses that hold 95 % of a Gaussian, {len(pairs)} of them. {title}.",
        traces=traces,
        height=120 + 230 * rows,
        margin={"l": 48, "r": 12, "t": 40, "b": 50},
        **axes,
    )


def _map(names: list[str], matrix: FloatArray, end: str, unsure: NDArray[np.bool_]) -> Mark:
    values = vector_of(matrix)
    columns = len(names)
    shades = matrix_of([*np.ones(columns), *correlations_of(values)])
    # A column without variance has no correlation, not even with itself.
    shades[np.diag(matrix) <= 0, :] = shades[:, np.diag(matrix) <= 0] = np.nan
    texts = [
        [
            _cell(matrix[i, j], None if i == j else shades[i, j])
            + ("<br>may be 0" if unsure[i, j] and i != j else "")
            for j in range(columns)
        ]
        for i in range(columns)
    ]
    return heat(
        names,
        names,
        shades,
        _SCALE,
        (-1, 1),
        hover="%{y}, %{x}: %{text}",
        xaxis=f"x{end}",
        yaxis=f"y{end}",
        xgap=2,
        ygap=2,
        text=texts,
        texttemplate="%{text}" if columns <= _MOST_WRITTEN else "",
        textfont={"color": "#11131A", "size": 13},
    )


def _cell(value: float, correlation: float | None) -> str:
    text = significant(float(value))
    if correlation is None:
        return text
    if np.isnan(correlation):
        return f"{text}<br>no r"
    return f"{text}<br>r {correlation:.2f}"


def _takeaway(
    labels: Sequence[str], before: FloatArray, after: FloatArray, told: int | None
) -> str:
    flat = [label for label, v in zip(labels, np.diag(after), strict=True) if not v > 0]
    if flat:
        return (
            f"The released variance of {' and '.join(flat)} is 0: correlations with it "
            "are not defined"
        )
    if np.array_equal(before, after) and told is not None:
        of = len(pairs_of(len(labels)))
        return (
            f"{told or 'None'} of the {of} covariances can be told from 0 through the "
            "noise; no repair was needed"
            if of > 1
            else f"The covariance can{'' if told else 'not'} be told from 0 through "
            "the noise; no repair was needed"
        )
    if np.array_equal(before, after):
        return "The released matrix is possible as it is: no repair was needed"
    moved = float(
        np.nanmax(np.abs(correlations_of(vector_of(before)) - correlations_of(vector_of(after))))
    )
    return (
        "The released numbers contradict each other; the repair moves a correlation by "
        f"up to {significant(moved)}"
    )


def _ellipse(matrix: FloatArray, i: int, j: int) -> tuple[FloatArray, FloatArray]:
    part = matrix[np.ix_([i, j], [i, j])]
    values, vectors = np.linalg.eigh(part)
    angles = np.linspace(0, 2 * np.pi, _POINTS)
    circle = _RADIUS * np.array([np.cos(angles), np.sin(angles)])
    x, y = (vectors * np.sqrt(np.maximum(values, 0))) @ circle
    return x, y


def _stretch(place: int, of: int) -> list[float]:
    gap = 0.12 if of > 1 else 0.0
    width = (1 - gap * (of - 1)) / of
    start = place * (width + gap)
    return [start, min(start + width, 1.0)]
