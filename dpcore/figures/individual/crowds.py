"""One person's loss in ever larger crowds. CONFIDENTIAL picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import dot, line, points
from dpcore.figures.theme import (
    CONFIDENTIAL,
    NEUTRAL,
    STROKES,
    Picture,
    Stroke,
    frame,
    log_axis,
)
from dpcore.studies.individual.crowd import slope
from dpcore.wording import significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.arrays import FloatArray

_LIKE_ONE_OVER = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """What grows.

    Attributes:
        axis: Its name on the axis.
        phrase: The largest of it in words, with ``{}`` for the number.
        hyperbola: Whether a line falling like 1/x through today's loss is drawn.

    """

    axis: str
    phrase: str
    hyperbola: bool


COPIES = Crowd(
    axis="people with the very same record",
    phrase="Among {} with the same record",
    hyperbola=False,
)
PEOPLE = Crowd(
    axis="people in the table",
    phrase="In a table of {} people",
    hyperbola=True,
)
PENALTY = Crowd(axis="penalty λ", phrase="With a penalty of {}", hyperbola=False)


def crowd_picture(
    crowd: Crowd, x: Sequence[float], losses: FloatArray, *, today: float, key: str
) -> Picture:
    """Return the loss against what grows, both on log axes.

    Args:
        crowd: What grows.
        x: How much of it, ascending and positive.
        losses: The loss at each.
        today: Where the table stands.
        key: Key of the mechanism, for its color.

    """
    at = np.asarray(x, dtype=np.float64)
    shown = np.isfinite(losses) & (losses > 0)
    stroke = STROKES[key]
    traces = [
        line(
            at[shown],
            losses[shown],
            "this person's loss",
            stroke,
            hover=f"%{{x:,.6g}} {crowd.axis}: ε %{{y:.4g}}",
            marker=dot(stroke.color, 7),
        )
    ]
    place = int(np.argmin(np.abs(np.log(at) - np.log(today))))
    now = float(losses[place])
    if np.isfinite(now) and now > 0:
        if crowd.hyperbola:
            dashed = Stroke(color=NEUTRAL, dash="dash", width=1.5)
            falling = now * at[place] / at
            traces.append(line(at, falling, "falling like 1/n", dashed, hover=""))
        here = dot(CONFIDENTIAL, 13, "diamond")
        hover = "as it is: ε %{y:.4g}"
        traces.append(points([at[place]], [now], "as it is", here, hover=hover))
    figure = frame(
        traces=traces,
        xaxis=log_axis(crowd.axis),
        yaxis=log_axis("this person's loss, epsilon", exponentformat="power"),
    )
    title = _takeaway(crowd, at, losses, now)
    return Picture.of(
        title,
        figure,
        f"One person's loss against {crowd.axis}",
        pd.DataFrame({crowd.axis: at, "epsilon": losses}),
    )


def _takeaway(crowd: Crowd, x: FloatArray, losses: FloatArray, now: float) -> str:
    text = (
        f"{crowd.phrase.format(significant(float(x[-1])))} this person would lose "
        f"{significant(float(losses[-1]))} instead of {significant(now)}"
    )
    if not crowd.hyperbola:
        return text
    fall = slope(x.tolist(), losses)
    if np.isnan(fall):
        return text
    if abs(fall + 1) <= _LIKE_ONE_OVER:
        return f"{text}: it falls like 1/n"
    if abs(fall) <= _LIKE_ONE_OVER:
        return f"{text}: the number of people hardly matters here"
    return f"{text}: it falls like n to the power {significant(fall, 2)}"
