"""What several releases cost together, counted in four ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, PUBLIC, Picture, canvas
from dpcore.figures.wording import epsilon_text

if TYPE_CHECKING:
    from dpcore.privacy.composition import Totals


def totals_picture(
    totals: Totals, *, charged: float, delta: float, watermark: bool
) -> Picture:
    """Return what was charged, and the four totals of the same releases, as bars."""
    rows = [
        ("charged, release by release", charged),
        ("sum at this delta", totals.basic),
        ("advanced composition", totals.advanced),
        ("zCDP", totals.zcdp),
        ("privacy loss distribution", totals.pld),
    ]
    known = [(name, value) for name, value in rows if np.isfinite(value)]
    figure = canvas(
        x=f"total epsilon at delta = {epsilon_text(delta)}", y="", watermark=watermark
    )
    figure.add_bar(
        x=[value for _, value in known],
        y=[name for name, _ in known],
        orientation="h",
        text=[epsilon_text(value) for _, value in known],
        textposition="outside",
        cliponaxis=False,
        marker_color=[PUBLIC if name == rows[-1][0] else NEUTRAL for name, _ in known],
        hovertemplate="%{y}: %{x:.6g}<extra></extra>",
    )
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_xaxes(rangemode="tozero")
    best = min((value for _, value in rows), default=np.inf)
    title = (
        f"Counted as tightly as possible, all releases together cost "
        f"{epsilon_text(best)} at delta {epsilon_text(delta)}; charged were "
        f"{epsilon_text(charged)}"
    )
    return Picture(
        title=title,
        figure=figure,
        alt="; ".join(f"{name}: {epsilon_text(value)}" for name, value in rows),
        table=pd.DataFrame(rows, columns=["counted by", "epsilon"]),
    )
