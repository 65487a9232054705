"""Figures 1 and 2 of Wang 2019, simulated: the guarantee, and who loses how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from dpcore.figures.individual.ladder import ladder
from dpcore.figures.marks import NAME, Mark, Values, box, lines
from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, PUBLIC, Picture, Stroke, axis, log_axis
from dpcore.studies.wang2019 import (
    FigurePart,
    NestedLosses,
    Pane,
    SampleLosses,
    numbers,
    of_pane,
    times_less,
)
from dpcore.wording import significant

_POWERS = {"dtick": 1, "exponentformat": "power"}
_LOSSES = log_axis("privacy loss, epsilon", **_POWERS)
_DP = "DP (guarantee)"
_LEAST = 1e-3
_FOUND = "#009E73"
_PROMISE = Stroke(color=NEUTRAL, dash="dash")


def nested_picture(losses: NestedLosses) -> Picture:
    """Return the ever narrower maxima as points on a log axis, each with its factor."""
    rows = {
        "any table, anybody (DP)": losses.guarantee,
        "this table, anybody: at most": losses.certificate,
        "this table, anybody: found": losses.for_all,
        "most exposed in the table": float(losses.losses.max()),
        "average in the table": float(losses.losses.mean()),
    }
    values = list(rows.values())
    factors = [times_less(value, losses.guarantee) for value in values]
    told = [significant(value, up=place == 0) for place, value in enumerate(values)]
    lesser = [f"<br>{_less(factor)}" for factor in factors[1:]]
    title = (
        "Against the guarantee, anybody at this table is proved to lose "
        f"{_less(losses.times_at_least)}, and found to lose "
        f"{_less(losses.times_for_all)}; the most exposed person in it loses "
        f"{_less(losses.times_in_table)}"
    )
    return Picture.of(
        title,
        {"whose loss": list(rows), "epsilon": values, "times below the guarantee": factors},
        alt=f"{title}. "
        + "; ".join(f"{name}: {text}" for name, text in zip(rows, told, strict=True)),
        **ladder(
            [name.replace(", ", ",<br>").replace(" in the", "<br>in the") for name in rows],
            values,
            [text + less for text, less in zip(told, ["", *lesser], strict=True)],
            [NEUTRAL, PUBLIC, PUBLIC, CONFIDENTIAL, CONFIDENTIAL],
        ),
    )


def sizes_picture(parts: Sequence[FigurePart]) -> Picture:
    """Return a box of the losses for each number of people, below the guarantee."""
    mine = of_pane(parts, Pane.BY_SIZE)
    losses = [cast("NestedLosses", part.losses) for part in mine]
    people = [part.setting for part in mine]
    # Side by side: a box on a log axis would need a width of its own.
    places = list(range(len(people)))
    boxes = np.array([one.box for one in losses])
    boxes[:, 0] = np.maximum(boxes[:, 0], _LEAST * boxes[:, 2])
    boxes[:, 1] = np.maximum(boxes[:, 1], boxes[:, 0])
    curves = [
        (_DP, [one.guarantee for one in losses], _PROMISE),
        ("anybody, found", [one.for_all for one in losses], Stroke(color=_FOUND)),
    ]
    averages = [
        f"with {people[end]:,.0f} people the average person loses "
        f"{_less(losses[end].times_on_average)}"
        for end in dict.fromkeys((0, len(mine) - 1))
    ]
    return Picture.of(
        f"Against the guarantee, {'; '.join(averages)}",
        numbers(mine).drop(columns="pane"),
        drawn="Boxes of the losses from minimum to maximum against the number of people",
        traces=[
            *_lines(places, curves),
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


def precision_picture(parts: Sequence[FigurePart]) -> Picture:
    """Return privacy against accuracy of one posterior sample, both on log axes."""
    mine = of_pane(parts, Pane.BY_PRECISION)
    losses = [cast("SampleLosses", part.losses) for part in mine]
    at_most = Stroke(color=_FOUND, dash="longdash")
    average = Stroke(color="#56B4E9", dash="dot")
    curves = [
        (_DP, [s.guarantee for s in losses], _PROMISE),
        ("anybody, at most", [s.for_all for s in losses], at_most),
        ("most exposed", [s.losses.max() for s in losses], Stroke(color=CONFIDENTIAL)),
        ("average", [s.losses.mean() for s in losses], average),
    ]
    factors = [one.times_on_average for one in losses]
    floor = min(float(one.losses.mean()) for one in losses)
    between = " to ".join(dict.fromkeys([_less(min(factors)), _less(max(factors))]))
    title = (
        f"Against the guarantee, the average person loses {between}; no loss of "
        f"accuracy shown brings the average below {significant(floor)}"
    )
    return Picture.of(
        title,
        numbers(mine).drop(columns="pane"),
        drawn="Losses of a posterior sample against its excess risk",
        traces=_lines([one.excess for one in losses], curves),
        xaxis=log_axis("excess risk d/(2 gamma)", **_POWERS),
        yaxis=_LOSSES,
    )


def _less(factor: float) -> str:
    return f"{significant(factor)} times less" if factor < np.inf else "nothing"


def _lines(x: Values, curves: list[tuple[str, list[float], Stroke]]) -> list[Mark]:
    return lines(x, curves, hover="%{y:.4g}", aside=NAME, marker={})
