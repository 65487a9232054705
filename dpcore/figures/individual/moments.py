"""Moments of the losses, from the average person to the most exposed. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray


def moments_picture(
    orders: FloatArray,
    moments: FloatArray,
    *,
    at: tuple[float, float],
    ends: tuple[float, float],
    key: str,
    watermark: bool,
) -> Picture:
    """Return the moments over their order, between the mean and the maximum.

    Args:
        orders: Ascending, from 1, shape ``(k,)``.
        moments: ``(mean of epsilon^order)^(1 / order)``, shape ``(k,)``.
        at: The order that the page is set to, and its moment.
        ends: The mean and the largest loss.
        key: Mechanism, for color and dash.
        watermark: Whether the picture is for the classroom only.

    """
    order, moment = at
    mean, largest = ends
    stroke = STROKES[key]
    levels = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [float(orders[0]), float(orders[-1])],
            "y": [level, level],
            "name": name,
            "line": {"color": CONFIDENTIAL, "dash": dash, "width": 2},
            "hovertemplate": f"{name}: %{{y:.4g}}<extra></extra>",
        }
        for name, level, dash in (
            (f"most exposed: {epsilon_text(largest)}", largest, "dash"),
            (f"average: {epsilon_text(mean)}", mean, "dot"),
        )
    ]
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": orders,
        "y": moments,
        "name": "moment",
        "line": {"color": stroke.color, "dash": stroke.dash, "width": 3},
        "hovertemplate": "order %{x:.3g}: %{y:.4g}<extra></extra>",
    }
    here = {
        "type": "scatter",
        "mode": "markers",
        "x": [order],
        "y": [moment],
        "showlegend": False,
        "cliponaxis": False,
        "marker": {
            "size": 13,
            "color": "white",
            "line": {"color": "black", "width": 3},
        },
        "hovertemplate": "order %{x:.3g}: %{y:.4g}<extra></extra>",
    }
    figure = frame(
        traces=[*levels, line, here],
        watermark=watermark,
        xaxis={
            "type": "log",
            "tickvals": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
            "title": {"text": "order of the moment (log scale)"},
        },
        yaxis={"rangemode": "tozero", "title": {"text": "privacy loss, epsilon"}},
    )
    title = (
        f"The moment of order {order:g} is {epsilon_text(moment)}, between the average "
        f"person's loss ({epsilon_text(mean)}) and the largest "
        f"({epsilon_text(largest)})"
    )
    table = pd.DataFrame({"order": orders, "moment": moments})
    return Picture(
        title=title,
        figure=figure,
        alt=f"A line that rises with the order of the moment. {title}.",
        table=table,
    )
