"""What several releases cost together, counted in four ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import rows
from dpcore.figures.theme import NEUTRAL, PUBLIC, ROWS, Picture, axis, frame
from dpcore.wording import epsilon_text

if TYPE_CHECKING:
    from dpcore.privacy.composition import Totals

_ZCDP = "zCDP"


def totals_picture(totals: Totals, *, charged: float, delta: float) -> Picture:
    """Return what was charged, and the four totals of the same releases, as bars.

    A way of counting without a limit has no bar, and says so in its place.
    """
    ways = [
        ("charged, release by release", charged),
        ("sum at this delta", totals.basic),
        ("advanced composition", totals.advanced),
        (_ZCDP, totals.zcdp),
        ("privacy loss distribution", totals.pld),
    ]
    most = max((value for _, value in ways if np.isfinite(value)), default=0.0)
    figure = frame(
        traces=[
            rows(
                [name for name, _ in ways],
                [value if np.isfinite(value) else 0.0 for _, value in ways],
                [_told(name, value) for name, value in ways],
                [PUBLIC if name == ways[-1][0] else NEUTRAL for name, _ in ways],
            )
        ],
        xaxis=axis(
            f"total epsilon at delta = {epsilon_text(delta)}",
            # Room for the number at the end of the longest bar, on a phone, too.
            range=[0, 1.3 * most or 1.0],
        ),
        yaxis=ROWS,
    )
    best = min((value for _, value in ways), default=np.inf)
    title = (
        "Planned before the first answer, all releases together would cost "
        f"{epsilon_text(best)} at delta {epsilon_text(delta)}, counted as tightly as "
        f"possible; charged were {epsilon_text(charged)}"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"{title}. "
        + "; ".join(f"{name}: {_told(name, value)}" for name, value in ways),
        table=pd.DataFrame(ways, columns=["counted by", "epsilon"]),
    )


def _told(name: str, value: float) -> str:
    if np.isfinite(value):
        return epsilon_text(value)
    return "∞ (no bound in ρ)" if name == _ZCDP else "∞ (no bound)"
