"""Published bounds over the exact loss: below 1 they understate. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, PLATE, Picture, frame
from dpcore.figures.wording import percent, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.individual.bound_check import BoundCheck

_LOOKS = (
    ("#D55E00", "solid"),
    ("#CC79A7", "dash"),
    ("#0072B2", "dot"),
    ("#009E73", "dashdot"),
    ("#56B4E9", "longdash"),
)


def bounds_picture(checks: Sequence[BoundCheck], *, watermark: bool) -> Picture:
    """Return each bound over the exact loss, along the exact losses of the people."""
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": check.label,
            "x": check.epsilon,
            "y": check.lowest,
            "line": {"color": color, "dash": dash, "width": 2.5},
            "hovertemplate": (
                "exact loss %{x:.3g}: the bound is %{y:.3g} times as much"
                "<extra>%{fullData.name}</extra>"
            ),
        }
        for check, (color, dash) in zip(checks, _LOOKS, strict=False)
    ]
    quotients = np.concatenate([check.lowest for check in checks])
    low = min(0.5, 0.9 * float(quotients.min()))
    high = max(2.0, 1.1 * float(quotients.max()))
    figure = frame(
        traces=lines,
        watermark=watermark,
        height=460,
        xaxis={
            "type": "log",
            "exponentformat": "power",
            "title": {"text": "exact privacy loss, epsilon (log scale)"},
        },
        yaxis={
            "type": "log",
            "range": [np.log10(low), np.log10(high)],
            "tickvals": [0.1, 0.2, 0.5, 1, 2, 5, 10, 100],
            "title": {"text": "bound / exact (log scale)"},
        },
        shapes=[
            {
                "type": "rect",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": low,
                "y1": 1,
                "fillcolor": "rgba(213,94,0,0.12)",
                "line": {"width": 0},
                "layer": "below",
            },
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": 1,
                "y1": 1,
                "line": {"color": NEUTRAL, "width": 2},
            },
        ],
        annotations=[
            {
                "xref": "paper",
                "x": 0.01,
                "y": np.log10(low),
                "xanchor": "left",
                "yanchor": "bottom",
                "text": "below 1: promises too much",
                "showarrow": False,
                **PLATE,
            }
        ],
    )
    table = pd.DataFrame(
        {
            "bound": [check.label for check in checks],
            "people whom it promises too much, %": [
                100 * check.understated for check in checks
            ],
            "largest exact loss over the bound": [check.worst for check in checks],
        }
    )
    title = _title(checks)
    listed = "; ".join(
        f"{check.label} understates for {percent(check.understated)}"
        for check in checks
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Lines of bound over exact loss, the smallest of each group. {listed}.",
        table=table,
    )


def _title(checks: Sequence[BoundCheck]) -> str:
    worst = max(
        (check for check in checks if check.published),
        key=lambda check: (check.understated, check.worst),
    )
    if worst.understated == 0:
        return "Here no published bound lies below anybody's exact loss"
    return (
        f"“{worst.label}” promises too much to {percent(worst.understated)} of the "
        f"people here: the exact loss is up to {significant(worst.worst, 2)} times "
        "the bound"
    )
