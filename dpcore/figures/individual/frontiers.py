"""Privacy against accuracy of a released model. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, PUBLIC, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text, significant

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.studies.individual.frontier import Frontier

_LIMIT = "#CC79A7"


def frontier_picture(found: Frontier, *, key: str, watermark: bool) -> Picture:
    """Return error over loss: one line for the guarantee and two for people here.

    The same noise is at the same height on every line; the page's own is marked.
    """
    stroke = STROKES[key]
    lines = [
        ("guarantee (DP)", found.guarantee, PUBLIC, "dash"),
        ("most exposed here", found.maximum, stroke.color, "solid"),
        ("average here", found.mean, stroke.color, "dot"),
    ]
    traces = [
        _line(name, loss, found.error, color, dash) for name, loss, color, dash in lines
    ]
    here = [(found.at(loss), color) for _, loss, color, _ in lines]
    traces.append(_here(here, found.at(found.error)))
    shown = np.concatenate([loss for _, loss, _, _ in lines])
    shown = shown[np.isfinite(shown) & (shown > 0)]
    ends = (float(shown.min()), float(shown.max())) if len(shown) else (0.1, 1.0)
    levels = [("without noise for privacy", found.without_noise, NEUTRAL, "dashdot")]
    if np.isfinite(found.cramer_rao):
        levels.append(("Cramér-Rao limit", found.cramer_rao, _LIMIT, "longdash"))
    traces += [
        _line(name, np.array(ends), np.full(2, level), color, dash)
        for name, level, color, dash in levels
    ]
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=440,
        xaxis={
            "type": "log",
            "dtick": 1,
            "exponentformat": "power",
            "title": {"text": "privacy loss, epsilon (log scale)"},
        },
        yaxis={
            "type": "log",
            "exponentformat": "power",
            "title": {"text": "typical error of the coefficients (log scale)"},
        },
    )
    title = _title(found)
    table = pd.DataFrame(
        {
            "precision gamma": found.gamma,
            "typical error": found.error,
            "epsilon, guarantee": found.guarantee,
            "epsilon, most exposed": found.maximum,
            "epsilon, average": found.mean,
        }
    )
    limit = (
        f" Cramér-Rao limit: {significant(found.cramer_rao)}."
        if np.isfinite(found.cramer_rao)
        else ""
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Lines that fall as more privacy is given up. {title}. Error without "
        f"noise: {significant(found.without_noise)}.{limit}",
        table=table,
    )


def _line(
    name: str, x: FloatArray, y: FloatArray, color: str, dash: str
) -> dict[str, Any]:
    known = np.isfinite(x) & (x > 0)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x[known],
        "y": y[known],
        "line": {"color": color, "dash": dash, "width": 2.5},
        "hovertemplate": "epsilon %{x:.3g}: error %{y:.3g}<extra>%{fullData.name}"
        "</extra>",
    }


def _here(points: list[tuple[float, str]], error: float) -> dict[str, Any]:
    known = [(x, color) for x, color in points if np.isfinite(x) and x > 0]
    return {
        "type": "scatter",
        "mode": "markers",
        "showlegend": False,
        "x": [x for x, _ in known],
        "y": [error] * len(known),
        "marker": {
            "size": 12,
            "color": "white",
            "line": {"color": [color for _, color in known], "width": 3},
        },
        "hovertemplate": "the page is set here: epsilon %{x:.3g}<extra></extra>",
    }


def _title(found: Frontier) -> str:
    error = found.at(found.error)
    if found.without_noise > 0:
        size = f"is {significant(error / found.without_noise, 3)} times that without it"
    else:
        size = f"is {significant(error, 3)}, and 0 without it"
    most = epsilon_text(found.at(found.maximum))
    average = epsilon_text(found.at(found.mean))
    promise = found.at(found.guarantee)
    guarantee = (
        f"the guarantee allows {epsilon_text(promise)}"
        if np.isfinite(promise)
        else "no guarantee is known"
    )
    return (
        f"With this noise the typical error {size}; "
        f"{guarantee}, the most exposed person loses {most}, the average one {average}"
    )
