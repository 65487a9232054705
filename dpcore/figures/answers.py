"""A release with its intervals; in Classroom mode also the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import NAME, bars, interval, line, points, ring
from dpcore.figures.theme import (
    HEIGHT,
    TRUTH,
    Picture,
    Stroke,
    axis,
    below,
    frame,
    plain,
)
from dpcore.wording import capital, interval_ends, measured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.arrays import FloatArray
    from dpcore.inference.intervals import Intervals

_TOTAL = "rgba(0,114,178,0.35)"
_NOISE = "#0072B2"
_HEIGHT = 230


def answer_text(
    value: float, noise: FloatArray, total: FloatArray | None, unit: str
) -> str:
    """Return the release in one line, with its intervals.

    >>> noise = np.array([52.9, 55.5])
    >>> answer_text(54.21, noise, np.array([52.1, 56.3]), "years")
    '54.2 years; 95 %: 52.9 to 55.5 from the noise alone, 52.1 to 56.3 with sampling'
    >>> answer_text(54.21, noise, None, "years")
    '54.2 years; 95 %: 52.9 to 55.5 from the noise alone'
    """
    error = float(noise[1] - noise[0]) / 2
    low, high = interval_ends(*noise.tolist())
    sampling = ""
    if total is not None:
        ends = interval_ends(*total.tolist())
        sampling = f", {ends[0]} to {ends[1]} with sampling"
    return (
        f"{measured(value, error)}{f' {unit}' if unit else ''}; 95 %: {low} to {high} "
        f"from the noise alone{sampling}"
    )


def answer_picture(
    value: float, around: Intervals, *, statement: str, unit: str, sampled: bool
) -> Picture:
    """Return the sanitized value of a scalar statistic with its intervals.

    Args:
        value: The sanitized value.
        around: Its intervals.
        statement: Of what it is an answer.
        unit: Its unit.
        sampled: Whether the table is a sample; if it is everybody, there is no interval
            for a population.

    """
    noise, total = around.noise[0], around.total[0] if sampled else None
    parts = {"noise alone": noise}
    if total is not None:
        parts["noise and sampling"] = total
    return _number_line(value, parts, answer_text(value, noise, total, unit), statement)


def resampled_picture(
    value: float, around: Intervals, *, statement: str, unit: str, sampled: bool
) -> Picture:
    """Return an answer from a sample with an interval for the table, and a wider one.

    Both cover the noise and who happened to be sampled. Where they read alike, or the
    table itself is no sample of a population (``sampled``), there is one of them.
    """
    noise, total = around.noise[0], around.total[0]
    error = float(noise[1] - noise[0]) / 2
    ends = [measured(float(end), error) for end in (*noise, *total)]
    title = f"{measured(value, error)}{f' {unit}' if unit else ''}; 95 %: "
    parts, alike = {"for this table": noise}, ""
    if sampled:
        parts["for the population"] = total
    if not sampled:
        title += f"{ends[0]} to {ends[1]} for this table"
    elif ends[:2] == ends[2:]:
        alike = "for this table and the population"
        title += f"{ends[0]} to {ends[1]}, {alike} behind it"
    else:
        title += (
            f"{ends[0]} to {ends[1]} for this table, {ends[2]} to {ends[3]} for the "
            "population behind it"
        )
    return _number_line(value, parts, title, statement, alike=alike)


def _number_line(
    value: float,
    parts: dict[str, FloatArray],
    title: str,
    statement: str,
    *,
    alike: str = "",
) -> Picture:
    """Return one point and its intervals, from the narrowest to the widest.

    Where they read ``alike``, the widest one stands for all of them, under that name.
    """
    strokes = (Stroke(color=_NOISE, width=8), Stroke(color=_TOTAL, width=20))
    drawn = [
        (alike or name, ends, stroke)
        for (name, ends), stroke in zip(parts.items(), strokes, strict=False)
    ][-1 if alike else 0 :]
    hover = "%{x:.6g}"
    traces = [
        line(list(ends), [0, 0], name, stroke, hover=hover, aside=NAME)
        for name, ends, stroke in drawn
    ]
    what = "sanitized value"
    center = points([value], [0], what, ring(_NOISE, 14), hover=hover, aside=what)
    bars = "a bar" if len(drawn) == 1 else "a thin and a thick bar"
    return Picture(
        title=title,
        figure=frame(
            height=_HEIGHT + below(statement),
            traces=[*reversed(traces), center],
            xaxis=axis(plain(statement)),
            yaxis=axis(visible=False, range=[-1, 1]),
        ),
        alt=f"One point with {bars} around it. {capital(statement)}: {title}.",
        table=pd.DataFrame(
            {
                "what": list(parts),
                "lower": [float(low) for low, _ in parts.values()],
                "value": value,
                "upper": [float(high) for _, high in parts.values()],
            }
        ),
    )


def parts_picture(  # noqa: PLR0913 - a figure is described by its words
    labels: Sequence[str],
    values: FloatArray,
    around: Intervals,
    *,
    statement: str,
    noun: str,
    unit: str,
    truth: FloatArray | None,
    sampled: bool,
) -> Picture:
    """Return sanitized numbers as bars with noise intervals that hold together.

    ``statement`` says of what they are answers, and ``noun`` what each is called, such
    as "count"; ``truth`` is drawn only in Classroom mode. Where the table is not
    ``sampled`` there are no intervals for a population.
    """
    shown = [plain(label) for label in labels]
    low, high = around.noise.T
    traces = [
        bars(
            shown,
            values,
            f"sanitized {noun}",
            {"color": _NOISE},
            hover="%{x}: %{y:,.4g}",
            opacity=0.75,
            error_y=interval(high - values, values - low),
        )
    ]
    table = pd.DataFrame(
        {
            "cell": list(labels),
            f"sanitized {noun}": values,
            "noise, lower": low,
            "noise, upper": high,
        }
    )
    if sampled:
        table["with sampling, lower"] = around.total[:, 0]
        table["with sampling, upper"] = around.total[:, 1]
    if truth is not None:
        traces.append(points(shown, truth, f"{noun} without noise", TRUTH))
        table[f"{noun} without noise"] = truth
    # Bounds cut some intervals off on one side: the noise is the longer one.
    reach = float(np.max(np.abs(around.noise - np.asarray(values)[:, np.newaxis])))
    first, second = np.argsort(values)[::-1][:2]
    title = (
        f"The largest {noun} is that of “{labels[first]}” with "
        f"{measured(float(values[first]), reach)}, then “{labels[second]}” with "
        f"{measured(float(values[second]), reach)}; all bars at once are within ± "
        f"{measured(reach, reach)}"
    )
    if values[first] - values[second] < 2 * reach:
        title += ", so the order is not certain"
    return Picture.of(
        title,
        frame(
            height=HEIGHT + below(statement),
            traces=traces,
            xaxis=axis(plain(statement)),
            yaxis=axis(plain(unit or noun)),
        ),
        f"{len(labels)} bars of a sanitized {noun} with error bars: {statement}",
        table,
    )
