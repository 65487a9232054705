"""What noisy bootstraps are claimed to reveal, beside what they really reveal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpcore.figures.marks import NAME, lines
from dpcore.figures.resampling.bootstrap.lines import COLOR
from dpcore.figures.theme import NEUTRAL, Picture, Stroke, log_axis, whole_decades
from dpcore.studies.resampling.bootstrap_study import BootstrapLevels
from dpcore.wording import epsilon_text, significant

_MOST_TICKS = 8


def levels_picture(found: Sequence[BootstrapLevels], *, here: int, delta: float) -> Picture:
    """Return the claimed and the real epsilon against the number of bootstraps.

    ``found`` has at least one number of bootstraps, increasing; the page is set to
    ``here``.
    """
    times = [one.times for one in found]
    columns = {
        "claimed ε": [one.claimed for one in found],
        "at least": [one.attained for one in found],
        "at most, means": [one.mean for one in found],
        "at most, any statistic": [one.generic for one in found],
    }
    strokes = (
        Stroke(color=NEUTRAL, dash="dash", width=2.0),
        Stroke(color=COLOR, width=3.0),
        Stroke(color=COLOR, dash="dash", width=2.0),
        Stroke(color=COLOR, dash="dot", width=2.0),
    )
    known = [x for values in columns.values() for x in values if 0 < x < math.inf]
    one = next((level for level in found if level.times == here), found[-1])
    plural = "bootstrap" if one.times == 1 else "bootstraps"
    title = (
        f"With {one.times} {plural} ε is at least {significant(one.attained, 4)} and "
        f"at most {significant(one.mean, 4, up=True)} for a mean, where "
        f"{significant(one.claimed, 4)} is claimed"
    )
    ticks = [1, 10, 100, 1000] if len(times) > _MOST_TICKS else times
    return Picture.of(
        title,
        {"bootstraps": times} | columns,
        alt=f"Four lines against the number of bootstraps. {title}. "
        + "; ".join(
            f"{level.times}: at least {epsilon_text(level.attained)}, at most "
            f"{epsilon_text(level.mean)} for means, {epsilon_text(level.generic)} for "
            "any statistic"
            for level in found
        )
        + ".",
        traces=lines(
            times,
            zip(
                ("claimed", "at least", "at most, means", "at most, any"),
                columns.values(),
                strokes,
                strict=True,
            ),
            hover="%{x} bootstraps: ε %{y:.4g}",
            aside=NAME,
            marker={"size": 6},
        ),
        xaxis=log_axis("number of bootstraps", tickvals=ticks, ticktext=[f"{k}" for k in ticks]),
        # Powers of ten around all of them seldom move with epsilon.
        yaxis=log_axis(f"ε at δ {significant(delta)}", *whole_decades(min(known), max(known))),
    )
