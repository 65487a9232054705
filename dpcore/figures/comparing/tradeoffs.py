"""Curves of bias, spread and error, and the map of which mechanism wins where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.figures.marks import NAME, Mark, dot, interval, line, note, now, points, regions
from dpcore.figures.theme import FITTING, NEUTRAL, PLATE, STROKES, Picture, axis, log_axis, plain
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.comparing.error_curves import Dots, ErrorCurve, ErrorMetric, Winners
from dpcore.wording import percent, significant

_WORDS = {ErrorMetric.RMSE: "typical error", ErrorMetric.BIAS: "bias", ErrorMetric.SPREAD: "spread"}


_VISIBLE = 0.01
_MARGIN = 0.1
_TIE = "no difference (under 1 %)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The quantity along which mechanisms are compared.

    Attributes:
        label: What it is called.
        at: Where the page is set to.
        log: Whether it is drawn on a log scale.
        heights: The ends of the other axis, which do not move with epsilon; ``None``
            to fit it to the curves.

    """

    label: str
    at: float
    log: bool
    heights: tuple[float, float] | None = None


def curves_picture(  # noqa: PLR0913 - a figure is described by its words
    curves: Sequence[ErrorCurve],
    dots: Sequence[Dots],
    metric: ErrorMetric,
    *,
    here: Sequence[ErrorCurve],
    chosen: str,
    axis: Axis,
    unit: str,
    each: str = "",
) -> Picture:
    """Return one line a mechanism, with simulated dots, along ``axis``.

    Args:
        curves: The lines. Spread and error are drawn on a log scale.
        dots: What was simulated.
        metric: What the lines show.
        here: The same mechanisms at the very point that the page is set to, which the
            takeaway is about: the lines know points beside it only.
        chosen: Key of the mechanism that was chosen on the page.
        axis: Along what they are compared.
        unit: Unit of the answer.
        each: Which of several numbers of an answer the lines are about, such as "share
            of one category".

    """
    of_each = f" of the {each}" if each else ""
    # An axis is too short to name the number: the title does.
    label = f"{_WORDS[metric]}{f', {unit}' if unit else ''}"
    lines = [
        line(
            curve.x,
            curve.of(metric),
            CATALOG[curve.key].label,
            STROKES[curve.key],
            hover="%{x:.4g}: %{y:.4g}",
            aside=NAME,
        )
        for curve in curves
    ]
    title = _takeaway(here, metric, axis, unit, of_each, chosen)
    return Picture.of(
        title,
        _table(curves, axis.label),
        alt=f"Lines of {label} against {axis.label}, one a mechanism. {title}",
        traces=[*lines, *(_dots_trace(each) for each in dots)],
        xaxis=_scale(axis.label, log=axis.log) | FITTING,
        yaxis=_heights(label, axis, metric),
        shapes=[now(axis.at, xanchor="right", yanchor="top")],
    )


def winners_picture(winners: Winners, *, axis: str, each: str = "") -> Picture:
    """Return the map of the mechanism with the least error.

    ``each`` is as for ``curves_picture``.
    """
    of_each = f" of the {each}" if each else ""
    labels = np.array([*(CATALOG[key].label for key in winners.keys), _TIE])
    colors = [*(STROKES[key].color for key in winners.keys), NEUTRAL]
    ground = regions(
        winners.position,
        winners.epsilon,
        winners.best,
        colors,
        hover="place %{x:.2f}, epsilon %{y:.3g}: %{customdata[0]}, "
        "%{customdata[1]:.1f} % below the next",
        opacity=0.75,
        customdata=np.dstack([labels[winners.best], 100 * winners.saving]),
    )
    shares = sorted(
        ((winners.share(index), label) for index, label in enumerate(labels[:-1])), reverse=True
    )
    title = (
        f"{shares[0][1]} has clearly the least error{of_each} on "
        f"{percent(shares[0][0])} of the map; on "
        f"{percent(winners.share(len(labels) - 1))} the best two are equal"
    )
    rest = ", ".join(f"{label} {percent(share)}" for share, label in shares)
    return Picture.of(
        title,
        {
            "epsilon": np.repeat(winners.epsilon, len(winners.position)),
            "place between the bounds": np.tile(winners.position, len(winners.epsilon)),
            "least error": labels[winners.best].ravel(),
            "smaller than the next by, %": 100 * winners.saving.ravel(),
        },
        alt=f"{title}. {rest}.",
        traces=[ground],
        height=420,
        xaxis=_scale(axis, log=False),
        yaxis=_scale("epsilon", log=True),
        annotations=[
            _word(winners, plain(label), np.argwhere(winners.best == index))
            for index, label in enumerate(labels)
            if (winners.best == index).any()
        ],
    )


