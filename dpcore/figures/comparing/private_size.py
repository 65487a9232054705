"""A private number of people in the scale of the noise: the leak, and the cure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, STROKES, Picture, frame, plain
from dpcore.figures.wording import epsilon_text, percent, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray
    from dpcore.studies.comparing.private_size import PrivateSize

_POINTS = 241
_WIDTHS = 3
"""How many widths of the bounds the figure looks beyond them."""


def leak_picture(size: PrivateSize, *, watermark: bool) -> Picture:
    """Return how much each possible answer speaks for or against one person."""
    bounds, epsilon = size.bounds, size.epsilon
    reach = _WIDTHS * bounds.width
    y = np.linspace(bounds.lower - reach, bounds.upper + reach, _POINTS)
    revealed = size.log_ratio(y)
    inside = np.linspace(bounds.lower, bounds.upper, _POINTS)
    ends = size.log_ratio_at_bounds()
    clamped = np.concatenate([[ends[0]], size.log_ratio(inside[1:-1]), [ends[1]]])
    plain_stroke, bit = STROKES["laplace"], STROKES["bit"]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": y,
            "y": revealed,
            "name": "Laplace, not clamped",
            "line": {"color": plain_stroke.color, "width": 2.5},
        },
        {
            "type": "scatter",
            "mode": "lines",
            "x": inside,
            "y": clamped,
            "name": "BIT (clamped)",
            "line": {"color": bit.color, "dash": bit.dash, "width": 4},
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": [bounds.lower, bounds.upper],
            "y": ends,
            "name": "BIT at a bound",
            "showlegend": False,
            "marker": {"color": bit.color, "symbol": bit.symbol, "size": 10},
        },
    ]
    promises = [
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": level,
            "y1": level,
            "line": {"color": NEUTRAL, "dash": "dash", "width": 2.5},
            "label": {
                "text": f"promised: {word}{epsilon_text(epsilon)}",
                "textposition": "start",
                "yanchor": "bottom" if level > 0 else "top",
            },
        }
        for level, word in ((epsilon, "at most "), (-epsilon, "at least −"))
    ]
    far = abs(float(revealed[0]))
    title = (
        f"Promised ε {epsilon_text(epsilon)}; an answer of {significant(y[0])} gives "
        f"away {epsilon_text(far)}, and farther out ever more"
    )
    alt = (
        f"A tent that falls on both sides without limit, to -{epsilon_text(far)} at "
        f"{significant(y[0])}. Clamped, it ends at the bounds, never farther from 0 "
        f"than {epsilon_text(size.clamped_level)}. {title}."
    )
    return Picture(
        title=title,
        figure=frame(
            traces=traces,
            watermark=watermark,
            shapes=promises,
            xaxis={"title": {"text": plain("published mean")}},
            yaxis={
                "title": {"text": "for (+) or against (−) the person, log"},
                "range": [-1.1 * far, size.clamped_level + 0.15 * far],
            },
        ),
        alt=alt,
        table=pd.DataFrame({"published mean": y, "log ratio, Laplace": revealed}),
    )


def price_picture(
    sizes: Sequence[PrivateSize],
    simulated: FloatArray,
    now: PrivateSize,
    *,
    place: float,
    watermark: bool,
) -> Picture:
    """Return the error of the noisy average beside that of a public number of people.

    ``simulated`` holds the typical error of the noisy average and its standard error,
    shape ``(m, 2)``, one row for each of ``sizes``; the last row is that of ``now``.
    """
    people = np.array([size.people for size in sizes], dtype=np.float64)
    public = np.array([size.public_error(place) for size in sizes])
    noisy, error = simulated[:, 0], simulated[:, 1]
    order = np.argsort(people)
    bit = STROKES["bit"]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": people[order],
            "y": public[order],
            "name": "number public (BIT)",
            "line": {"color": bit.color, "dash": bit.dash, "width": 2.5},
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": people,
            "y": noisy,
            "error_y": {"array": 2 * error, "thickness": 1.2, "width": 3},
            "name": "noisy average, simulated",
            "marker": {
                "color": NEUTRAL,
                "symbol": "diamond",
                "size": 9,
            },
        },
    ]
    more = float(noisy[-1] / public[-1]) - 1
    price = (
        f"{percent(more)} more error than with a public number"
        if more > 0
        else "no more error than with a public number"
    )
    title = f"Hiding the number among {now.people} people costs {price}"
    alt = (
        f"Typical error against the number of people. At {now.people} people: noisy "
        f"average {significant(float(noisy[-1]))}, public number "
        f"{significant(float(public[-1]))}. {title}."
    )
    log = {"type": "log", "exponentformat": "power", "dtick": 1}
    return Picture(
        title=title,
        figure=frame(
            traces=traces,
            watermark=watermark,
            xaxis=log | {"title": {"text": "number of people (log scale)"}},
            yaxis=log | {"title": {"text": "typical error (log scale)"}},
        ),
        alt=alt,
        table=pd.DataFrame(
            {
                "people": people[order],
                "noisy average": noisy[order],
                "standard error": error[order],
                "number public (BIT)": public[order],
            }
        ),
    )
