"""What several releases cost together, counted in four ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, PUBLIC, Picture, canvas
from dpcore.figures.wording import epsilon_text

if TYPE_CHECKING:
    from dpcore.privacy.composition import Totals

_ZCDP = "zCDP"


def totals_picture(
    totals: Totals, *, charged: float, delta: float, watermark: bool
) -> Picture:
    """Return what was charged, and the four totals of the same releases, as bars.

    A way of counting without a limit has no bar, and says so in its place.
    """
    rows = [
        ("charged, release by release", charged),
        ("sum at this delta", totals.basic),
        ("advanced composition", totals.advanced),
        (_ZCDP, totals.zcdp),
        ("privacy loss distribution", totals.pld),
    ]
    figure = canvas(
        x=f"total epsilon at delta = {epsilon_text(delta)}", y="", watermark=watermark
    )
    figure.add_bar(
        x=[value if np.isfinite(value) else 0.0 for _, value in rows],
        y=[name for name, _ in rows],
        orientation="h",
        text=[_told(name, value) for name, value in rows],
        textposition="outside",
        cliponaxis=False,
        marker_color=[PUBLIC if name == rows[-1][0] else NEUTRAL for name, _ in rows],
        hovertemplate="%{y}: %{text}<extra></extra>",
    )
    figure.update_yaxes(autorange="reversed", automargin=True)
    most = max((value for _, value in rows if np.isfinite(value)), default=0.0)
    # Room for the number at the end of the longest bar, on a phone, too.
    figure.update_xaxes(range=[0, 1.3 * most or 1.0])
    best = min((value for _, value in rows), default=np.inf)
    title = (
        f"Counted as tightly as possible, all releases together cost "
        f"{epsilon_text(best)} at delta {epsilon_text(delta)}; charged were "
        f"{epsilon_text(charged)}"
    )
    return Picture(
        title=title,
        figure=figure,
        alt="; ".join(f"{name}: {_told(name, value)}" for name, value in rows),
        table=pd.DataFrame(rows, columns=["counted by", "epsilon"]),
    )


def _told(name: str, value: float) -> str:
    if np.isfinite(value):
        return epsilon_text(value)
    return "∞ (no bound in ρ)" if name == _ZCDP else "∞ (no bound)"
