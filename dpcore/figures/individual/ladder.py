"""Ever narrower losses as points on a log axis, each under the next wider one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcore.figures.marks import dot, points
from dpcore.figures.theme import log_axis, whole_decades

_DECADES = 6
_MIDDLE = 0.5
_SPACE = 1.6
_NEAR = 10.0


def ladder(
    names: Sequence[str], losses: Sequence[float], texts: Sequence[str], colors: Sequence[str]
) -> dict[str, Any]:
    """Return what is drawn. Points, because a bar has no beginning on a log axis.

    A loss of nothing stands at the left edge and an infinite one at the right edge,
    each as a triangle that points off the figure.
    """
    at = np.array(losses)
    known = at[np.isfinite(at) & (at > 0)]
    top = float(known.max()) if len(known) else 1.0
    low = max(float(known.min()) if len(known) else top, top * 10.0**-_DECADES)
    # Nearly equal losses must not look far apart.
    ends = whole_decades(min(low, top / _NEAR) / _SPACE, top * _SPACE)
    drawn = np.clip(at, *ends)
    share = np.log(drawn / ends[0]) / np.log(ends[1] / ends[0])
    symbols = np.where(at < ends[0], "triangle-left", "circle")
    symbols = np.where(np.isinf(at), "triangle-right", symbols)
    drawn_as = points(
        drawn,
        names,
        marker=dot(colors, 15, symbols),
        hover="%{y}: %{text}",
        text=[f"<b>{text}</b>" for text in texts],
        # Towards the middle, where there is room.
        textposition=np.where(share > _MIDDLE, "middle left", "middle right"),
        cliponaxis=False,
    )
    return {
        "traces": [drawn_as],
        "height": 100 + 54 * len(names),
        "showlegend": False,
        "margin": {"l": 24, "r": 24, "t": 12, "b": 50},
        "xaxis": log_axis("privacy loss, epsilon", *ends),
        "yaxis": {"autorange": "reversed", "automargin": True},
    }
