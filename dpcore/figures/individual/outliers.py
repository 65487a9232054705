"""Everybody's loss before and after one person moves. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import NAME, dot, line, points
from dpcore.figures.theme import (
    CONFIDENTIAL,
    OTHER,
    STROKES,
    Picture,
    Stroke,
    axis,
    frame,
    log_axis,
    whole_decades,
)
from dpcore.wording import people, significant

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray
    from dpcore.individual.moves import Moved

_POINTS = 400
_DECADES = 6
_NOTABLE = 1.01
_ROUNDING = 1e-6


def moved_picture(moved: Moved, *, key: str) -> Picture:
    """Return the cumulative share of the others by loss, before and after.

    Args:
        moved: The losses.
        key: Key of the mechanism, for its color.

    """
    color = STROKES[key].color
    known = [
        end
        for part in (moved.before, moved.after)
        for end in _ends(part[np.isfinite(part)])
    ]
    known += [at for at in (moved.own_before, moved.own_after) if _shown(at)]
    most = max(known, default=1.0)
    least = max(min(known, default=1.0), most * 10.0**-_DECADES)
    floor, top = whole_decades(least, most)
    levels = np.geomspace(floor, top * (1 + 1e-9), _POINTS)
    before, after = (
        _share_within(part, levels) for part in (moved.before, moved.after)
    )
    traces = [
        line(
            levels,
            100 * within,
            name,
            stroke,
            hover="%{y:.1f} % lose at most %{x:.3g}",
            aside=NAME,
            steps=True,
        )
        for within, name, stroke in (
            (before, "the others, before", OTHER),
            (after, "the others, after", Stroke(color=color)),
        )
    ]
    middle = np.sqrt(floor * top)
    traces += [
        points(
            [max(at, floor)],
            [height],
            name,
            dot(CONFIDENTIAL, 12, symbol),
            hover=f"{name}: %{{x:.4g}}",
            text=[name],
            textposition="middle left" if at > middle else "middle right",
            showlegend=False,
        )
        for at, name, symbol, height in (
            (moved.own_before, "the person, before", "diamond-open", 12),
            (moved.own_after, "the person, after", "diamond", 24),
        )
        if _shown(at)
    ]
    figure = frame(
        traces=traces,
        height=400,
        xaxis=log_axis("own privacy loss, epsilon", floor, top),
        yaxis=axis("share of the others, %", range=[0, 103]),
    )
    title = _takeaway(moved)
    table = pd.DataFrame({"epsilon at most": levels, "before": before, "after": after})
    return Picture.of(
        title,
        figure,
        "Cumulative share of the other people by loss, before and after",
        table,
    )


def _takeaway(moved: Moved) -> str:
    own = f"The person's own loss becomes {significant(moved.own_after)}"
    if np.isfinite(moved.own_before):
        own += f" (it was {significant(moved.own_before)})"
    if moved.rising == moved.falling == 0:
        return f"{own}; nobody else's changes"
    same = moved.watched - moved.rising - moved.falling
    text = (
        f"{own}; of {people(moved.watched, 'other')} {moved.rising:,} lose more than "
        f"before, {moved.falling:,} less"
    )
    if same:
        text += f" and {same:,} as much"
    if moved.largest_rise > _NOTABLE and np.isfinite(moved.largest_rise):
        text += f"; the largest rise is to {significant(moved.largest_rise)} times"
    return text


def _shown(loss: float) -> bool:
    return bool(np.isfinite(loss) and loss > 0)


def _ends(losses: FloatArray) -> list[float]:
    """Return the smallest positive loss, and the largest."""
    if len(losses) == 0 or losses.max() <= 0:
        return []
    least = float(losses.min())
    if least <= 0:
        least = float(losses[losses > 0].min())
    return [least, float(losses.max())]


def _share_within(losses: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the share of people at or below each level; sorting takes far longer."""
    if len(losses) == 0:
        return np.zeros(len(levels))
    places = np.full(len(losses), len(levels))
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.log(levels[-1] / levels[0]) / (len(levels) - 1)
        found = np.ceil(np.log(losses / levels[0]) / step - _ROUNDING)
    usual = np.isfinite(losses)
    places[usual] = np.clip(np.nan_to_num(found[usual]), 0, len(levels))
    counts = np.bincount(places, minlength=len(levels) + 1)[:-1]
    return np.asarray(np.cumsum(counts) / len(losses))
