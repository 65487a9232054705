"""A release with its intervals; in Classroom mode also the truth and repeated draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.theme import STROKES, TRUTH, Picture, canvas, mark, plain
from dpcore.figures.wording import measured, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray
    from dpcore.inference.intervals import Intervals

_TOTAL = "rgba(0,114,178,0.35)"
_NOISE = "#0072B2"


def answer_text(value: float, noise: FloatArray, total: FloatArray, unit: str) -> str:
    """Return the release in one line, with both intervals.

    >>> answer_text(54.21, np.array([52.9, 55.5]), np.array([52.1, 56.3]), "years")
    '54.2 years; 95 %: 52.9 to 55.5 from the noise alone, 52.1 to 56.3 with sampling'
    """
    error = float(noise[1] - noise[0]) / 2
    ends = [measured(float(end), error) for end in (*noise, *total)]
    return (
        f"{measured(value, error)}{f' {unit}' if unit else ''}; 95 %: {ends[0]} to "
        f"{ends[1]} from the noise alone, {ends[2]} to {ends[3]} with sampling"
    )


def answer_picture(
    value: float,
    around: Intervals,
    *,
    axis: str,
    unit: str,
    watermark: bool,
) -> Picture:
    """Return the sanitized value of a scalar statistic with its two intervals."""
    noise, total = around.noise[0], around.total[0]
    figure = canvas(x=axis, y="", watermark=watermark, height=230)
    for name, ends, width, color in (
        ("noise and sampling", total, 20, _TOTAL),
        ("noise alone", noise, 8, _NOISE),
    ):
        figure.add_scatter(
            x=list(ends),
            y=[0, 0],
            mode="lines",
            name=name,
            line={"width": width, "color": color},
            hovertemplate="%{x:.6g}<extra>%{fullData.name}</extra>",
        )
    figure.add_scatter(
        x=[value],
        y=[0],
        mode="markers",
        name="sanitized value",
        marker={"size": 14, "color": "white", "line": {"width": 3, "color": _NOISE}},
        hovertemplate="%{x:.6g}<extra>sanitized value</extra>",
    )
    figure.update_yaxes(visible=False, range=[-1, 1])
    title = answer_text(value, noise, total, unit)
    return Picture(
        title=title,
        figure=figure,
        alt=f"One point with a thin and a thick bar around it. {title}.",
        table=pd.DataFrame(
            {
                "what": ["noise alone", "noise and sampling"],
                "lower": [noise[0], total[0]],
                "value": [value, value],
                "upper": [noise[1], total[1]],
            }
        ),
    )


def parts_picture(  # noqa: PLR0913 - a figure is described by its words
    labels: Sequence[str],
    values: FloatArray,
    around: Intervals,
    *,
    axis: str,
    noun: str,
    unit: str,
    truth: FloatArray | None,
    watermark: bool,
) -> Picture:
    """Return sanitized numbers as bars with noise intervals that hold together.

    ``noun`` is what each number is called, such as "count"; ``truth`` is drawn only in
    Classroom mode.
    """
    shown = [plain(label) for label in labels]
    figure = canvas(x=axis, y=unit or noun, watermark=watermark)
    figure.add_bar(
        x=shown,
        y=values,
        name=f"sanitized {noun}",
        marker_color=_NOISE,
        opacity=0.75,
        error_y={
            "type": "data",
            "symmetric": False,
            "array": around.noise[:, 1] - values,
            "arrayminus": values - around.noise[:, 0],
        },
        hovertemplate="%{x}: %{y:,.4g}<extra></extra>",
    )
    table = pd.DataFrame(
        {
            "cell": list(labels),
            f"sanitized {noun}": values,
            "noise, lower": around.noise[:, 0],
            "noise, upper": around.noise[:, 1],
            "with sampling, lower": around.total[:, 0],
            "with sampling, upper": around.total[:, 1],
        }
    )
    if truth is not None:
        figure.add_scatter(
            x=shown,
            y=truth,
            mode="markers",
            name=f"true {noun}",
            marker=TRUTH,
        )
        table[f"true {noun}"] = truth
    reach = float(np.max(around.noise[:, 1] - around.noise[:, 0])) / 2
    first, second = np.argsort(values)[::-1][:2]
    title = (
        f"The largest {noun} is that of “{labels[first]}” with "
        f"{measured(float(values[first]), reach)}, then “{labels[second]}” with "
        f"{measured(float(values[second]), reach)}; all bars at once are within ± "
        f"{measured(reach, reach)}"
    )
    if values[first] - values[second] < 2 * reach:
        title += ", so the order is not certain"
    return Picture(
        title=title,
        figure=figure,
        alt=f"{len(labels)} bars of a sanitized {noun} with error bars. {title}.",
        table=table,
    )


def draws_picture(
    key: str,
    draws: FloatArray,
    *,
    truth: float,
    released: float,
    bias: float,
    axis: str,
    unit: str,
) -> Picture:
    """Return repeated simulated releases around the true value. Classroom mode only."""
    stroke = STROKES[key]
    figure = canvas(x=axis, y="draws", watermark=True)
    counts, edges = np.histogram(draws, bins=30, range=_spread(draws))
    figure.add_bar(
        x=(edges[1:] + edges[:-1]) / 2,
        y=counts,
        width=np.diff(edges),
        name=f"{len(draws)} simulated releases",
        marker_color=stroke.color,
        opacity=0.7,
        hovertemplate="around %{x:.4g}: %{y} draws<extra></extra>",
    )
    top = float(counts.max())
    mark(figure, at=truth, to=1.12 * top, name="true value", dash="solid")
    mark(figure, at=released, to=1.02 * top, name="your release", dash="dot")
    error = draws - truth
    rmse = float(np.sqrt(np.mean(error**2)))
    at_bounds = float(
        np.mean((draws == draws.min()) | (draws == draws.max()))
        if len(np.unique(draws)) < len(draws)
        else 0.0
    )
    suffix = f" {unit}" if unit else ""
    doubt = float(2 * error.std() / np.sqrt(len(draws)))
    title = (
        f"Released again and again, the answer is off by {measured(rmse, rmse / 10)}"
        f"{suffix} typically; on average by {measured(float(error.mean()), doubt)} ± "
        f"{measured(doubt, doubt)}{suffix} (exactly: {measured(bias, rmse / 10)})"
    )
    if at_bounds > 0:
        title += f"; {percent(at_bounds)} of the draws lie exactly on a bound"
    return Picture(
        title=title,
        figure=figure,
        alt=f"Histogram of simulated releases around the true value. {title}.",
        table=pd.DataFrame(
            {"from": edges[:-1], "to": edges[1:], "draws": counts},
        ),
    )


def _spread(draws: FloatArray) -> tuple[float, float]:
    """Return ends of a histogram, apart by more than floats are."""
    low, high = float(draws.min()), float(draws.max())
    least = 1e-9 * max(abs(low), abs(high)) or 1.0
    middle, half = (low + high) / 2, max((high - low) / 2, least)
    return middle - half, middle + half
