"""Ever narrower losses as points on a log axis, each under the next wider one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.marks import dot, points
from dpcore.figures.theme import frame, log_axis, whole_decades

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

_DECADES = 6
_MIDDLE = 0.5
_SPACE = 1.6
_NEAR = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One loss of the ladder.

    Attributes:
        name: Whose loss it is; may be broken with ``<br>``.
        loss: At least 0; infinite where nothing limits it.
        text: What stands beside the point.
        color: Of the point.

    """

    name: str
    loss: float
    text: str
    color: str


def ladder(rungs: Sequence[Rung], *, axis: str) -> go.Figure:
    """Return the figure. Points, because a bar has no beginning on a log axis.

    A loss of nothing stands at the left edge and an infinite one at the right edge,
    each as a triangle that points off the figure.
    """
    losses = np.array([rung.loss for rung in rungs])
    known = losses[np.isfinite(losses) & (losses > 0)]
    top = float(known.max()) if len(known) else 1.0
    low = max(float(known.min()) if len(known) else top, top * 10.0**-_DECADES)
    # Nearly equal losses must not look far apart.
    ends = whole_decades(min(low, top / _NEAR) / _SPACE, top * _SPACE)
    drawn = np.clip(losses, *ends)
    share = np.log(drawn / ends[0]) / np.log(ends[1] / ends[0])
    symbols = np.where(losses < ends[0], "triangle-left", "circle")
    symbols = np.where(np.isinf(losses), "triangle-right", symbols)
    colors = [rung.color for rung in rungs]
    drawn_as = points(
        drawn,
        [rung.name for rung in rungs],
        marker=dot(colors, 15, symbols),
        hover="%{y}: %{text}",
        text=[f"<b>{rung.text}</b>" for rung in rungs],
        # Towards the middle, where there is room.
        textposition=np.where(share > _MIDDLE, "middle left", "middle right"),
        cliponaxis=False,
    )
    return frame(
        traces=[drawn_as],
        height=100 + 54 * len(rungs),
        showlegend=False,
        margin={"l": 24, "r": 24, "t": 12, "b": 50},
        xaxis=log_axis(axis, *ends),
        yaxis={
            "range": [len(rungs) - 0.5, -0.5],
            "type": "category",
            "automargin": True,
        },
    )
