"""One release made of noisy bootstraps, many of them, and how often rows are copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.resampling.bootstrap_lines import COLOR, unit_of
from dpcore.figures.theme import STROKES, Picture, frame, mark, plain
from dpcore.figures.wording import measured, percent, significant
from dpcore.privacy.bootstrap_profile import multiplicities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray
    from dpcore.figures.resampling.bootstrap_lines import Named
    from dpcore.inference.bootstrap_intervals import Estimate
    from dpcore.studies.resampling.bootstrap_coverage import Experiment
    from dpcore.studies.resampling.bootstrap_runs import Runs

_BINS = 50
_COPIES = 8
_BAR = {"color": "rgba(127,127,127,0.45)"}


def one_picture(
    numbers: FloatArray,
    shown: Sequence[Named],
    *,
    noise: float,
    people: int | None,
    unit: str,
    watermark: bool,
    truth: float | None = None,
) -> Picture:
    """Return the noisy bootstraps of one table with their intervals; figure 6.

    Args:
        numbers: The bootstraps, at least two.
        shown: By which rules intervals are made; the last one is spoken of.
        noise: Variance of the noise of each bootstrap.
        people: Public number of people, if at least 2.
        unit: Unit of the numbers, or "".
        watermark: Whether the picture is for the classroom only.
        truth: Mean of the population, where it is known.

    """
    found = {
        one.name: one.method.around(numbers, noise=noise, people=people)
        for one in shown
    }
    bins = max(1, min(_BINS, 2 * int(len(numbers) ** 0.5)))
    counts, edges = np.histogram(numbers, bins)
    top = float(counts.max())
    traces = [
        {
            "type": "bar",
            "x": (edges[1:] + edges[:-1]) / 2,
            "y": counts,
            "width": np.diff(edges),
            "name": "noisy bootstraps",
            "marker": _BAR,
            "hovertemplate": "around %{x:.4g}: %{y} bootstraps<extra></extra>",
        },
        *(
            {
                "type": "scatter",
                "x": [found[one.name].lower, found[one.name].upper],
                "y": [height, height],
                "mode": "lines+markers",
                "name": one.name,
                "line": {
                    "color": one.stroke.color,
                    "dash": one.stroke.dash,
                    "width": 3,
                },
                "marker": {"symbol": "line-ns-open", "size": 12},
                "hovertemplate": "%{x:.4g}<extra>%{fullData.name}</extra>",
            }
            for one, height in zip(
                shown, -top * np.arange(1, len(shown) + 1) / 10, strict=True
            )
        ),
    ]
    figure = frame(
        watermark=watermark,
        traces=traces,
        xaxis={"title": {"text": plain(f"answer{f' ({unit})' if unit else ''}")}},
        yaxis={
            "title": {"text": "bootstraps"},
            "range": [-top * (len(shown) + 1) / 10, 1.15 * top],
            "tick0": 0,
            "tickvals": np.unique(np.round(np.linspace(0, top, 5))),
        },
    )
    if truth is not None:
        mark(figure, at=truth, to=1.02 * top, name="true mean", dash="dash")
    title = _one_title(found, truth)
    rows = [
        {
            "method": name,
            "estimate": e.center,
            "standard error": e.standard_error,
            "lower end": e.lower,
            "upper end": e.upper,
        }
        | ({} if truth is None else {"holds": bool(e.lower <= truth <= e.upper)})
        for name, e in found.items()
    ]
    return Picture(
        title=title,
        figure=figure,
        alt=f"{len(numbers)} noisy bootstraps, their intervals below. {title}.",
        table=pd.DataFrame(rows),
    )


def _one_title(found: dict[str, Estimate], truth: float | None) -> str:
    name, last = list(found.items())[-1]
    error = last.standard_error
    center, low, high = (measured(x, error) for x in (last.center, *_ends(last)))
    title = f"The average is {center}, the {name} interval {low} to {high}"
    if truth is None:
        return title
    wrong = [each for each, e in found.items() if not e.lower <= truth <= e.upper]
    return f"{title}; " + (
        f"the true mean is outside the interval of: {', '.join(wrong)}"
        if wrong
        else "every interval holds the true mean"
    )


def _ends(estimate: Estimate) -> tuple[float, float]:
    return estimate.lower, estimate.upper


def one_shot_picture(experiment: Experiment, runs: Runs, *, watermark: bool) -> Picture:
    """Return one-shot releases beside averages of bootstraps; figure 8."""
    given = experiment.bagged_error_given_table
    plainly = experiment.one_shot_error_given_table
    both = np.concatenate([runs.one_shots, runs.centers])
    edges = np.linspace(both.min(), both.max(), _BINS + 1)
    strokes = {
        "one shot": (runs.one_shots, STROKES["gaussian"].color, "solid"),
        "average of bootstraps": (runs.centers, COLOR, "longdashdot"),
    }
    traces = [
        {
            "type": "scatter",
            "x": edges,
            "y": [*(np.histogram(values, edges)[0] / runs.tables), 0.0],
            "mode": "lines",
            "name": name,
            "line": {"color": color, "dash": dash, "width": 2.5, "shape": "hv"},
            "hovertemplate": "%{x:.4g}: %{y:.1%}<extra>%{fullData.name}</extra>",
        }
        for name, (values, color, dash) in strokes.items()
    ]
    more = (given / plainly) ** 2 - 1
    title = (
        f"Over tables the two look alike (spread {significant(runs.one_shots.std())} "
        f"and {significant(runs.centers.std())}), but around the table's own mean the "
        f"average of bootstraps has {percent(more)} more variance"
    )
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            traces=traces,
            xaxis={"title": {"text": plain(f"released mean{unit_of(experiment)}")}},
            yaxis={"title": {"text": "share of releases"}, "tickformat": ".0%"},
        ),
        alt=f"Two histograms of {runs.tables:,} simulated releases. {title}.",
        table=pd.DataFrame(
            {
                "release": list(strokes),
                "standard error over tables, simulated": [
                    float(values.std()) for values, _, _ in strokes.values()
                ],
                "standard error over tables, exact": [
                    experiment.one_shot_error,
                    experiment.bagged_error,
                ],
                "standard error given the table, simulated": [
                    float((values - runs.means).std())
                    for values, _, _ in strokes.values()
                ],
                "standard error given the table, exact": [plainly, given],
            }
        ),
    )


def copies_picture(experiment: Experiment, *, watermark: bool) -> Picture:
    """Return how often a row is drawn into a resample; figure 4.

    The table twin has the noise that the source gives to the part of the rows that are
    drawn ``i`` times, ``i p_i`` of the whole, and the loss of a row in that part if the
    parts were released on their own: ``i / p_i`` of what is claimed.
    """
    shares = multiplicities(experiment.people)
    shown = shares[: _COPIES + 1]
    i = np.arange(len(shown))
    noise = experiment.times * experiment.bootstraps.noise
    title = (
        f"{percent(float(shares[0]))} of the {experiment.people:,} people are not in "
        f"a resample at all, and {percent(float(shares[2:].sum()))} are in it twice or "
        "more often"
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.where(shown > 0, i / shown, np.inf)
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            traces=[
                {
                    "type": "bar",
                    "x": i,
                    "y": shown,
                    "text": [percent(float(share)) for share in shown],
                    "textposition": "outside",
                    "cliponaxis": False,
                    "marker": {"color": COLOR},
                    "hovertemplate": "%{x} times: %{y:.4%}<extra></extra>",
                }
            ],
            xaxis={"title": {"text": "times that a row is drawn"}, "dtick": 1},
            yaxis={"title": {"text": "share of rows"}, "tickformat": ".0%"},
        ),
        alt=f"Bars of the shares of rows drawn 0 to {len(shown) - 1} times. {title}.",
        table=pd.DataFrame(
            {
                "times drawn": i,
                "share of rows": shown,
                "variance of the noise of this part": i * shown * noise,
                "loss of a row in it, in units of what is claimed": loss,
            }
        ),
    )
