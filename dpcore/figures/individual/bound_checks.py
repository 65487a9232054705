"""Published bounds over the exact loss: below 1 they understate. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.marks import NAME, band, level, line, note
from dpcore.figures.theme import NEUTRAL, PLATE, Picture, Stroke, log_axis
from dpcore.wording import percent, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.individual.bound_check import BoundCheck

_STROKES = (
    Stroke(color="#D55E00"),
    Stroke(color="#CC79A7", dash="dash"),
    Stroke(color="#0072B2", dash="dot"),
    Stroke(color="#009E73", dash="dashdot"),
    Stroke(color="#56B4E9", dash="longdash"),
)


def bounds_picture(checks: Sequence[BoundCheck]) -> Picture:
    """Return each bound over the exact loss, along the exact losses of the people."""
    lines = [
        line(
            check.epsilon,
            check.lowest,
            check.label,
            stroke,
            hover="exact loss %{x:.3g}: the bound is %{y:.3g} times as much",
            aside=NAME,
        )
        for check, stroke in zip(checks, _STROKES, strict=False)
    ]
    quotients = np.concatenate([check.lowest for check in checks])
    low = min(0.5, 0.9 * float(quotients.min()))
    high = max(2.0, 1.1 * float(quotients.max()))
    listed = "; ".join(
        f"{check.label} understates for {percent(check.understated)}"
        for check in checks
    )
    return Picture.of(
        _title(checks),
        {
            "bound": [check.label for check in checks],
            "people whom it promises too much, %": [
                100 * check.understated for check in checks
            ],
            "largest exact loss over the bound": [check.worst for check in checks],
        },
        alt=f"Lines of bound over exact loss, the smallest of each group. {listed}.",
        traces=lines,
        height=460,
        xaxis=log_axis("exact privacy loss, epsilon", exponentformat="power"),
        yaxis=log_axis(
            "bound / exact",
            range=[np.log10(low), np.log10(high)],
            tickvals=[0.1, 0.2, 0.5, 1, 2, 5, 10, 100],
        ),
        shapes=[
            band(low, 1, "rgba(213,94,0,0.12)"),
            level(1, stroke=Stroke(color=NEUTRAL, width=2)),
        ],
        annotations=[
            note(
                "below 1: promises too much",
                0.01,
                np.log10(low),
                xref="paper",
                xanchor="left",
                yanchor="bottom",
                **PLATE,
            )
        ],
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
