"""Curves of bias, spread and error, and the map of which mechanism wins where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, PLATE, STROKES, Picture, frame, plain
from dpcore.figures.wording import percent, significant
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.comparing.tradeoffs import Curve, Dots, Metric

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpcore.studies.comparing.winners import Winners

_WORDS = {
    Metric.RMSE: "typical error",
    Metric.BIAS: "bias",
    Metric.SPREAD: "spread",
}


_VISIBLE = 0.01
_TIE = "no difference (under 1 %)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The quantity along which mechanisms are compared.

    Attributes:
        label: What it is called.
        at: Where the page is set to; the takeaway is read off the curves there.
        log: Whether it is drawn on a log scale.

    """

    label: str
    at: float
    log: bool


def curves_picture(
    curves: Sequence[Curve],
    dots: Sequence[Dots],
    metric: Metric,
    *,
    axis: Axis,
    unit: str,
    each: str = "",
    watermark: bool,
) -> Picture:
    """Return one line a mechanism, with simulated dots, along ``axis``.

    Spread and error are drawn on a log scale. ``each`` says which of several numbers
    of an answer the lines are about, such as "share of one category".
    """
    log_y = metric is not Metric.BIAS
    of_each = f" of the {each}" if each else ""
    # An axis is too short to name the number: the title does.
    label = f"{_WORDS[metric]}{f', {unit}' if unit else ''}"
    lines = [
        {
            "type": "scatter",
            "x": curve.x,
            "y": curve.of(metric),
            "mode": "lines",
            "name": CATALOG[curve.key].label,
            "line": {
                "color": STROKES[curve.key].color,
                "dash": STROKES[curve.key].dash,
                "width": 2.5,
            },
            "hovertemplate": "%{x:.4g}: %{y:.4g}<extra>%{fullData.name}</extra>",
        }
        for curve in curves
    ]
    figure = frame(
        traces=[*lines, *(_dots_trace(dot) for dot in dots)],
        watermark=watermark,
        xaxis=_scale(axis.label, log=axis.log),
        yaxis=_scale(label, log=log_y),
        shapes=[
            {
                "type": "line",
                "x0": axis.at,
                "x1": axis.at,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": "rgba(127,127,127,0.6)", "width": 1},
                "label": {
                    "text": "now",
                    "textposition": "end",
                    "textangle": 0,
                    "xanchor": "right",
                },
            }
        ],
    )
    title = _takeaway(curves, metric, axis, unit, of_each)
    return Picture(
        title=title,
        figure=figure,
        alt=f"Lines of {label} against {axis.label}, one a mechanism. {title}",
        table=_table(curves, axis.label),
    )