def _word(winners: Winners, label: str, where: NDArray[np.intp]) -> Mark:
    """Return the name of a winner in the middle of the cells that it wins."""
    row, column = where[len(where) // 2]
    at = winners.position[column], np.log10(winners.epsilon[row])
    return note(label, *at, **PLATE)


def _dots_trace(dots: Dots) -> Mark:
    stroke = STROKES[dots.key]
    return points(
        dots.x,
        dots.value,
        f"{CATALOG[dots.key].label}, simulated",
        dot(stroke.color, 8, stroke.symbol),
        hover="%{y:.4g} ± %{error_y.array:.2g}",
        aside="simulated",
        error_y=interval(dots.error, thickness=1.2, width=3),
        showlegend=False,
    )


def _scale(label: str, *, log: bool) -> dict[str, Any]:
    if log:
        return log_axis(label, dtick=1, exponentformat="power")
    return axis(plain(label), type="linear")


def _heights(label: str, axis: Axis, metric: ErrorMetric) -> dict[str, Any]:
    """Return the axis of what is compared, as still as it can be held.

    A bias near 0 would not be seen beside the largest one of any epsilon.
    """
    if metric is ErrorMetric.BIAS:
        moves = "" if axis.label == "epsilon" else ", scaled to this epsilon"
        return _scale(f"{label}{moves}", log=False)
    if axis.heights is None:
        return _scale(label, log=True) | FITTING
    low, high = np.log10(axis.heights)
    span = {"range": [low - _MARGIN, high + _MARGIN]}
    return _scale(label, log=True) | FITTING | span


def _takeaway(
    here: Sequence[ErrorCurve],
    metric: ErrorMetric,
    axis: Axis,
    unit: str,
    of_each: str,
    chosen: str,
) -> str:
    heights = {curve.key: float(np.abs(curve.of(metric)[0])) for curve in here}
    least, most = min(heights.values()), max(heights.values())
    errors = [float(curve.rmse[0]) for curve in here]
    if metric is ErrorMetric.BIAS and most < _VISIBLE * min(errors):
        return (
            f"At {axis.label} {significant(axis.at)} no mechanism has a visible "
            f"bias{of_each}: the bounds are far away on the scale of the noise"
        )
    best = _joined(key for key, height in heights.items() if height <= 1.001 * least)
    worst = _joined(key for key, height in heights.items() if height >= 0.999 * most)
    if best == worst:
        return f"At {axis.label} {significant(axis.at)}, all have the same {metric}{of_each}"
    suffix = f" {unit}" if unit else ""
    text = (
        f"At {axis.label} {significant(axis.at)} the least {metric}{of_each} is that "
        f"of {best} ({significant(least)}{suffix}), the largest that of {worst} "
        f"({significant(most)}{suffix})"
    )
    own = heights.get(chosen)
    if own is not None and 1.001 * least < own < 0.999 * most:
        label = CATALOG[chosen].label
        text += f"; {label}, chosen above, has {significant(own)}{suffix}"
    return text


def _joined(keys: Iterable[str]) -> str:
    return " and ".join(CATALOG[key].label for key in keys)


def _table(curves: Sequence[ErrorCurve], axis: str) -> pd.DataFrame:
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
