"""What noisy bootstraps are claimed to reveal, beside what they really reveal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from dpcore.figures.resampling.bootstrap_lines import COLOR
from dpcore.figures.theme import NEUTRAL, Picture, frame
from dpcore.figures.wording import epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.resampling.bootstrap_levels import Levels

_MOST_TICKS = 8


def levels_picture(
    found: Sequence[Levels], *, here: int, delta: float, watermark: bool
) -> Picture:
    """Return the claimed and the real epsilon against the number of bootstraps.

    Args:
        found: By increasing numbers of bootstraps; at least one.
        here: The number that the page is set to.
        delta: The delta of all of them.
        watermark: Whether the picture is for the classroom only.

    """
    times = [one.times for one in found]
    lines: tuple[tuple[str, list[float], str, str, float], ...] = (
        ("claimed", [one.claimed for one in found], NEUTRAL, "dash", 2.0),
        ("at least", [one.attained for one in found], COLOR, "solid", 3.0),
        ("at most, means", [one.mean for one in found], COLOR, "dash", 2.0),
        ("at most, any", [one.generic for one in found], COLOR, "dot", 2.0),
    )
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": times,
            "y": values,
            "mode": "lines+markers",
            "name": name,
            "line": {"color": color, "dash": dash, "width": width},
            "marker": {"size": 6},
            "hovertemplate": "%{x} bootstraps: ε %{y:.4g}<extra>%{fullData.name}"
            "</extra>",
        }
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
            watermark=watermark,
            traces=traces,
            xaxis={
                "type": "log",
                "tickvals": ticks,
                "ticktext": [f"{k}" for k in ticks],
                "title": {"text": "number of bootstraps (log scale)"},
            },
            yaxis={
                "type": "log",
                "tickvals": [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100],
                "ticktext": ["0.1", "0.2", "0.5", *"125", "10", "20", "50", "100"],
                "title": {"text": f"ε at δ {significant(delta)} (log scale)"},
            },
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
