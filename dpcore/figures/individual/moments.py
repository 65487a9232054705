"""Moments of the losses, from the average person to the most exposed. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from dpcore.figures.marks import line, points, ring
from dpcore.figures.theme import (
    CONFIDENTIAL,
    STROKES,
    Picture,
    Stroke,
    axis,
    frame,
    log_axis,
)
from dpcore.wording import significant

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray


def moments_picture(
    orders: FloatArray,
    moments: FloatArray,
    *,
    at: tuple[float, float],
    ends: tuple[float, float],
    key: str,
) -> Picture:
    """Return the moments over their order, between the mean and the maximum.

    Args:
        orders: Ascending, from 1, shape ``(k,)``.
        moments: ``(mean of epsilon^order)^(1 / order)``, shape ``(k,)``.
        at: The order that the page is set to, and its moment.
        ends: The mean and the largest loss.
        key: Mechanism, for color and dash.

    """
    order, moment = at
    mean, largest = ends
    hover = "order %{x:.3g}: %{y:.4g}"
    span = [float(orders[0]), float(orders[-1])]
    levels = [
        line(
            span,
            [level, level],
            name,
            Stroke(color=CONFIDENTIAL, dash=dash, width=2),
            hover=f"{name}: %{{y:.4g}}",
        )
        for name, level, dash in (
            (f"most exposed: {significant(largest)}", largest, "dash"),
            (f"average: {significant(mean)}", mean, "dot"),
        )
    ]
    thick, here = replace(STROKES[key], width=3), ring("black")
    figure = frame(
        traces=[
            *levels,
            line(orders, moments, "moment", thick, hover=hover),
            points(
                [order],
                [moment],
                marker=here,
                hover=hover,
                showlegend=False,
                cliponaxis=False,
            ),
        ],
        xaxis=log_axis(
            "order of the moment",
            tickvals=[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
        ),
        yaxis=axis("privacy loss, epsilon (scaled to the largest)", rangemode="tozero"),
    )
    title = (
        f"The moment of order {order:g} is {significant(moment)}, between the average "
        f"person's loss ({significant(mean)}) and the largest "
        f"({significant(largest)})"
    )
    table = pd.DataFrame({"order": orders, "moment": moments})
    return Picture.of(
        title, figure, "A line that rises with the order of the moment", table
    )
