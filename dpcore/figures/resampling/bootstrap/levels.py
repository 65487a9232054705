"""What noisy bootstraps are claimed to reveal, beside what they really reveal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from dpcore.figures.marks import NAME, line
from dpcore.figures.resampling.bootstrap.lines import COLOR
from dpcore.figures.theme import (
    NEUTRAL,
    Picture,
    Stroke,
    frame,
    log_axis,
    whole_decades,
)
from dpcore.wording import epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.resampling.bootstrap.levels import Levels

_MOST_TICKS = 8


def levels_picture(found: Sequence[Levels], *, here: int, delta: float) -> Picture:
    """Return the claimed and the real epsilon against the number of bootstraps.

    Args:
        found: By increasing numbers of bootstraps; at least one.
        here: The number that the page is set to.
        delta: The delta of all of them.

    """
    times = [one.times for one in found]
    lines = (
        ("claimed", [one.claimed for one in found], NEUTRAL, "dash", 2.0),
        ("at least", [one.attained for one in found], COLOR, "solid", 3.0),
        ("at most, means", [one.mean for one in found], COLOR, "dash", 2.0),
        ("at most, any", [one.generic for one in found], COLOR, "dot", 2.0),
    )
    known = [x for _, values, *_ in lines for x in values if 0 < x < math.inf]
    traces = [
        line(
            times,
            values,
            name,
            Stroke(color=color, dash=dash, width=width),
            hover="%{x} bootstraps: ε %{y:.4g}",
            aside=NAME,
            marker={"size": 6},
        )
        for name, values, color, dash, width in lines
    ]
    one = next((level for level in found if level.times == here), found[-1])
    plural = "bootstrap" if one.times == 1 else "bootstraps"
    title = (
        f"With {one.times} {plural} ε is at least {significant(one.attained, 4)} and "
        f"at most {significant(one.mean, 4, up=True)} for a mean, where "
        f"{significant(one.claimed, 4)} is claimed"
    )
    ticks = [1, 10, 100, 1000] if len(times) > _MOST_TICKS else times
    return Picture(
        title=title,
        figure=frame(
            traces=traces,
            xaxis=log_axis(
                "number of bootstraps",
                tickvals=ticks,
                ticktext=[f"{k}" for k in ticks],
            ),
            # Powers of ten around all of them seldom move with epsilon.
            yaxis=log_axis(
                f"ε at δ {significant(delta)}", *whole_decades(min(known), max(known))
            ),
        ),
        alt=f"Four lines against the number of bootstraps. {title}. "
        + "; ".join(
            f"{level.times}: at least {epsilon_text(level.attained)}, at most "
            f"{epsilon_text(level.mean)} for means, {epsilon_text(level.generic)} for "
            "any statistic"
            for level in found
        )
        + ".",
        table=pd.DataFrame(
            [
                {
                    "bootstraps": level.times,
                    "claimed ε": level.claimed,
                    "at least": level.attained,
                    "at most, means": level.mean,
                    "at most, any statistic": level.generic,
                }
                for level in found
            ]
        ),
    )
