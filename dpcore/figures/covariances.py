"""A sanitized covariance matrix with its ellipses, and the panels of study 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.figures.theme import (
    NEUTRAL,
    STYLES,
    LineStyle,
    Picture,
    axis,
    below,
    in_lines,
    on_axis,
    plain,
)
from dpcore.figures.traces import NAME, Trace, dot, heat, level, line, points
from dpcore.formatting import brief, capital, percent, significant
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.covariances import correlations_of, matrix_of, pairs_of, places_of, vector_of
from dpcore.releases.digits import ends_text
from dpcore.studies.covariance_study import LABELS, STATISTICS, ScenarioOutcome, Summary, numbers

BEFORE, AFTER = "#D55E00", "#0072B2"
_SCALE = [(0.0, "#6BAED6"), (0.5, "#F7F7F7"), (1.0, "#F4A582")]
_RADIUS = math.sqrt(-2 * math.log(0.05))
"""An ellipse of that radius holds 95% of a Gaussian."""
_MOST_WRITTEN = 6
_LETTERS = 18
"""How long a line of the name of a column is beside a matrix."""


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
    ticks = {
        "tickvals": names,
        "ticktext": [in_lines(brief(label, 3 * _LETTERS), _LETTERS) for label in labels],
    }
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
    title = _matrix_title(labels, before, after, told)
    cells = zip(vector_of(before), vector_of(after), strict=True)
    rows: list[dict[str, Any]] = [
        {"row": labels[i], "column": labels[j], "as released": x, "repaired": y}
        for (i, j), (x, y) in zip(places_of(len(labels)), cells, strict=True)
    ]
    if noise is not None:
        for row, (lower, upper) in zip(rows, noise.tolist(), strict=True):
            ends = ends_text((lower, upper), float(row["as released"]))
            row |= dict(zip(("noise, lower", "noise, upper"), ends, strict=True))
    numbers = "; ".join(
        f"{row['row']} and {row['column']}: {significant(float(row['repaired']))}" for row in rows
    )
    return Picture.of(
        title,
        rows,
        more=f"{capital(statement or 'variances and covariances')}: {numbers}",
        traces=traces,
        height=height,
        **axes,
    )


def ellipses_picture(
    labels: Sequence[str], before: FloatArray, after: FloatArray, *, truth: FloatArray | None = None
) -> Picture:
    """Return the ellipse that each pair of columns has before and after the repair.

    It holds 95% of a Gaussian with that covariance matrix. The first six pairs are
    drawn; ``truth`` is drawn beside them where it may be known.
    """
    pairs = pairs_of(len(labels))[:6]
    columns = min(len(pairs), 3)
    rows = math.ceil(len(pairs) / columns)
    changed = not np.array_equal(before, after)
    drawn = [("as released", before, LineStyle(color=BEFORE if changed else AFTER, dash="dash"))]
    if changed:
        drawn.append(("repaired", after, LineStyle(color=AFTER)))
    if truth is not None:
        drawn.append(("without noise", truth, LineStyle(color=NEUTRAL, dash="dot")))
    traces: list[Trace] = []
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
        drawn=f"Ellipses that hold 95% of a Gaussian, {len(pairs)} of them",
        traces=traces,
        height=120 + 230 * rows,
        margin={"l": 48, "r": 12, "t": 40, "b": 50},
        **axes,
    )


def _map(names: list[str], matrix: FloatArray, end: str, unsure: NDArray[np.bool_]) -> Trace:
    columns = len(names)
    shades = matrix_of([*np.ones(columns), *correlations_of(vector_of(matrix))])
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
    return f"{text}<br>r {significant(correlation)}"


def _matrix_title(
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
            f"{told or 'None'} of the {of} covariances {'is' if told == 1 else 'are'} "
            "distinguishable from 0; no repair was needed"
            if of > 1
            else f"The covariance is {'' if told else 'not '}distinguishable from 0; no "
            "repair was needed"
        )
    if np.array_equal(before, after):
        return "The released matrix is positive semidefinite; no repair was needed"
    moved = float(
        np.nanmax(np.abs(correlations_of(vector_of(before)) - correlations_of(vector_of(after))))
    )
    return (
        "The released matrix was not positive semidefinite; the repair moves a correlation "
        f"by up to {significant(moved)}"
    )


def _ellipse(matrix: FloatArray, i: int, j: int) -> tuple[FloatArray, FloatArray]:
    values, vectors = np.linalg.eigh(matrix[np.ix_([i, j], [i, j])])
    angles = np.linspace(0, 2 * np.pi, 90)
    circle = _RADIUS * np.array([np.cos(angles), np.sin(angles)])
    x, y = (vectors * np.sqrt(np.maximum(values, 0))) @ circle
    return x, y


def _stretch(place: int, of: int) -> list[float]:
    gap = 0.12 if of > 1 else 0.0
    width = (1 - gap * (of - 1)) / of
    start = place * (width + gap)
    return [start, min(start + width, 1.0)]


_INVISIBLE = 0.005
_ROOM = 1.04
_COVARIANCE, _CORRELATION = STATISTICS[2:]
_LEGEND = {"bit": "BIT", "truncated": "calibrated", "truncated-published": "published"}
_SHORT = {
    "bit": "BIT",
    "truncated": "calibrated truncation",
    "truncated-published": "truncation as published",
}


def panel_picture(outcomes: Sequence[ScenarioOutcome], statistic: str) -> Picture:
    """Return the means and percentiles of one statistic, one color a mechanism.

    The outcomes are those of one correlation. Thin bars run from the 2.5 to the 97.5
    percentile, thick ones from the 25 to the 75; dots are simulated means, lines the
    exact ones. In the legend "published" and "calibrated" are the two truncations.
    The axis holds everything that can be released, whatever epsilon is; for a
    covariance that would be too much to see anything, so that its title says the scale.
    """
    people = sorted({outcome.scenario.people for outcome in outcomes})
    keys = list(dict.fromkeys(outcome.scenario.key for outcome in outcomes))
    traces: list[Trace] = []
    for place, key in enumerate(keys):
        mine = [outcome for outcome in outcomes if outcome.scenario.key == key]
        offset = (place - (len(keys) - 1) / 2) * 0.22
        at = np.array([people.index(o.scenario.people) for o in mine]) + offset
        traces += _traces(key, at, [outcome.of[statistic] for outcome in mine])
    truth = outcomes[0].of[statistic].truth
    title = _panel_title(outcomes, statistic)
    return Picture.of(
        title,
        numbers(outcomes, [statistic]),
        alt=f"{title}. {_words(outcomes, statistic)}",
        traces=traces,
        height=340,
        xaxis=axis(
            "number of people",
            tickvals=list(range(len(people))),
            ticktext=[f"{n:,}" for n in people],
            range=[-0.5, len(people) - 0.2],
        ),
        yaxis=_axis(outcomes, statistic),
        shapes=[
            level(
                truth,
                f"true {significant(truth)}",
                LineStyle(color="rgba(127,127,127,0.9)", dash="dot", width=2),
                textposition="end",
                font={"size": 12},
            )
        ],
    )


def _axis(outcomes: Sequence[ScenarioOutcome], statistic: str) -> dict[str, Any]:
    text = f"released {LABELS[statistic]}"
    if statistic == _COVARIANCE:
        return axis(f"{text}")
    top = _ROOM * max(outcome.largest[statistic] for outcome in outcomes)
    return axis(text, range=[-top if statistic == _CORRELATION else top - _ROOM * top, top])


def _traces(key: str, at: FloatArray, summaries: list[Summary]) -> list[Trace]:
    stroke = STYLES[key]
    quiet: Trace = {"hover": "", "legendgroup": key, "showlegend": False}
    bars = [
        line(
            np.repeat(at, 3),
            [
                y
                for summary in summaries
                for y in (summary.percentiles[low], summary.percentiles[high], None)
            ],
            stroke=LineStyle(color=stroke.color, width=width),
            opacity=opacity,
            **quiet,
        )
        for low, high, width, opacity in ((0, 4, 1.5, 1.0), (1, 3, 9, 0.45))
    ]
    means = points(
        at,
        [summary.mean for summary in summaries],
        _LEGEND[key],
        dot(stroke.color, 9, stroke.symbol),
        hover="mean %{y:,.3~r} (exactly %{customdata[5]:,.3~r}), true "
        "%{customdata[6]:,.3~r}<br>half between %{customdata[1]:,.3~r} and "
        "%{customdata[3]:,.3~r}<br>95% between %{customdata[0]:,.3~r} and "
        "%{customdata[4]:,.3~r}",
        aside=NAME,
        legendgroup=key,
        customdata=[[*summary.percentiles, summary.exact, summary.truth] for summary in summaries],
    )
    return [
        *bars,
        line(
            at, [summary.exact for summary in summaries], stroke=replace(stroke, width=2), **quiet
        ),
        means,
    ]


def _panel_title(outcomes: Sequence[ScenarioOutcome], statistic: str) -> str:
    """Return what the fewest people lead to."""
    few = min(outcome.scenario.people for outcome in outcomes)
    here = [o for o in outcomes if o.scenario.people == few]
    summaries = [(o.scenario.key, o.of[statistic]) for o in here]
    name = LABELS[statistic]
    known = [(key, s) for key, s in summaries if not np.isnan(s.exact)]
    if not known:
        return f"With {few:,} people no release has a {name}"
    if all(abs(s.exact_bias) <= _INVISIBLE * (s.sd or 1.0) for _, s in known):
        key, widest = max(known, key=lambda k: k[1].percentiles[4])
        low, high = widest.percentiles[0], widest.percentiles[4]
        return (
            f"With {few:,} people the {name} is right on average, yet 95% of the "
            f"releases lie between {significant(low)} and {significant(high)} "
            f"({_SHORT[key]})"
        )
    truth = significant(known[0][1].truth)
    parts = [
        f"too {way} by {_sizes(known, sign)}"
        for way, sign in (("large", 1), ("small", -1))
        if any(sign * s.exact_bias > 0 for _, s in known)
    ]
    return f"With {few:,} people a {name} of {truth} comes out {', '.join(parts)}"


def _sizes(known: list[tuple[str, Summary]], sign: int) -> str:
    """Return the biases in one direction, the smallest first."""
    biases = sorted((sign * s.exact_bias, key) for key, s in known)
    return ", ".join(f"{significant(size)} ({_SHORT[key]})" for size, key in biases if size > 0)


def _words(outcomes: Sequence[ScenarioOutcome], statistic: str) -> str:
    sentences = []
    for outcome in outcomes:
        summary, known = outcome.of[statistic], outcome.scenario
        low, high = summary.percentiles[0], summary.percentiles[4]
        sentences.append(
            f"{CATALOG[known.key].label}, {known.people:,} people: mean "
            f"{significant(summary.mean)}, 95% between {significant(low)} and "
            f"{significant(high)}"
            + (f", {percent(summary.at_ends)} exactly -1 or 1" if summary.at_ends else "")
        )
    return "; ".join(sentences) + "."
