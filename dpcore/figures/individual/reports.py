"""What may be told beside the secret truth. CONFIDENTIAL pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, PUBLIC, Picture, frame
from dpcore.figures.wording import epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpcore.data.bounds import FloatArray
    from dpcore.studies.individual.reports import Reports

_POINTS = 300
_STYLES = {
    "secret truth": (CONFIDENTIAL, "solid"),
    "free report": (PUBLIC, "dash"),
    "as published": ("#CC79A7", "dashdot"),
    "with a noisy Hessian": ("#009E73", "dot"),
}


def reports_picture(reports: Reports, *, guarantee: float, watermark: bool) -> Picture:
    """Return the shares of people below each loss: realized, and as told."""
    curves = {"secret truth": reports.truth, **reports.told}
    ranks = np.linspace(0, 1, _POINTS + 1)[1:]
    read = {name: _quantiles(values, ranks) for name, values in curves.items()}
    finite = np.concatenate([values[np.isfinite(values)] for values in read.values()])
    top = max(float(finite.max(initial=0.0)), guarantee)
    positive = finite[finite > 0]
    floor = max(1e-4 * top, float(positive.min(initial=top)))
    figure = frame(
        traces=[
            {
                "type": "scatter",
                "mode": "lines",
                "x": np.maximum(values, floor),
                "y": 100 * ranks,
                "name": name,
                "line": {
                    "color": _STYLES[name][0],
                    "dash": _STYLES[name][1],
                    "width": 2.5,
                },
                "hovertemplate": "%{y:.0f} % at most %{x:.3g}"
                "<extra>%{fullData.name}</extra>",
            }
            for name, values in read.items()
            if np.isfinite(values).any()
        ],
        watermark=watermark,
        xaxis={
            "type": "log",
            "dtick": 1,
            "exponentformat": "power",
            "title": {"text": "loss from this release, epsilon (log scale)"},
        },
        yaxis={"title": {"text": "share of people, %"}, "range": [0, 103]},
        shapes=[
            {
                "type": "line",
                "x0": guarantee,
                "x1": guarantee,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": NEUTRAL, "dash": "dash", "width": 2},
                "label": {
                    "text": "worst case (DP)",
                    "textposition": "start",
                    "font": {"size": 12},
                },
            }
        ],
    )
    truth, free = (_middle(curves[name]) for name in ("secret truth", "free report"))
    title = (
        f"Half of the people really lost at most {epsilon_text(truth)}; half are told "
        f"at most {epsilon_text(free)}, where the guarantee says "
        f"{epsilon_text(guarantee)}"
    )
    rest = "; ".join(
        f"{name}: median {epsilon_text(_middle(values))}, largest "
        f"{epsilon_text(float(values.max()))}"
        for name, values in curves.items()
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"{title}. {rest}.",
        table=pd.DataFrame({"share of people": ranks} | read),
    )


def coverage_table(
    covered: Mapping[str, float], reports: Reports, *, promised: float
) -> pd.DataFrame:
    """Return how often each report held, and how many times the truth it says."""
    with np.errstate(divide="ignore", invalid="ignore"):
        times = {
            name: float(np.nanmedian(told / reports.truth))
            for name, told in reports.told.items()
        }
    return pd.DataFrame(
        {
            "report": list(covered),
            "promised to hold": [f"{100 * promised:.4g} %" for _ in covered],
            "held": [f"{100 * share:.4g} %" for share in covered.values()],
            "median times the truth": [significant(times[name]) for name in covered],
        }
    )


def _quantiles(values: FloatArray, ranks: FloatArray) -> FloatArray:
    return np.asarray(np.quantile(values, ranks, method="inverted_cdf"))


def _middle(values: FloatArray) -> float:
    return float(np.quantile(values, 0.5, method="inverted_cdf"))
