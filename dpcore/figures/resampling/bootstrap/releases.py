"""One release made of noisy bootstraps, many of them, and how often rows are copied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.calendar import cells, date_ticks
from dpcore.figures.marks import NAME, bars, histogram, landmark, line
from dpcore.figures.resampling.bootstrap.lines import COLOR, Named, unit_of
from dpcore.figures.theme import HEIGHT, STROKES, Picture, Stroke, axis, below, plain
from dpcore.inference.bootstrap_intervals import Estimate
from dpcore.privacy.bootstrap_profiles import multiplicities
from dpcore.studies.resampling.bootstrap_study import Experiment, Runs
from dpcore.wording import percent, significant

_BINS = 50
_FEWER = 24
_REACH = 6.0
"""In errors from sampling: how far releases are looked at."""
_COPIES = 8
_BAR = {"color": "rgba(127,127,127,0.45)"}


def one_picture(
    numbers: FloatArray,
    shown: Sequence[Named],
    *,
    noise: float,
    people: int | None,
    quantity: Quantity,
    statement: str = "answer",
    truth: float | None = None,
) -> Picture:
    """Return the noisy bootstraps of one table with their intervals; figure 6.

    There are at least two bootstraps, each with noise of variance ``noise``, and a
    public number of ``people``, if that is at least 2. Of the rules ``shown`` the last
    one is spoken of; ``truth`` is the mean of the population, where it is known.
    """
    found = {one.name: one.method.around(numbers, noise=noise, people=people) for one in shown}
    bins = max(1, min(_BINS, 2 * int(len(numbers) ** 0.5)))
    counts, edges = np.histogram(numbers, bins)
    top = float(counts.max())
    heights = -top * np.arange(1, len(shown) + 1) / 10
    ends = {"symbol": "line-ns-open", "size": 12}
    traces = [
        histogram(
            counts, edges, "noisy bootstraps", _BAR, hover="around %{x:.4g}: %{y} bootstraps"
        ),
        *(
            line(
                _ends(found[one.name]),
                [height, height],
                one.name,
                replace(one.stroke, width=3),
                hover="%{x:.4g}",
                aside=NAME,
                marker=ends,
            )
            for one, height in zip(shown, heights, strict=True)
        ),
    ]
    if truth is not None:
        traces += landmark(truth, 1.02 * top, "true mean", "dash")
    unit = f" ({quantity.name})" if quantity.name else ""
    answer = f"{statement}{unit}, scaled to this run"
    rows = [
        {
            "method": name,
            "estimate": center,
            "standard error": e.standard_error,
            "lower end": lower,
            "upper end": upper,
        }
        | ({} if truth is None else {"holds": bool(e.lower <= truth <= e.upper)})
        for name, e in found.items()
        for center, lower, upper in [cells([e.center, e.lower, e.upper], quantity)]
    ]
    return Picture.of(
        _one_title(found, truth, quantity),
        rows,
        drawn=f"{len(numbers)} noisy bootstraps, their intervals below: {statement}",
        height=HEIGHT + below(answer),
        traces=traces,
        xaxis=axis(plain(answer), **date_ticks(quantity, edges[0], edges[-1])),
        yaxis=axis(
            "bootstraps",
            range=[-top * (len(shown) + 1) / 10, 1.15 * top],
            tick0=0,
            tickvals=np.unique(np.round(np.linspace(0, top, 5))),
        ),
    )


def _one_title(found: dict[str, Estimate], truth: float | None, quantity: Quantity) -> str:
    name, last = list(found.items())[-1]
    error = last.standard_error
    known = (last.center, *_ends(last))
    center, low, high = (quantity.measured(number, error) for number in known)
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


def one_shot_picture(experiment: Experiment, runs: Runs) -> Picture:
    """Return one-shot releases beside averages of bootstraps; figure 8.

    The axes do not move with the noise: they reach as far as six errors from sampling
    alone, and the first and last step count what lies farther out.
    """
    given = experiment.bagged_error_given_table
    plainly = experiment.one_shot_error_given_table
    middle = experiment.population.mean
    far = _REACH * math.sqrt(experiment.sampling)
    edges = np.linspace(middle - far, middle + far, _FEWER + 1)
    laws = {
        "one shot": (runs.one_shots, Stroke(color=STROKES["gaussian"].color)),
        "average of bootstraps": (runs.centers, Stroke(color=COLOR, dash="longdashdot")),
    }
    more = (given / plainly) ** 2 - 1
    title = (
        f"Over tables the two look alike (spread {significant(runs.one_shots.std())} "
        f"and {significant(runs.centers.std())}), but around the table's own mean the "
        f"average of bootstraps has {percent(more)} more variance"
    )
    return Picture.of(
        title,
        {
            "release": list(laws),
            "standard error over tables, simulated": [
                float(values.std()) for values, _ in laws.values()
            ],
            "standard error over tables, exact": [
                experiment.one_shot_error,
                experiment.bagged_error,
            ],
            "standard error given the table, simulated": [
                float((values - runs.means).std()) for values, _ in laws.values()
            ],
            "standard error given the table, exact": [plainly, given],
        },
        drawn=f"Two histograms of {runs.tables:,} simulated releases",
        traces=[
            line(
                edges,
                [*(_within(values, edges) / runs.tables), 0.0],
                name,
                stroke,
                hover="%{x:.4g}: %{y:.1%}",
                aside=NAME,
                steps=True,
            )
            for name, (values, stroke) in laws.items()
        ],
        xaxis=axis(
            plain(f"released mean{unit_of(experiment)}, the outermost steps: or farther out"),
            range=edges[[0, -1]].tolist(),
        ),
        yaxis=axis("share of releases", tickformat=".0%", range=[0, 0.55]),
    )


def _within(values: FloatArray, edges: FloatArray) -> FloatArray:
    """Return how many lie in each step, those farther out in the outermost ones."""
    return np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]


def copies_picture(experiment: Experiment) -> Picture:
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
        f"{percent(float(shares[0]))} of the {experiment.people:,} people are not in a "
        f"resample at all, and {percent(float(shares[2:].sum()))} are in it twice or "
        "more often"
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.where(shown > 0, i / shown, np.inf)
    return Picture.of(
        title,
        {
            "times drawn": i,
            "share of rows": shown,
            "variance of the noise of this part": i * shown * noise,
            "loss of a row in it, in units of what is claimed": loss,
        },
        drawn=f"Bars of the shares of rows drawn 0 to {len(shown) - 1} times",
        traces=[
            bars(
                i,
                shown,
                "",
                {"color": COLOR},
                hover="%{x} times: %{y:.4%}",
                text=[percent(float(share)) for share in shown],
                textposition="outside",
                cliponaxis=False,
            )
        ],
        xaxis=axis("times that a row is drawn", dtick=1),
        yaxis=axis("share of rows", tickformat=".0%"),
    )