def winners_picture(
    winners: Winners, *, axis: str, each: str = "", watermark: bool
) -> Picture:
    """Return the map of the mechanism with the least error.

    ``each`` is as for ``curves_picture``.
    """
    of_each = f" of the {each}" if each else ""
    labels = np.array([*(CATALOG[key].label for key in winners.keys), _TIE])
    colors = [*(STROKES[key].color for key in winners.keys), NEUTRAL]
    steps = len(labels)
    scale: list[tuple[float, str]] = []
    for index, color in enumerate(colors):
        scale += [(index / steps, color), ((index + 1) / steps, color)]
    ground = {
        "type": "heatmap",
        "x": winners.position,
        "y": winners.epsilon,
        "z": winners.best,
        "zmin": -0.5,
        "zmax": steps - 0.5,
        "colorscale": scale,
        "showscale": False,
        "opacity": 0.75,
        "customdata": np.dstack([labels[winners.best], 100 * winners.saving]),
        "hovertemplate": (
            "place %{x:.2f}, epsilon %{y:.3g}: %{customdata[0]}, "
            "%{customdata[1]:.1f} % below the next<extra></extra>"
        ),
    }
    figure = frame(
        traces=[ground],
        watermark=watermark,
        height=420,
        xaxis={"title": {"text": plain(axis)}},
        yaxis=_scale("epsilon", log=True),
    )
    for index, label in enumerate(labels):
        where = np.argwhere(winners.best == index)
        if len(where) == 0:
            continue
        row, column = where[len(where) // 2]
        figure.add_annotation(
            x=winners.position[column],
            y=np.log10(winners.epsilon[row]),
            text=plain(label),
            showarrow=False,
            **PLATE,
        )
    shares = sorted(
        ((winners.share(index), label) for index, label in enumerate(labels[:-1])),
        reverse=True,
    )
    title = (
        f"{shares[0][1]} has clearly the least error{of_each} on "
        f"{percent(shares[0][0])} of the map; on "
        f"{percent(winners.share(steps - 1))} the best two are equal"
    )
    rest = ", ".join(f"{label} {percent(share)}" for share, label in shares)
    table = pd.DataFrame(
        {
            "epsilon": np.repeat(winners.epsilon, len(winners.position)),
            "place between the bounds": np.tile(winners.position, len(winners.epsilon)),
            "least error": labels[winners.best].ravel(),
            "smaller than the next by, %": 100 * winners.saving.ravel(),
        }
    )
    return Picture(title=title, figure=figure, alt=f"{title}. {rest}.", table=table)


def _dots_trace(dot: Dots) -> dict[str, Any]:
    stroke = STROKES[dot.key]
    return {
        "type": "scatter",
        "x": dot.x,
        "y": dot.value,
        "error_y": {"array": dot.error, "thickness": 1.2, "width": 3},
        "mode": "markers",
        "name": f"{CATALOG[dot.key].label}, simulated",
        "showlegend": False,
        "marker": {"color": stroke.color, "symbol": stroke.symbol, "size": 8},
        "hovertemplate": "%{y:.4g} ± %{error_y.array:.2g}<extra>simulated</extra>",
    }


def _scale(label: str, *, log: bool) -> dict[str, Any]:
    if not log:
        return {"type": "linear", "title": {"text": plain(label)}}
    return {
        "type": "log",
        "dtick": 1,
        "exponentformat": "power",
        "title": {"text": plain(f"{label} (log scale)")},
    }


def _takeaway(
    curves: Sequence[Curve], metric: Metric, axis: Axis, unit: str, of_each: str
) -> str:
    heights = {curve.key: _height(curve, metric, axis) for curve in curves}
    least, most = min(heights.values()), max(heights.values())
    errors = [_height(curve, Metric.RMSE, axis) for curve in curves]
    if metric is Metric.BIAS and most < _VISIBLE * min(errors):
        return (
            f"At {axis.label} {significant(axis.at)} no mechanism has a visible bias"
            f"{of_each}: "
            "the bounds are far away on the scale of the noise"
        )
    best = _joined(key for key, height in heights.items() if height <= 1.001 * least)
    worst = _joined(key for key, height in heights.items() if height >= 0.999 * most)
    if best == worst:
        return (
            f"At {axis.label} {significant(axis.at)}, all have the same {metric}"
            f"{of_each}"
        )
    suffix = f" {unit}" if unit else ""
    return (
        f"At {axis.label} {significant(axis.at)} the least {metric}{of_each} is that "
        f"of {best} ({significant(least)}{suffix}), the largest that of {worst} "
        f"({significant(most)}{suffix})"
    )


def _height(curve: Curve, metric: Metric, axis: Axis) -> float:
    """Return the size of the metric where the page is set to, read off the curve."""
    sizes = np.abs(curve.of(metric))
    if not axis.log:
        return float(np.interp(axis.at, curve.x, sizes))
    logs = np.log(np.maximum(sizes, np.finfo(float).tiny))
    height = float(np.exp(np.interp(np.log(axis.at), np.log(curve.x), logs)))
    return height if height > np.finfo(float).tiny else 0.0


def _joined(keys: Iterable[str]) -> str:
    return " and ".join(CATALOG[key].label for key in keys)


def _table(curves: Sequence[Curve], axis: str) -> pd.DataFrame:
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "mechanism": CATALOG[curve.key].label,
                    axis: curve.x,
                    "bias": curve.bias,
                    "spread": curve.spread,
                    "typical error": curve.rmse,
                    "true epsilon": curve.epsilon,
                }
            )
            for curve in curves
        ],
        ignore_index=True,
    )
