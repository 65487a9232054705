"""What if: one person in ever larger crowds, and all when one moves. CONFIDENTIAL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.theme import (
    CONFIDENTIAL,
    FITTING,
    NEUTRAL,
    OTHER,
    STYLES,
    LineStyle,
    Picture,
    axis,
    log_axis,
    whole_decades,
)
from dpcore.figures.traces import NAME, curves, dot, line, points
from dpcore.formatting import epsilon_text, people, significant
from dpcore.individual.counterfactual import Moved
from dpcore.studies.individual.crowd import slope

_LIKE_ONE_OVER = 0.15
_NOTABLE = 1.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What grows.

    Attributes:
        axis: Its name on the axis.
        phrase: The largest of it in words, with ``{}`` for the number.
        hyperbola: Whether a line falling like 1/x through today's loss is drawn.

    """

    axis: str
    phrase: str
    hyperbola: bool


COPIES = Growth(axis="equal records", phrase="Among {} equal records,", hyperbola=False)
PEOPLE = Growth(axis="rows in the table", phrase="In a table of {} rows,", hyperbola=True)
PENALTY = Growth(axis="penalty λ", phrase="With a penalty of {},", hyperbola=False)


def crowd_picture(
    crowd: Growth, x: Sequence[float], losses: FloatArray, *, today: float, key: str
) -> Picture:
    """Return the loss against what grows, both on log axes.

    There is ``x`` of what grows, ascending and positive, and ``today`` of it in the
    table.
    """
    at = np.asarray(x, dtype=np.float64)
    shown = np.isfinite(losses) & (losses > 0)
    stroke = STYLES[key]
    traces = [
        line(
            at[shown],
            losses[shown],
            "own loss",
            stroke,
            hover=f"%{{x:,.6~r}} {crowd.axis}: ε = %{{y:,.4~r}}",
            marker=dot(stroke.color, 7),
        )
    ]
    place = int(np.argmin(np.abs(np.log(at) - np.log(today))))
    now = float(losses[place])
    if np.isfinite(now) and now > 0:
        if crowd.hyperbola:
            traces.append(
                line(
                    at,
                    now * at[place] / at,
                    "falling as 1/n",
                    LineStyle(color=NEUTRAL, dash="dash", width=1.5),
                    hover="",
                )
            )
        traces.append(
            points(
                [at[place]],
                [now],
                "now",
                dot(CONFIDENTIAL, 13, "diamond"),
                hover="now: ε = %{y:,.4~r}",
            )
        )
    return Picture.of(
        _crowd_title(crowd, at, losses, now),
        {crowd.axis: at, "epsilon": losses},
        drawn=f"Own loss against {crowd.axis}",
        traces=traces,
        xaxis=log_axis(crowd.axis),
        yaxis=log_axis("own privacy loss, ε", exponentformat="power"),
    )


def _crowd_title(crowd: Growth, x: FloatArray, losses: FloatArray, now: float) -> str:
    text = (
        f"{crowd.phrase.format(significant(float(x[-1])))} the own loss would be "
        f"{epsilon_text(float(losses[-1]))} instead of {epsilon_text(now)}"
    )
    if not crowd.hyperbola:
        return text
    fall = slope(x.tolist(), losses)
    if np.isnan(fall):
        return text
    if abs(fall + 1) <= _LIKE_ONE_OVER:
        return f"{text}: it falls as 1/n"
    if abs(fall) <= _LIKE_ONE_OVER:
        return f"{text}: the number of rows hardly matters here"
    return f"{text}: it falls as n to the power {significant(fall, 2)}"


def moved_picture(moved: Moved, *, key: str) -> Picture:
    """Return the cumulative share of the others by loss, before and after."""
    known = [end for part in (moved.before, moved.after) for end in _ends(part[np.isfinite(part)])]
    known += [at for at in (moved.own_before, moved.own_after) if _shown(at)]
    most = max(known, default=1.0)
    floor, top = whole_decades(max(min(known, default=1.0), most * 10.0**-6), most)
    levels = np.geomspace(floor, top * (1 + 1e-9), 400)
    table = {
        "epsilon at most": levels,
        "before": _share_within(moved.before, levels),
        "after": _share_within(moved.after, levels),
    }
    traces = curves(
        table,
        "epsilon at most",
        {
            "before": ("the others, before", OTHER),
            "after": ("the others, after", LineStyle(color=STYLES[key].color)),
        },
        scale=100,
        hover="%{y:.1f}% lose at most %{x:,.3~r}",
        aside=NAME,
        steps=True,
    )
    middle = np.sqrt(floor * top)
    traces += [
        points(
            [max(at, floor)],
            [height],
            name,
            dot(CONFIDENTIAL, 12, symbol),
            hover=f"{name}: %{{x:,.4~r}}",
            text=[name],
            textposition="middle left" if at > middle else "middle right",
            showlegend=False,
        )
        for at, name, symbol, height in (
            (moved.own_before, "own loss, before", "diamond-open", 12),
            (moved.own_after, "own loss, after", "diamond", 24),
        )
        if _shown(at)
    ]
    return Picture.of(
        _moved_title(moved),
        table,
        drawn="Cumulative share of the others by loss, before and after",
        traces=traces,
        height=400,
        xaxis=log_axis("own privacy loss, ε", floor, top, **FITTING),
        yaxis=axis("share of the others, %", range=[0, 103], **FITTING),
    )


def _moved_title(moved: Moved) -> str:
    own = f"The own loss becomes {epsilon_text(moved.own_after)}"
    if np.isfinite(moved.own_before):
        own += f" (it was {epsilon_text(moved.own_before)})"
    if moved.rising == moved.falling == 0:
        return f"{own}; no other loss changes"
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
        found = np.ceil(np.log(losses / levels[0]) / step - 1e-6)
    usual = np.isfinite(losses)
    places[usual] = np.clip(np.nan_to_num(found[usual]), 0, len(levels))
    return np.asarray(np.cumsum(np.bincount(places, minlength=len(levels) + 1)[:-1]) / len(losses))
