"""Everybody's loss before and after one person moves. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text, people, significant

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.studies.outlier import Moved

_POINTS = 400
_DECADES = 6
_NOTABLE = 1.01


def moved_picture(moved: Moved, *, key: str, watermark: bool) -> Picture:
    """Return the cumulative share of the others by loss, before and after.

    Args:
        moved: The losses.
        key: Key of the mechanism, for its color.
        watermark: Whether the picture is for the classroom only.

    """
    color = STROKES[key].color
    shares = np.linspace(0, 1, min(_POINTS, max(moved.watched, 1)) + 1)[1:]
    before, after = (
        np.quantile(part, shares, method="inverted_cdf") if len(part) else np.empty(0)
        for part in (moved.before, moved.after)
    )
    known = np.concatenate([before, after, [moved.own_before, moved.own_after]])
    known = known[np.isfinite(known) & (known > 0)]
    top = float(known.max()) if len(known) else 1.0
    floor = max(float(known.min()) if len(known) else 1.0, top * 10.0**-_DECADES)
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": np.clip(losses, floor, None),
            "y": 100 * shares[: len(losses)],
            "mode": "lines",
            "name": name,
            "line": {"color": shade, "dash": dash, "width": 2.5, "shape": "hv"},
            "hovertemplate": "%{y:.1f} % lose at most %{x:.3g}"
            "<extra>%{fullData.name}</extra>",
        }
        for losses, name, shade, dash in (
            (before, "the others, before", NEUTRAL, "dash"),
            (after, "the others, after", color, "solid"),
        )
    ]
    traces += [
        {
            "type": "scatter",
            "x": [max(at, floor)],
            "y": [height],
            "mode": "markers+text",
            "text": [name],
            "textposition": "middle left"
            if at > np.sqrt(floor * top)
            else "middle right",
            "showlegend": False,
            "marker": {"color": CONFIDENTIAL, "size": 12, "symbol": symbol},
            "hovertemplate": f"{name}: %{{x:.4g}}<extra></extra>",
        }
        for at, name, symbol, height in (
            (moved.own_before, "the person, before", "diamond-open", 12),
            (moved.own_after, "the person, after", "diamond", 24),
        )
        if np.isfinite(at)
    ]
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=400,
        xaxis={
            "type": "log",
            "exponentformat": "power",
            "title": {"text": "own privacy loss, epsilon (log scale)"},
        },
        yaxis={"title": {"text": "share of the others, %"}, "range": [0, 103]},
    )
    title = _takeaway(moved)
    table = pd.DataFrame(
        {"share of the others": shares[: len(before)], "before": before, "after": after}
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Cumulative share of the other people by loss, before and after. {title}.",
        table=table,
    )


def _takeaway(moved: Moved) -> str:
    own = f"The person's own loss becomes {epsilon_text(moved.own_after)}"
    if np.isfinite(moved.own_before):
        own += f" (it was {epsilon_text(moved.own_before)})"
    if moved.rising == moved.falling == 0:
        return f"{own}; nobody else's changes"
    text = (
        f"{own}; of {people(moved.watched, 'other')} {moved.rising:,} lose more than "
        f"before and {moved.falling:,} less"
    )
    if moved.largest_rise > _NOTABLE and np.isfinite(moved.largest_rise):
        text += f", at most {significant(moved.largest_rise)} times as much"
    return text


def rise_quantiles(moved: Moved) -> FloatArray:
    """Return the 5, 50 and 95 % quantiles of ``after / before`` of the others."""
    known = (moved.before > 0) & np.isfinite(moved.before)
    if not known.any():
        return np.ones(3)
    return np.quantile(moved.after[known] / moved.before[known], [0.05, 0.5, 0.95])
