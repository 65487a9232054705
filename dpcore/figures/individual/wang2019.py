"""Figures 1 and 2 of Wang 2019, simulated: the guarantee, and who loses how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from dpcore.figures.individual.ladder import Rung, ladder
from dpcore.figures.marks import NAME, Mark, box, line
from dpcore.figures.theme import (
    CONFIDENTIAL,
    NEUTRAL,
    PUBLIC,
    Picture,
    Stroke,
    axis,
    frame,
    log_axis,
)
from dpcore.studies.individual.wang2019.figures import times_less
from dpcore.studies.individual.wang2019.run import Pane, numbers, of_pane
from dpcore.wording import significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.figures.marks import Values
    from dpcore.studies.individual.wang2019.figures import (
        NestedLosses,
        SampleLosses,
    )
    from dpcore.studies.individual.wang2019.run import Part

_POWERS = {"dtick": 1, "exponentformat": "power"}
_LOSSES = log_axis("privacy loss, epsilon", **_POWERS)
_DP = "DP (guarantee)"
_LEAST = 1e-3
_FOUND = "#009E73"
_PROMISE = Stroke(color=NEUTRAL, dash="dash")


def nested_picture(losses: NestedLosses) -> Picture:
    """Return the ever narrower maxima as points on a log axis, each with its factor."""
    rows = [
        ("any table, anybody (DP)", losses.guarantee),
        ("this table, anybody: at most", losses.certificate),
        ("this table, anybody: found", losses.for_all),
        ("most exposed in the table", float(losses.losses.max())),
        ("average in the table", float(losses.losses.mean())),
    ]
    colors = [NEUTRAL, PUBLIC, PUBLIC, CONFIDENTIAL, CONFIDENTIAL]
    factors = [times_less(value, losses.guarantee) for _, value in rows]
    figure = ladder(
        [
            Rung(
                name=name.replace(", ", ",<br>").replace(" in the", "<br>in the"),
                loss=value,
                text=significant(value, up=place == 0)
                + ("" if place == 0 else f"<br>{_less(factor)}"),
                color=color,
            )
            for place, ((name, value), color, factor) in enumerate(
                zip(rows, colors, factors, strict=True)
            )
        ],
        axis="privacy loss, epsilon",
    )
    title = (
        "Against the guarantee, anybody at this table is proved to lose "
        f"{_less(losses.times_at_least)}, and found to lose "
        f"{_less(losses.times_for_all)}; the most exposed person in it loses "
        f"{_less(losses.times_in_table)}"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"{title}. "
        + "; ".join(
            f"{name}: {significant(value, up=place == 0)}"
            for place, (name, value) in enumerate(rows)
        ),
        table=pd.DataFrame(
            {
                "whose loss": [name for name, _ in rows],
                "epsilon": [value for _, value in rows],
                "times below the guarantee": factors,
            }
        ),
    )


def sizes_picture(parts: Sequence[Part]) -> Picture:
    """Return a box of the losses for each number of people, below the guarantee."""
    mine = of_pane(parts, Pane.BY_SIZE)
    losses = [cast("NestedLosses", part.losses) for part in mine]
    people = [part.setting for part in mine]
    # Side by side: a box on a log axis would need a width of its own.
    places = list(range(len(people)))
    boxes = np.array([one.box for one in losses])
    boxes[:, 0] = np.maximum(boxes[:, 0], _LEAST * boxes[:, 2])
    boxes[:, 1] = np.maximum(boxes[:, 1], boxes[:, 0])
    found = Stroke(color=_FOUND)
    figure = frame(
        traces=[
            _line(places, [one.guarantee for one in losses], _DP, _PROMISE),
            _line(places, [one.for_all for one in losses], "anybody, found", found),
            box(places, boxes, "people in the table", CONFIDENTIAL, width=0.5),
        ],
        xaxis=axis(
            "number of people",
            tickvals=places,
            ticktext=[f"{n:,.0f}" for n in people],
            range=[-0.6, len(people) - 0.4],
        ),
        yaxis=_LOSSES,
    )
    ends = dict.fromkeys((0, len(mine) - 1))
    averages = [
        f"with {people[end]:,.0f} people the average person loses "
        f"{_less(losses[end].times_on_average)}"
        for end in ends
    ]
    title = f"Against the guarantee, {'; '.join(averages)}"
    return Picture.of(
        title,
        figure,
        "Boxes of the losses from minimum to maximum against the number of people",
        numbers(mine).drop(columns="pane"),
    )


def precision_picture(parts: Sequence[Part]) -> Picture:
    """Return privacy against accuracy of one posterior sample, both on log axes."""
    mine = of_pane(parts, Pane.BY_PRECISION)
    losses = [cast("SampleLosses", part.losses) for part in mine]
    excess = [one.excess for one in losses]
    lines = (
        (_DP, [s.guarantee for s in losses], _PROMISE),
        (
            "anybody, at most",
            [s.for_all for s in losses],
            Stroke(color=_FOUND, dash="longdash"),
        ),
        (
            "most exposed",
            [s.losses.max() for s in losses],
            Stroke(color=CONFIDENTIAL),
        ),
        (
            "average",
            [s.losses.mean() for s in losses],
            Stroke(color="#56B4E9", dash="dot"),
        ),
    )
    figure = frame(
        traces=[_line(excess, y, name, stroke) for name, y, stroke in lines],
        xaxis=log_axis("excess risk d/(2 gamma)", **_POWERS),
        yaxis=_LOSSES,
    )
    factors = [one.times_on_average for one in losses]
    floor = min(float(one.losses.mean()) for one in losses)
    between = " to ".join(dict.fromkeys([_less(min(factors)), _less(max(factors))]))
    title = (
        f"Against the guarantee, the average person loses {between}; no loss of "
        f"accuracy shown brings the average below {significant(floor)}"
    )
    return Picture.of(
        title,
        figure,
        "Losses of a posterior sample against its excess risk",
        numbers(mine).drop(columns="pane"),
    )


def _less(factor: float) -> str:
    return f"{significant(factor)} times less" if factor < np.inf else "nothing"


def _line(x: Values, y: Values, name: str, stroke: Stroke) -> Mark:
    return line(x, y, name, stroke, hover="%{y:.4g}", aside=NAME, marker={})
