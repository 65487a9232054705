"""One person's loss in ever larger crowds. CONFIDENTIAL picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text, significant
from dpcore.studies.individual.crowd import slope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray

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
    crowd: Crowd,
    x: Sequence[float],
    losses: FloatArray,
    *,
    today: float,
    key: str,
    watermark: bool,
) -> Picture:
    """Return the loss against what grows, both on log axes.

    Args:
        crowd: What grows.
        x: How much of it, ascending and positive.
        losses: The loss at each.
        today: Where the table stands.
        key: Key of the mechanism, for its color.
        watermark: Whether the picture is for the classroom only.

    """
    at = np.asarray(x, dtype=np.float64)
    shown = np.isfinite(losses) & (losses > 0)
    stroke = STROKES[key]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": at[shown],
            "y": losses[shown],
            "mode": "lines+markers",
            "name": "this person's loss",
            "line": {"color": stroke.color, "dash": stroke.dash, "width": 2.5},
            "marker": {"color": stroke.color, "size": 7},
            "hovertemplate": f"%{{x:,.6g}} {crowd.axis}: ε %{{y:.4g}}<extra></extra>",
        }
    ]
    place = int(np.argmin(np.abs(np.log(at) - np.log(today))))
    now = float(losses[place])
    if np.isfinite(now) and now > 0:
        if crowd.hyperbola:
            traces.append(
                {
                    "type": "scatter",
                    "x": at,
                    "y": now * at[place] / at,
                    "mode": "lines",
                    "name": "falling like 1/n",
                    "line": {"color": NEUTRAL, "dash": "dash", "width": 1.5},
                    "hoverinfo": "skip",
                }
            )
        traces.append(
            {
                "type": "scatter",
                "x": [at[place]],
                "y": [now],
                "mode": "markers",
                "name": "as it is",
                "marker": {"size": 13, "symbol": "diamond", "color": CONFIDENTIAL},
                "hovertemplate": "as it is: ε %{y:.4g}<extra></extra>",
            }
        )
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=380,
        xaxis={"type": "log", "title": {"text": f"{crowd.axis} (log scale)"}},
        yaxis={
            "type": "log",
            "exponentformat": "power",
            "title": {"text": "this person's loss, epsilon (log scale)"},
        },
    )
    title = _takeaway(crowd, at, losses, now)
    return Picture(
        title=title,
        figure=figure,
        alt=f"One person's loss against {crowd.axis}. {title}.",
        table=pd.DataFrame({crowd.axis: at, "epsilon": losses}),
    )


def _takeaway(crowd: Crowd, x: FloatArray, losses: FloatArray, now: float) -> str:
    text = (
        f"{crowd.phrase.format(significant(float(x[-1])))} this person would lose "
        f"{epsilon_text(float(losses[-1]))} instead of {epsilon_text(now)}"
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
