"""What counting an event in two worlds has shown, after more and more draws."""

from __future__ import annotations

import math

import numpy as np

from dpcore.figures.marks import dot, interval, line, points
from dpcore.figures.theme import GUIDE, STROKES, Picture, Stroke, axis, log_axis
from dpcore.studies.teaching.laboratory import BoundEvent, LabAudit
from dpcore.wording import significant

_CUT = 6.0


def audit_picture(audit: LabAudit, event: BoundEvent, *, expected: float) -> Picture:
    """Return the estimated log ratio with its confidence limits against the draws.

    From ``expected`` draws on the violation shows, on average.
    """
    setup, truth = event.setup, event.log_ratio()
    stroke = STROKES[setup.key]
    drawn = np.isfinite(audit.estimate)
    at = np.where(drawn, audit.estimate, 0.0)
    low, high = (np.clip(limit, -_CUT, _CUT) for limit in (audit.low, audit.high))
    caught = audit.caught_from(setup.epsilon)
    lines = [(setup.epsilon, f"promised: at most {significant(setup.epsilon)}", GUIDE)]
    if math.isfinite(truth):
        exact = Stroke(color=stroke.color, width=2)
        lines.append((truth, f"exact for this event: {significant(truth)}", exact))
    ends = np.array([audit.draws[0] / 1.3, audit.draws[-1] * 1.3])
    highest = max(setup.epsilon, truth if math.isfinite(truth) else 0) + 1.5
    return Picture.of(
        _takeaway(event, truth, expected, caught),
        {
            "draws in each world": audit.draws.astype(np.int64),
            "seen, first world": audit.hits[0].astype(np.int64),
            "seen, second world": audit.hits[1].astype(np.int64),
            "log of ratio": audit.estimate,
            "at least": audit.low,
            "at most": audit.high,
        },
        drawn=f"Estimates of the log ratio of '{event.text}' after 1 to "
        f"{int(audit.draws[-1]):,} draws, with shrinking confidence bars",
        height=360,
        traces=[
            points(
                audit.draws,
                np.where(drawn, at, np.nan),
                "counted, 95 % confidence",
                dot(stroke.color, 9, stroke.symbol),
                hover="%{x:,} draws: %{y:.3f}",
                error_y=interval(high - at, at - low, thickness=1.6, width=4),
            ),
            *(
                line(ends, [height, height], name, stroke, hover="")
                for height, name, stroke in lines
            ),
        ],
        xaxis=log_axis("releases drawn in each world", dtick=1),
        yaxis=axis(
            "log of ratio (around the promise)", range=[min(-0.5, setup.epsilon - 1.5), highest]
        ),
    )


def _takeaway(event: BoundEvent, truth: float, expected: float, caught: float) -> str:
    promised = significant(event.setup.epsilon)
    if math.isfinite(caught):
        return (
            f"Caught: from {int(caught):,} draws on, the counts alone refute the "
            f"promise of {promised}"
        )
    if math.isfinite(expected):
        return (
            f"Not caught yet: this event breaks the promise ({significant(truth)} "
            f"instead of {promised}), but it takes about {int(expected):,} draws to "
            "show"
        )
    return (
        f"Nothing to catch here: the log ratio of this event is {significant(truth)}, "
        f"within the promised {promised}"
    )
