"""What people lost over all releases of a ledger. CONFIDENTIAL pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.individual.compared import clause
from dpcore.figures.theme import (
    CONFIDENTIAL,
    NEUTRAL,
    PUBLIC,
    Picture,
    frame,
    log_axis,
)
from dpcore.figures.wording import epsilon_text, significant
from dpcore.individual.totals import Counting

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from dpcore.data.bounds import FloatArray
    from dpcore.figures.individual.compared import Compared
    from dpcore.individual.losses import Losses
    from dpcore.individual.totals import PersonTotals

_BINS = 60
_POINTS = 500
_DECADES = 8
_MOST_STEPS = 500
_ALIKE = 0.99
_SAME = 0.01
_LINES = {
    Counting.SIMPLE: ("#D55E00", "dash"),
    Counting.ZCDP: ("#56B4E9", "dot"),
    Counting.BEST: (CONFIDENTIAL, "solid"),
}


def totals_picture(
    totals: Losses,
    *,
    charged: float,
    planned: float,
    watermark: bool,
    compared: Compared | None = None,
) -> Picture:
    """Return how many people lost how much, beside what the account was charged.

    Args:
        totals: Everybody's loss over all releases together.
        charged: The sum of the epsilons that the account was charged.
        planned: The worst case over all tables, counted like the totals.
        watermark: Whether it is a classroom demonstration.
        compared: What the losses compare with; not said if not given.

    """
    top = max(
        (end for end in (totals.maximum, charged, planned) if np.isfinite(end)),
        default=0.0,
    )
    top = 1.2 * top or 1.0
    finite = totals.ordered[np.isfinite(totals.ordered) & (totals.ordered > 0)]
    least = float(finite[0]) if len(finite) else top
    floor = max(0.999 * least, top * 10.0**-_DECADES)
    edges = np.geomspace(min(floor, top / 10), top, _BINS + 1)
    # Whoever lost less than the first edge, or nothing, stands in the first bar.
    counts = totals.histogram(np.concatenate([[-1.0], edges[1:]]))
    figure = frame(
        traces=[
            {
                "type": "bar",
                "x": np.sqrt(edges[1:] * edges[:-1]),
                "y": counts,
                "width": np.diff(edges),
                "marker": {"color": CONFIDENTIAL},
                "hovertemplate": "around %{x:.3g}: %{y:,} people<extra></extra>",
            }
        ],
        watermark=watermark,
        showlegend=False,
        bargap=0,
        margin={"l": 60, "r": 24, "t": 56, "b": 50},
        xaxis=log_axis("total loss of a person, epsilon", edges[0], 1.3 * top),
        yaxis={"title": {"text": "people"}},
        **_lines({"charged": charged, "worst case (DP)": planned}),
    )
    losses, share = totals.ecdf(_POINTS)
    median = float(totals.quantiles(0.5))
    rows = [
        ("account was charged", charged),
        ("worst case, counted like the totals", planned),
        ("most exposed person", totals.maximum),
        ("half of the people at most", median),
    ]
    title = (
        f"Over all releases{clause(compared)} the most exposed person lost "
        f"{epsilon_text(totals.maximum)}, half of the people at most "
        f"{epsilon_text(median)}; the account was charged {epsilon_text(charged)}"
    )
    if compared is not None and compared.mixed:
        title += ", which is for another change of a record"
    elif charged > (1 + _SAME) * planned:
        title += (
            f", release by release, where the worst case of all tables is "
            f"{epsilon_text(planned)} if it is counted like the people's losses"
        )
    return Picture(
        title=title,
        figure=figure,
        alt="Histogram of people by total loss. "
        + "; ".join(f"{name}: {epsilon_text(value)}" for name, value in rows),
        table=pd.DataFrame({"epsilon at most": losses, "share of people": share}),
    )


def odometer_picture(
    path: Sequence[PersonTotals],
    *,
    titles: Sequence[str],
    own: Sequence[float],
    charges: Sequence[float],
    watermark: bool,
    compared: Compared | None = None,
) -> Picture:
    """Return one person's losses, a bar a release, and the totals after each.

    Args:
        path: The person's totals after each release.
        titles: What was released, in the order of the releases.
        own: The person's epsilon of each release alone.
        charges: What the account was charged for each.
        watermark: Whether it is a classroom demonstration.
        compared: What the losses compare with; not said if not given.

    """
    number = np.arange(1, len(path) + 1)
    shown = slice(max(0, len(path) - _MOST_STEPS), None)
    ways = {way: np.array([float(step.of[way][0]) for step in path]) for way in _LINES}
    lines = [
        _line(number[shown], ways[way][shown], way.value, *_LINES[way])
        for way in _LINES
        if np.isfinite(ways[way]).any()
    ]
    charged = np.cumsum(charges)
    figure = (
        _only(own[0], ways, charges[0], watermark=watermark)
        if len(path) == 1
        else frame(
            traces=[
                {
                    "type": "bar",
                    "x": number[shown],
                    "y": np.array(own)[shown],
                    "name": "this release alone",
                    "marker": {"color": PUBLIC, "opacity": 0.6},
                    "hovertemplate": "release %{x}: %{y:.4g}<extra></extra>",
                },
                *lines,
                _line(number[shown], charged[shown], "charged", NEUTRAL, "longdash"),
            ],
            watermark=watermark,
            xaxis={
                "title": {"text": "release, in the order of the ledger"},
                "tick0": 1,
                "dtick": max(1, len(path) // 8),
                "range": [float(number[shown][0]) - 0.6, len(path) + 0.6],
            },
            yaxis={"title": {"text": "epsilon of this person"}, "rangemode": "tozero"},
        )
    )
    best, most = ways[Counting.BEST], int(np.argmax(own))
    alike = len(own) > 1 and min(own) >= _ALIKE * max(own)
    mixed = compared is not None and compared.mixed
    # A part of a charge says nothing where the charge is for another change.
    paid = (
        f", {significant(100 * best[-1] / charged[-1], 2)} % of what was charged"
        if not mixed
        and np.isfinite(charged[-1])
        and charged[-1] > 0
        and np.isfinite(best[-1])
        else ""
    )
    title = (
        f"This person lost {epsilon_text(float(best[-1]))} over "
        f"{len(path)} release{'' if len(path) == 1 else 's'}{clause(compared)}{paid}"
    )
    if len(path) > 1:
        title += "; as much in each" if alike else f"; most in release {most + 1}"
    return Picture(
        title=title,
        figure=figure,
        alt=f"Bars of the loss from each release, lines of the totals so far. {title}.",
        table=pd.DataFrame(
            {
                "release": number,
                "what": list(titles),
                "own epsilon": list(own),
                "charged": list(charges),
                **{f"total so far, {way}": total for way, total in ways.items()},
            }
        ),
    )


def _only(
    own: float, ways: dict[Counting, FloatArray], charged: float, *, watermark: bool
) -> go.Figure:
    """Return the ways of counting one release as bars: a path of one has no lines."""
    rows = [
        ("this release alone", own, PUBLIC),
        *((way.value, float(ways[way][0]), _LINES[way][0]) for way in _LINES),
        ("charged", charged, NEUTRAL),
    ]
    most = max((loss for _, loss, _ in rows if np.isfinite(loss)), default=0.0)
    return frame(
        traces=[
            {
                "type": "bar",
                "orientation": "h",
                "x": [loss if np.isfinite(loss) else 0.0 for _, loss, _ in rows],
                "y": [name for name, _, _ in rows],
                "text": [epsilon_text(loss) for _, loss, _ in rows],
                "textposition": "outside",
                "cliponaxis": False,
                "marker": {"color": [color for _, _, color in rows]},
                "hovertemplate": "%{y}: %{text}<extra></extra>",
            }
        ],
        watermark=watermark,
        height=320,
        showlegend=False,
        xaxis={
            "title": {"text": "epsilon of this person"},
            "range": [0, 1.3 * most or 1.0],
        },
        yaxis={"autorange": "reversed", "automargin": True},
    )


def _line(
    x: Any,  # noqa: ANN401 - an array
    y: Any,  # noqa: ANN401 - an array
    name: str,
    color: str,
    dash: str,
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": y,
        "name": name,
        "line": {"color": color, "dash": dash, "width": 2.5, "shape": "hv"},
        "marker": {"size": 5},
        "hovertemplate": "after %{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
    }


def _lines(levels: dict[str, float]) -> dict[str, Any]:
    """Return labelled vertical lines, those that are on the axis."""
    known = {name: at for name, at in levels.items() if np.isfinite(at) and at > 0}
    if len(known) > 1 and min(known.values()) >= _ALIKE * max(known.values()):
        known = {" = ".join(known): max(known.values())}
    shapes = [
        {
            "type": "line",
            "x0": at,
            "x1": at,
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "line": {"color": NEUTRAL, "dash": dash, "width": 2},
        }
        for at, dash in zip(known.values(), ("solid", "dash"), strict=False)
    ]
    words = [
        {
            "x": float(np.log10(at)),
            "y": 1.0 + 0.07 * place,
            "yref": "paper",
            "text": name,
            "showarrow": False,
            "xanchor": "right",
            "yanchor": "bottom",
        }
        for place, (name, at) in enumerate(known.items())
    ]
    return {"shapes": shapes, "annotations": words}
