"""What bounding does near a bound: point masses, and draws that are thrown away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import STROKES, Picture, frame
from dpcore.figures.wording import percent, significant

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.mechanisms.base import Mechanism
    from dpcore.studies.teaching.laboratory import Setup


def atoms_picture(mechanism: Mechanism, setup: Setup, *, watermark: bool) -> Picture:
    """Return how often exactly a bound is released, over where the value lies."""
    place = np.linspace(0.0, 1.0, 101)
    lower, upper = mechanism.atoms(place)
    here = tuple(float(atom) for atom in mechanism.atoms(setup.place))
    color = STROKES[setup.key].color
    lines = (("exactly 0", lower, "solid"), ("exactly 1", upper, "dash"))
    figure = frame(
        watermark=watermark,
        height=320,
        traces=[
            {
                "type": "scatter",
                "x": place,
                "y": 100 * share,
                "mode": "lines",
                "name": name,
                "line": {"color": color, "dash": dash, "width": 2.5},
                "hovertemplate": "value %{x:.2f}: %{y:.3g} %<extra></extra>",
            }
            for name, share, dash in lines
        ],
        xaxis={"title": {"text": "the value (0 and 1 are the bounds)"}},
        yaxis={"title": {"text": "share of releases, %"}, "range": [0, 60]},
        shapes=[_now(setup.place)],
    )
    title = (
        f"With the value at {significant(setup.place)}, {percent(here[0])} of all "
        f"releases are exactly 0 and {percent(here[1])} exactly 1"
    )
    table = pd.DataFrame({"value": place, "P(exactly 0)": lower, "P(exactly 1)": upper})
    return Picture(
        title=title,
        figure=figure,
        alt=f"Two lines over the value. {title}.",
        table=table,
    )


def tries_picture(
    tries: FloatArray, place: FloatArray, setup: Setup, *, watermark: bool
) -> Picture:
    """Return how many draws a release takes on average, over where the value lies."""
    stroke = STROKES[setup.key]
    here, there = (
        float(np.interp(at, place, tries)) for at in (setup.place, setup.other)
    )
    figure = frame(
        watermark=watermark,
        height=320,
        traces=[
            {
                "type": "scatter",
                "x": place,
                "y": tries,
                "mode": "lines",
                "line": {"color": stroke.color, "dash": stroke.dash, "width": 2.5},
                "hovertemplate": "value %{x:.2f}: %{y:.3g} draws<extra></extra>",
            }
        ],
        xaxis={"title": {"text": "the value (0 and 1 are the bounds)"}},
        yaxis={"title": {"text": "draws for one release"}, "rangemode": "tozero"},
        shapes=[_now(setup.place), _now(setup.other, "other world")],
    )
    title = (
        f"A release takes {significant(here)} draws on average at the value "
        f"{significant(setup.place)}, but {significant(there)} at "
        f"{significant(setup.other)}"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"A line that is highest at the bounds. {title}.",
        table=pd.DataFrame({"value": place, "draws": tries}),
    )


def _now(place: float, name: str = "now") -> dict[str, Any]:
    return {
        "type": "line",
        "x0": place,
        "x1": place,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": "rgba(127,127,127,0.6)", "width": 1},
        "label": {
            "text": name,
            "textposition": "end",
            "textangle": 0,
            "xanchor": "left" if place < 0.5 else "right",  # noqa: PLR2004 - inwards
        },
    }
