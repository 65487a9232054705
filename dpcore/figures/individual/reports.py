"""What may be told beside the secret truth. CONFIDENTIAL pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import NAME, line, vertical
from dpcore.figures.theme import (
    CONFIDENTIAL,
    GUIDE,
    PUBLIC,
    Picture,
    Stroke,
    axis,
    log_axis,
)
from dpcore.wording import epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpcore.arrays import FloatArray
    from dpcore.studies.individual.reports import Reports

_POINTS = 300
_STROKES = {
    "secret truth": Stroke(color=CONFIDENTIAL),
    "free report": Stroke(color=PUBLIC, dash="dash"),
    "as published": Stroke(color="#CC79A7", dash="dashdot"),
    "with a noisy Hessian": Stroke(color="#009E73", dash="dot"),
}


def reports_picture(reports: Reports, *, guarantee: float) -> Picture:
    """Return the shares of people below each loss: realized, and as told."""
    curves = {"secret truth": reports.truth, **reports.told}
    ranks = np.linspace(0, 1, _POINTS + 1)[1:]
    read = {name: _quantiles(values, ranks) for name, values in curves.items()}
    finite = np.concatenate([values[np.isfinite(values)] for values in read.values()])
    top = max(float(finite.max(initial=0.0)), guarantee)
    positive = finite[finite > 0]
    floor = max(1e-4 * top, float(positive.min(initial=top)))
    truth, free = (_middle(curves[name]) for name in ("secret truth", "free report"))
    title = (
        f"Half of the people really lost at most {epsilon_text(truth)}; half are told "
        f"at most {epsilon_text(free)}, where the guarantee says "
        f"{epsilon_text(guarantee)}"
    )
    rest = "; ".join(
        f"{name}: median {significant(_middle(values))}, largest "
        f"{significant(float(values.max()))}"
        for name, values in curves.items()
    )
    return Picture.of(
        title,
        {"share of people": ranks} | read,
        alt=f"{title}. {rest}.",
        traces=[
            line(
                np.maximum(values, floor),
                100 * ranks,
                name,
                _STROKES[name],
                hover="%{y:.0f} % at most %{x:.3g}",
                aside=NAME,
            )
            for name, values in read.items()
            if np.isfinite(values).any()
        ],
        xaxis=log_axis(
            "loss from this release, epsilon", dtick=1, exponentformat="power"
        ),
        yaxis=axis("share of people, %", range=[0, 103]),
        shapes=[
            vertical(
                guarantee,
                "worst case (DP)",
                GUIDE,
                textposition="start",
                textangle=None,
                font={"size": 12},
            )
        ],
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
