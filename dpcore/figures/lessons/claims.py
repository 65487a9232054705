"""What is claimed of a method, beside what is so, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.figures.marks import rows
from dpcore.figures.theme import NEUTRAL, ROWS, Picture, axis, plain
from dpcore.wording import epsilon_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_SO = "#9C3D6E"


def claims_picture(
    title: str, levels: Mapping[str, float], *, claimed: str, most: float, what: str
) -> Picture:
    """Return an epsilon for each name, the claimed one in gray; the axis ends at most.

    ``what`` names the axis.
    """
    return Picture.of(
        title,
        {"": list(levels), "epsilon": list(levels.values())},
        drawn="; ".join(f"{name}: {epsilon_text(at)}" for name, at in levels.items()),
        height=90 + 60 * len(levels),
        traces=[
            rows(
                [plain(name) for name in levels],
                list(levels.values()),
                [epsilon_text(at) for at in levels.values()],
                [NEUTRAL if name == claimed else _SO for name in levels],
            )
        ],
        xaxis=axis(what, range=[0, 1.2 * most]),
        yaxis=ROWS,
        showlegend=False,
    )
