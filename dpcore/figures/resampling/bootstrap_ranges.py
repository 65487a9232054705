"""Between which numbers standard errors from noisy bootstraps lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from dpcore.figures.resampling.bootstrap_lines import line, unit_of
from dpcore.figures.theme import NEUTRAL, Picture, frame
from dpcore.figures.wording import significant
from dpcore.studies.resampling.bootstrap_coverage import error_range, mean_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.figures.resampling.bootstrap_lines import Named
    from dpcore.studies.resampling.bootstrap_coverage import Experiment

_HEIGHT = 420
_FAINT = 0.55


def ranges_picture(
    experiments: Sequence[Experiment], *, shown: Sequence[Named], watermark: bool
) -> Picture:
    """Return the mean standard errors with 90 % ranges; figure 7a of the source.

    Args:
        experiments: The same setting with several numbers of bootstraps, increasing.
        shown: Which methods, at least one.
        watermark: Whether the picture is for the classroom only.

    """
    times = [experiment.times for experiment in experiments]
    rows, traces = [], []
    for one in shown:
        means = [mean_error(e, one.method) for e in experiments]
        ranges = [error_range(e, one.method) for e in experiments]
        traces.append(_line(times, means, one))
        traces += [_end(times, [each[i] for each in ranges], one) for i in range(2)]
        rows += [
            {
                "bootstraps": k,
                "method": one.name,
                "mean standard error": mean,
                "5 % are below": low,
                "5 % are above": high,
                "true standard error": experiment.bagged_error,
            }
            for k, mean, (low, high), experiment in zip(
                times, means, ranges, experiments, strict=True
            )
        ]
    true = [experiment.bagged_error for experiment in experiments]
    traces.append(
        {
            "type": "scatter",
            "x": times,
            "y": true,
            "mode": "lines",
            "name": "true",
            "line": {"color": NEUTRAL, "dash": "dash", "width": 2},
            "hovertemplate": "true: %{y:.4g}<extra></extra>",
        }
    )
    unit = unit_of(experiments[-1])
    table = pd.DataFrame(rows)
    last = table.iloc[len(times) - 1]
    first = shown[0].name
    title = (
        f"With {times[-1]} bootstraps the {first} standard error lies anywhere between "
        f"{significant(float(last['5 % are below']))} and "
        f"{significant(float(last['5 % are above']))} in 9 of 10 tables; the true one "
        f"is {significant(true[-1])}"
    )
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            height=_HEIGHT,
            traces=traces,
            xaxis={"title": {"text": "number of bootstraps"}},
            yaxis={
                "title": {"text": f"standard error{unit}"},
                "rangemode": "tozero",
            },
        ),
        alt=f"Thick lines are means of standard errors, thin ones hold nine tenths. "
        f"{title}.",
        table=table,
    )


def _line(x: list[int], y: list[float], one: Named) -> dict[str, Any]:
    return line(x, y, one, "%{x} bootstraps: %{y:.4g}")


def _end(x: list[int], y: list[float], one: Named) -> dict[str, Any]:
    """Return one end of the range, thinner and without an entry of its own."""
    thin = {"color": one.stroke.color, "dash": "dot", "width": 1.2}
    return _line(x, y, one) | {"line": thin, "opacity": _FAINT, "showlegend": False}
