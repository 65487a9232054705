"""What counting an event in two worlds has shown, after more and more draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text, significant

if TYPE_CHECKING:
    from dpcore.studies.teaching.audit import Audit, Event

_CUT = 6.0


def audit_picture(
    audit: Audit, event: Event, *, expected: float, watermark: bool
) -> Picture:
    """Return the estimated log ratio with its confidence limits against the draws.

    Args:
        audit: What was counted.
        event: What was counted for.
        expected: From how many draws on the violation shows, on average.
        watermark: Whether the picture is for the classroom only.

    """
    setup, truth = event.setup, event.log_ratio()
    stroke = STROKES[setup.key]
    drawn = np.isfinite(audit.estimate)
    at = np.where(drawn, audit.estimate, 0.0)
    low, high = (np.clip(limit, -_CUT, _CUT) for limit in (audit.low, audit.high))
    caught = audit.caught_from(setup.epsilon)
    lines = [
        (setup.epsilon, f"promised: at most {significant(setup.epsilon)}", NEUTRAL),
    ]
    if math.isfinite(truth):
        lines.append((truth, f"exact for this event: {significant(truth)}", "black"))
    ends = np.array([audit.draws[0] / 1.3, audit.draws[-1] * 1.3])
    figure = frame(
        watermark=watermark,
        height=360,
        traces=[
            {
                "type": "scatter",
                "x": audit.draws,
                "y": np.where(drawn, at, np.nan),
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": high - at,
                    "arrayminus": at - low,
                    "thickness": 1.6,
                    "width": 4,
                },
                "mode": "markers",
                "name": "counted, 95 % confidence",
                "marker": {"color": stroke.color, "symbol": stroke.symbol, "size": 9},
                "hovertemplate": "%{x:,} draws: %{y:.3f}<extra></extra>",
            },
            *(
                {
                    "type": "scatter",
                    "x": ends,
                    "y": [height, height],
                    "mode": "lines",
                    "name": name,
                    "line": {
                        "color": NEUTRAL if color == NEUTRAL else stroke.color,
                        "dash": "dash" if color == NEUTRAL else "solid",
                        "width": 2,
                    },
                    "hoverinfo": "skip",
                }
                for height, name, color in lines
            ),
        ],
        xaxis={
            "type": "log",
            "dtick": 1,
            "title": {"text": "releases drawn in each world (log scale)"},
        },
        yaxis={
            "title": {"text": "log of ratio"},
            "range": [
                min(-0.5, setup.epsilon - 1.5),
                max(setup.epsilon, truth if math.isfinite(truth) else 0) + 1.5,
            ],
        },
    )
    title = _takeaway(event, truth, expected, caught)
    return Picture(
        title=title,
        figure=figure,
        alt=(
            f"Estimates of the log ratio of '{event.text}' after 1 to "
            f"{int(audit.draws[-1]):,} draws, with shrinking confidence bars. {title}."
        ),
        table=pd.DataFrame(
            {
                "draws in each world": audit.draws.astype(np.int64),
                "seen, first world": audit.hits[0].astype(np.int64),
                "seen, second world": audit.hits[1].astype(np.int64),
                "log of ratio": audit.estimate,
                "at least": audit.low,
                "at most": audit.high,
            }
        ),
    )


def _takeaway(event: Event, truth: float, expected: float, caught: float) -> str:
    promised = significant(event.setup.epsilon)
    if math.isfinite(caught):
        return (
            f"Caught: from {int(caught):,} draws on, the counts alone refute the "
            f"promise of {promised}"
        )
    if math.isfinite(expected):
        return (
            f"Not caught yet: this event breaks the promise ({epsilon_text(truth)} "
            f"instead of {promised}), but it takes about {int(expected):,} draws to "
            "show"
        )
    return (
        f"Nothing to catch here: the log ratio of this event is "
        f"{significant(truth)}, within the promised {promised}"
    )
