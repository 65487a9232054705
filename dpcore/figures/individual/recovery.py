"""An attacker's view of a loss that was told: candidates, and the truth among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, PUBLIC, Picture, frame, plain
from dpcore.figures.wording import brief, epsilon_text, measured, significant

if TYPE_CHECKING:
    from dpcore.studies.individual.recovery import Recovery

_HEIGHT = 320
_LONGEST = 30


def told_text(found: Recovery) -> str:
    """Return the loss that was told, with the digits that it was told with."""
    return f"{found.told:.9g}" if found.slack == 0 else epsilon_text(found.told)


def recovery_picture(
    found: Recovery, *, what: str, unit: str, watermark: bool
) -> Picture:
    """Return the release with its noise, the candidates, and the truth, on one axis.

    Args:
        found: What the attacker found.
        what: What is attacked, such as "mean of age".
        unit: Its unit, empty where it has none.
        watermark: Whether it is a classroom demonstration.

    """
    suffix = f" {unit}" if unit else ""
    rows = {
        "released": ([found.release], PUBLIC, "circle", found.reach),
        "possible, given the loss": (
            [*found.candidates],
            CONFIDENTIAL,
            "diamond-open",
            found.slack,
        ),
        "the attacker's choice": (
            [found.recovered],
            CONFIDENTIAL,
            "diamond",
            found.slack,
        ),
    }
    points = [found.truth, found.release, *found.candidates]
    ends = [*points, found.release - found.reach, found.release + found.reach]
    margin = 0.08 * (max(ends) - min(ends)) or 1.0
    figure = frame(
        traces=[
            {
                "type": "scatter",
                "x": xs,
                "y": [name] * len(xs),
                "mode": "markers",
                "name": name,
                "marker": {"size": 13, "color": color, "symbol": symbol},
                "error_x": {"type": "constant", "value": reach, "thickness": 2},
                "hovertemplate": "%{x:.6g}<extra>%{fullData.name}</extra>",
            }
            for name, (xs, color, symbol, reach) in rows.items()
        ],
        watermark=watermark,
        height=_HEIGHT,
        showlegend=False,
        margin={"l": 60, "r": 24, "t": 40, "b": 50},
        xaxis={
            "title": {"text": plain(brief(what, _LONGEST))},
            "range": [min(ends) - margin, max(ends) + margin],
        },
        yaxis={"autorange": "reversed", "automargin": True, "type": "category"},
        shapes=[
            {
                "type": "line",
                "x0": found.truth,
                "x1": found.truth,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": NEUTRAL, "dash": "dot", "width": 2},
            }
        ],
        annotations=[
            {
                "x": found.truth,
                "y": 1.0,
                "yref": "paper",
                "text": "true",
                "showarrow": False,
                "yanchor": "bottom",
            }
        ],
    )
    exact = found.error <= 1e-6 * max(abs(found.truth), found.reach)
    gain = found.reach / found.error if found.error > 0 else float("inf")
    result = (
        f"Told a loss of {told_text(found)}, the attacker computes "
        f"{significant(found.recovered, 6)}{suffix}: "
        + (
            "the exact answer"
            if exact
            else f"off by {significant(found.error)}, where the release may be off by "
            f"{significant(found.reach)}, {significant(gain, 2)} times more"
        )
    )
    table = pd.DataFrame(
        {
            "what": [
                "true",
                "released",
                *["possible"] * len(found.candidates),
                "found",
            ],
            "value": [
                found.truth,
                found.release,
                *found.candidates,
                found.recovered,
            ],
        }
    )
    return Picture(
        title=result,
        figure=figure,
        alt=f"{result}. True {what}: {significant(found.truth, 6)}{suffix}; released "
        f"{measured(found.release, found.reach)}{suffix}.",
        table=table,
    )
