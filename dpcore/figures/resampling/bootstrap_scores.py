"""How standard errors from noisy bootstraps vary, and where the truth lies in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.resampling.bootstrap_lines import steps, unit_of
from dpcore.figures.theme import NEUTRAL, Picture, frame, mark
from dpcore.figures.wording import percent, significant
from dpcore.studies.resampling.bootstrap_coverage import (
    exact_coverage,
    mean_error,
    no_length,
)
from dpcore.studies.resampling.bootstrap_runs import z_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.figures.resampling.bootstrap_lines import Named
    from dpcore.studies.resampling.bootstrap_coverage import Experiment
    from dpcore.studies.resampling.bootstrap_runs import Runs

_BINS = 60
_FARTHEST = 5.0
_TRUE = {"color": NEUTRAL, "dash": "dash", "width": 2}


def errors_picture(
    experiment: Experiment, runs: Runs, shown: Sequence[Named], *, watermark: bool
) -> Picture:
    """Return the distributions of estimated standard errors; figure 9a.

    ``shown`` are those of ``bootstrap_lines.methods``.
    """
    unit = unit_of(experiment)
    true = experiment.bagged_error
    errors = {
        one.name: np.sqrt(one.method.variance(experiment.bootstraps, runs.spreads))
        for one in shown
    }
    high = float(max(values.max() for values in errors.values())) * 1.02
    edges = np.linspace(0.0, max(high, 2 * true, 1e-12), _BINS + 1)
    figure = frame(
        watermark=watermark,
        traces=[steps(errors[one.name], edges, one) for one in shown],
        xaxis={"title": {"text": f"estimated standard error{unit}"}},
        yaxis={"title": {"text": "share of tables"}, "tickformat": ".0%"},
    )
    top = max(float(np.max(trace.y)) for trace in figure.data)
    mark(figure, at=true, to=1.02 * top, name="true", dash="dash")
    unbiased = errors["unbiased"]
    zero = float(np.mean(unbiased == 0))
    expected = no_length(experiment, shown[0].method)
    title = (
        f"The unbiased standard error is exactly 0 for {percent(zero)} of the tables, "
        f"and below the true one for {percent(float(np.mean(unbiased < true)))}; the "
        f"conservative one is too small for "
        f"{percent(float(np.mean(errors['conservative'] < true)))}"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"{title}. True standard error {significant(true)}{unit}. "
        f"{runs.tables:,} simulated tables; a standard error of 0 is expected for "
        f"{percent(expected)}.",
        table=pd.DataFrame(
            [
                {
                    "method": one.name,
                    "mean of standard errors": float(errors[one.name].mean()),
                    "expected mean": mean_error(experiment, one.method),
                    "5 % are below": float(np.quantile(errors[one.name], 0.05)),
                    "5 % are above": float(np.quantile(errors[one.name], 0.95)),
                    "exactly 0": float(np.mean(errors[one.name] == 0)),
                    "below the true one": float(np.mean(errors[one.name] < true)),
                    "true standard error": true,
                }
                for one in shown
            ]
        ),
    )


def scores_picture(
    experiment: Experiment, runs: Runs, shown: Sequence[Named], *, watermark: bool
) -> Picture:
    """Return z-scores of the true mean against the standard normal; figure 9b.

    ``shown`` are those of ``bootstrap_lines.methods``.
    """
    edges = np.linspace(-_FARTHEST, _FARTHEST, _BINS + 1)
    scores = {one.name: z_scores(experiment, one.method, runs) for one in shown}
    middle = (edges[1:] + edges[:-1]) / 2
    width = edges[1] - edges[0]
    normal = {
        "type": "scatter",
        "x": middle,
        "y": width * np.exp(-(middle**2) / 2) / math.sqrt(2 * math.pi),
        "mode": "lines",
        "name": "right",
        "line": _TRUE,
        "hoverinfo": "skip",
    }
    beyond = {
        one.name: (
            float(np.mean(np.abs(scores[one.name]) > _quantile(one, experiment))),
            1 - exact_coverage(experiment, one.method),
        )
        for one in shown
    }
    few = (1 - shown[0].method.level) * runs.tables
    unbiased = beyond["unbiased"][0]
    title = (
        f"{round(unbiased * runs.tables):,} of {runs.tables:,} intervals with the "
        f"unbiased error miss the true mean, where {round(few):,} should; "
        f"{round(beyond['conservative'][0] * runs.tables):,} with the conservative one"
    )
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            traces=[normal, *(steps(scores[m.name], edges, m) for m in shown)],
            xaxis={"title": {"text": "estimated standard errors from the truth"}},
            yaxis={"title": {"text": "share of tables"}, "tickformat": ".0%"},
        ),
        alt=f"Distributions of z-scores beside the standard normal. {title}. Scores "
        f"beyond {_FARTHEST:g}, infinite ones included, are outside the figure.",
        table=pd.DataFrame(
            [
                {
                    "method": name,
                    "intervals that miss": missed,
                    "expected to miss": expected,
                    "error of 0": float(np.mean(np.isinf(scores[name]))),
                }
                for name, (missed, expected) in beyond.items()
            ]
        ),
    )


def _quantile(one: Named, experiment: Experiment) -> float:
    return one.method.quantile(experiment.bootstraps)
