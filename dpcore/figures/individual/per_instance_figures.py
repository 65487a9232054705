"""Figures 1 and 2 of Wang 2019, simulated: the guarantee, and who loses how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from dpcore.figures.individual.ladder import Rung, ladder
from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, PUBLIC, Picture, frame
from dpcore.figures.wording import epsilon_text, significant
from dpcore.studies.individual.per_instance_run import Pane, numbers, of_pane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.individual.per_instance_figures import (
        NestedLosses,
        SampleLosses,
    )
    from dpcore.studies.individual.per_instance_run import Part

_LOG = {"type": "log", "dtick": 1, "exponentformat": "power"}
_LOSS = "privacy loss, epsilon (log scale)"
_LEAST = 1e-3
_FOUND = "#009E73"
_MEAN = "#56B4E9"


def nested_picture(losses: NestedLosses, *, watermark: bool) -> Picture:
    """Return the ever narrower maxima as points on a log axis, each with its factor."""
    rows = [
        ("any table, anybody (DP)", losses.guarantee),
        ("this table, anybody: at most", losses.certificate),
        ("this table, anybody: found", losses.for_all),
        ("most exposed in the table", float(losses.losses.max())),
        ("average in the table", float(losses.losses.mean())),
    ]
    colors = [NEUTRAL, PUBLIC, PUBLIC, CONFIDENTIAL, CONFIDENTIAL]
    factors = [losses.guarantee / value if value > 0 else np.inf for _, value in rows]
    figure = ladder(
        [
            Rung(
                name=name.replace(", ", ",<br>").replace(" in the", "<br>in the"),
                loss=value,
                text=epsilon_text(value)
                + ("" if place == 0 else f"<br>{significant(factor)} times less"),
                color=color,
            )
            for place, ((name, value), color, factor) in enumerate(
                zip(rows, colors, factors, strict=True)
            )
        ],
        axis="privacy loss, epsilon",
        watermark=watermark,
    )
    title = (
        f"Anybody at this table is proved to lose {significant(losses.times_at_least)} "
        f"times less than the guarantee, and found to lose "
        f"{significant(losses.times_for_all)} times less; the most exposed person in "
        f"it loses {significant(losses.times_in_table)} times less"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"{title}. "
        + "; ".join(f"{name}: {epsilon_text(value)}" for name, value in rows),
        table=pd.DataFrame(
            {
                "whose loss": [name for name, _ in rows],
                "epsilon": [value for _, value in rows],
                "times below the guarantee": factors,
            }
        ),
    )


def sizes_picture(parts: Sequence[Part], *, watermark: bool) -> Picture:
    """Return a box of the losses for each number of people, below the guarantee."""
    mine = of_pane(parts, Pane.BY_SIZE)
    losses = [cast("NestedLosses", part.losses) for part in mine]
    people = [part.setting for part in mine]
    # Side by side: a box on a log axis would need a width of its own.
    places = list(range(len(people)))
    boxes = np.array([one.box for one in losses])
    floors = np.maximum(boxes[:, 0], _LEAST * boxes[:, 2])
    box = {
        "type": "box",
        "name": "people in the table",
        "x": places,
        "lowerfence": floors,
        "q1": np.maximum(boxes[:, 1], floors),
        "median": boxes[:, 2],
        "q3": boxes[:, 3],
        "upperfence": boxes[:, 4],
        "width": 0.5,
        "marker": {"color": CONFIDENTIAL},
    }
    lines = {
        "DP (guarantee)": ([one.guarantee for one in losses], NEUTRAL, "dash"),
        "anybody, found": ([one.for_all for one in losses], _FOUND, "solid"),
    }
    figure = frame(
        traces=[
            *(
                _line(places, y, name, color=color, dash=dash)
                for name, (y, color, dash) in lines.items()
            ),
            box,
        ],
        watermark=watermark,
        xaxis={
            "title": {"text": "number of people"},
            "tickvals": places,
            "ticktext": [f"{n:,.0f}" for n in people],
            "range": [-0.6, len(people) - 0.4],
        },
        yaxis={**_LOG, "title": {"text": _LOSS}},
    )
    first, last = losses[0], losses[-1]
    title = (
        f"With {people[0]:,.0f} people the average person loses "
        f"{significant(first.times_on_average)} times less than the guarantee; with "
        f"{people[-1]:,.0f} people {significant(last.times_on_average)} times less"
        if len(mine) > 1
        else f"With {people[0]:,.0f} people the average person loses "
        f"{significant(first.times_on_average)} times less than the guarantee"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Boxes of the losses from minimum to maximum against the number of "
        f"people. {title}.",
        table=numbers(mine).drop(columns="pane"),
    )


def precision_picture(parts: Sequence[Part], *, watermark: bool) -> Picture:
    """Return privacy against accuracy of one posterior sample, both on log axes."""
    mine = of_pane(parts, Pane.BY_PRECISION)
    losses = [cast("SampleLosses", part.losses) for part in mine]
    excess = [one.excess for one in losses]
    lines = {
        "DP (guarantee)": ([s.guarantee for s in losses], NEUTRAL, "dash"),
        "anybody, at most": ([s.for_all for s in losses], _FOUND, "longdash"),
        "most exposed": ([s.losses.max() for s in losses], CONFIDENTIAL, "solid"),
        "average": ([s.losses.mean() for s in losses], _MEAN, "dot"),
    }
    figure = frame(
        traces=[
            _line(excess, y, name, color=color, dash=dash)
            for name, (y, color, dash) in lines.items()
        ],
        watermark=watermark,
        xaxis={
            **_LOG,
            "title": {"text": "excess risk d/(2 gamma) (log scale)"},
        },
        yaxis={**_LOG, "title": {"text": _LOSS}},
    )
    factors = [one.guarantee / float(one.losses.mean()) for one in losses]
    floor = min(float(one.losses.mean()) for one in losses)
    title = (
        f"The average person loses {significant(min(factors))} to "
        f"{significant(max(factors))} times less than the guarantee; no loss of "
        f"accuracy shown brings the average below {epsilon_text(floor)}"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Losses of a posterior sample against its excess risk. {title}.",
        table=numbers(mine).drop(columns="pane"),
    )


def _line(
    x: Sequence[float], y: Sequence[float], name: str, *, color: str, dash: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": y,
        "name": name,
        "line": {"color": color, "dash": dash, "width": 2.5},
        "hovertemplate": "%{y:.4g}<extra>%{fullData.name}</extra>",
    }
