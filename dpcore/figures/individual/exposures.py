"""Everybody's own privacy loss, as counts of people. CONFIDENTIAL pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import (
    CONFIDENTIAL,
    NEUTRAL,
    STROKES,
    Picture,
    frame,
    log_ticks,
    plain,
)
from dpcore.figures.wording import epsilon_text, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray
    from dpcore.individual.exposure import Exposure
    from dpcore.individual.model_exposure import ModelExposure
    from dpcore.individual.summaries import GroupExposure

_MARKS = ((0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (1.0, "max"))
_NAMED = ("50 %", "max")
_BINS = 60
_POINTS = 500
_DECADES = 8


def exposure_picture(
    exposure: Exposure | ModelExposure, *, key: str, watermark: bool
) -> Picture:
    """Return the histogram over the cumulative share, on one log axis."""
    stroke = STROKES[key]
    worst = exposure.worst_case
    floor, top = _span(exposure)
    edges = np.geomspace(floor, top, _BINS + 1)
    # Everybody who loses less than the first edge stands in the first bar.
    counts = exposure.histogram(np.concatenate([[-1.0], edges[1:]]))
    x, share = exposure.ecdf(_POINTS)
    quantiles = exposure.quantiles([q for q, _ in _MARKS])
    bars = {
        "type": "bar",
        "x": np.sqrt(edges[1:] * edges[:-1]),
        "y": counts,
        "width": np.diff(edges),
        "marker": {"color": stroke.color},
        "hovertemplate": "around %{x:.3g}: %{y:,} people<extra></extra>",
    }
    steps = {
        "type": "scatter",
        "yaxis": "y2",
        "x": np.maximum(x, floor),
        "y": 100 * share,
        "mode": "lines",
        "line": {"color": stroke.color, "width": 2.5, "shape": "hv"},
        "hovertemplate": "%{y:.1f} % of people lose at most %{x:.3g}<extra></extra>",
    }
    marks = {
        "type": "scatter",
        "yaxis": "y2",
        "x": np.maximum(quantiles, floor),
        "y": [100 * q for q, _ in _MARKS],
        "mode": "markers+text",
        "text": [
            f"{name}: {epsilon_text(float(at))}" if name in _NAMED else ""
            for (_, name), at in zip(_MARKS, quantiles, strict=True)
        ],
        "textposition": _sides(np.maximum(quantiles, floor), floor, top),
        "cliponaxis": False,
        "marker": {"size": 9, "color": CONFIDENTIAL},
        "hovertemplate": "%{y} %: %{x:.4g}<extra></extra>",
    }
    figure = frame(
        traces=[bars, steps, marks],
        watermark=watermark,
        height=460,
        showlegend=False,
        bargap=0,
        xaxis={
            "type": "log",
            **log_ticks(floor, top),
            "anchor": "y2",
            "title": {"text": "own privacy loss, epsilon (log scale)"},
        },
        yaxis={"domain": [0.53, 1], "title": {"text": "people"}},
        yaxis2={
            "domain": [0, 0.47],
            "title": {"text": "share of people, %"},
            "range": [0, 108],
        },
        **_worst_line(worst),
    )
    median, maximum = float(quantiles[0]), exposure.maximum
    promise = (
        f"the guarantee promises {epsilon_text(worst)}"
        if np.isfinite(worst)
        else "no guarantee is known"
    )
    title = (
        f"Half of the people lose at most {epsilon_text(median)}, the most exposed "
        f"{'at most ' if exposure.upper else ''}{epsilon_text(maximum)}; {promise}"
        if epsilon_text(float(exposure.ordered[0])) != epsilon_text(maximum)
        else f"Everybody loses {epsilon_text(maximum)}; {promise}"
    )
    table = pd.DataFrame({"epsilon at most": x, "share of people": share})
    return Picture(
        title=title,
        figure=figure,
        alt=f"Histogram and cumulative share of each person's privacy loss. {title}.",
        table=table,
    )


def _span(exposure: Exposure | ModelExposure) -> tuple[float, float]:
    """Return the ends of the log axis: at most eight decades up to the worst case."""
    positive = exposure.ordered[np.searchsorted(exposure.ordered, 0.0, side="right") :]
    known = [*positive[np.isfinite(positive)][-1:]]
    if np.isfinite(exposure.worst_case):
        known.append(exposure.worst_case)
    top = max(known, default=0.0) or 1.0
    least = float(positive[0]) if len(positive) and np.isfinite(positive[0]) else top
    return max(0.999 * least, top * 10.0**-_DECADES), 1.05 * top


def _sides(places: FloatArray, floor: float, top: float) -> list[str]:
    """Return where the words of each mark stand, off the line that rises past it.

    The line runs below to the left of a mark and above to the right of it.
    """
    right = np.log(places / floor) > np.log(top / floor) / 2
    return ["top left" if far else "bottom right" for far in right]


def _worst_line(worst: float) -> dict[str, Any]:
    """Return the labelled line of the guarantee, if that is on the axis."""
    if not (np.isfinite(worst) and worst > 0):
        return {}
    line = {
        "type": "line",
        "x0": worst,
        "x1": worst,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": NEUTRAL, "dash": "dash", "width": 2},
    }
    words = {
        "x": float(np.log10(worst)),
        "y": 1.0,
        "yref": "paper",
        "text": "worst case (DP)",
        "showarrow": False,
        "xanchor": "right",
        "yanchor": "bottom",
    }
    return {"shapes": [line], "annotations": [words]}


def groups_picture(
    groups: Sequence[GroupExposure], *, by: str, key: str, watermark: bool
) -> Picture:
    """Return who bears the loss: median to 90 % and the largest, a group a row."""
    shown = [plain(group.label) for group in groups]
    height = max(320, 60 + 34 * len(groups))
    figure = frame(watermark=watermark, height=min(height, 900))
    figure.add_scatter(
        x=[group.median for group in groups],
        y=shown,
        mode="markers",
        name="median, bar up to 90 %",
        marker={"size": 11, "color": STROKES[key].color},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [group.ninth_decile - group.median for group in groups],
            "arrayminus": [0.0] * len(groups),
        },
    )
    figure.add_scatter(
        x=[group.maximum for group in groups],
        y=shown,
        mode="markers",
        name="most exposed",
        marker={"size": 11, "symbol": "diamond-open", "color": CONFIDENTIAL},
    )
    figure.update_xaxes(title_text="own privacy loss, epsilon")
    figure.update_yaxes(
        title_text=plain(by), automargin=True, autorange="reversed", type="category"
    )
    table = pd.DataFrame(
        {
            "group": [group.label for group in groups],
            "people": [group.people for group in groups],
            "mean": [group.mean for group in groups],
            "median": [group.median for group in groups],
            "90 %": [group.ninth_decile for group in groups],
            "most exposed": [group.maximum for group in groups],
        }
    )
    most = max(groups, key=lambda group: group.mean)
    least = min(groups, key=lambda group: group.mean)
    title = (
        f"On average “{most.label}” loses most ({epsilon_text(most.mean)}), "
        f"“{least.label}” least ({epsilon_text(least.mean)})"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Median, 90 % and largest loss for {len(groups)} groups. {title}.",
        table=table,
    )


def exceeding_text(share: float, threshold: float) -> str:
    """Return how many people lose more than a threshold.

    >>> exceeding_text(0.25, 0.1)
    '25 % of the people lose more than 0.1'
    """
    return f"{percent(share)} of the people lose more than {epsilon_text(threshold)}"
