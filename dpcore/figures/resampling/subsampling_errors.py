"""How far off a release from a secret sample is, beside one from all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.resampling.subsampling_lines import EXACT, OTHER, SHARE, line, now
from dpcore.figures.theme import NEUTRAL, Picture, frame, plain
from dpcore.figures.wording import percent, significant

if TYPE_CHECKING:
    from dpcore.studies.resampling.subsampling import ErrorParts, SimulatedErrors


def error_picture(
    parts: ErrorParts,
    *,
    full: float,
    simulated: SimulatedErrors | None,
    at: float,
    unit: str,
    watermark: bool,
) -> Picture:
    """Return the typical error of a release from a sample, and of one from all rows.

    Args:
        parts: Sampling and noise variances over the shares.
        full: Mean squared error of releasing from the whole table.
        simulated: The experiment, where there is one.
        at: The share that the page is set to.
        unit: Unit of the statistic; empty if it has none.
        watermark: Whether the picture is for the classroom only.

    """
    total, whole = np.sqrt(parts.total), float(np.sqrt(full))
    label = f"typical error{f', {unit}' if unit else ''}"
    lines = [
        line(parts.rate, np.sqrt(parts.noise), "noise", OTHER),
        line(
            parts.rate,
            np.where(parts.sampling > 0, np.sqrt(parts.sampling), np.nan),
            "who is sampled",
            {"color": "#009E73", "dash": "dot", "width": 2.5},
        ),
        line(parts.rate, total, "both", EXACT),
        line(
            parts.rate[[0, -1]],
            np.full(2, whole),
            "all rows, same ε",
            {"color": NEUTRAL, "dash": "dash", "width": 2.5},
        ),
    ]
    if simulated is not None:
        lines.append(
            {
                "type": "scatter",
                "x": simulated.rate,
                "y": simulated.rmse,
                "error_y": {"array": simulated.error, "thickness": 1.2, "width": 3},
                "mode": "markers",
                "name": "simulated",
                "marker": {"color": "#6B6B6B", "symbol": "diamond", "size": 7},
                "hovertemplate": "%{y:.4g}<extra>simulated</extra>",
            }
        )
    figure = frame(
        watermark=watermark,
        traces=lines,
        xaxis={"type": "log", "dtick": 1, "title": {"text": f"{SHARE} (log scale)"}},
        yaxis={
            "type": "log",
            "exponentformat": "power",
            "title": {"text": plain(f"{label} (log scale)")},
        },
        shapes=[now(at)],
    )
    here = float(np.exp(np.interp(np.log(at), np.log(parts.rate), np.log(total))))
    suffix = f" {unit}" if unit else ""
    title = (
        f"At the same final ε, a release from {percent(at)} of the rows is off "
        f"by {significant(here)}{suffix}, one from all rows by "
        f"{significant(whole)}{suffix}: {significant(here / whole)} times less"
    )
    table = pd.DataFrame(
        {
            SHARE: parts.rate,
            "error from who is sampled": np.sqrt(parts.sampling),
            "error from noise": np.sqrt(parts.noise),
            "both": total,
        }
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Curves that fall as the sample grows, down to that of all rows. {title}.",
        table=table,
    )
