"""What is claimed or promised, beside what is so, as bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpcore.figures.marks import Mark, rows
from dpcore.figures.theme import NEUTRAL, ROWS, Picture, axis, plain
from dpcore.wording import epsilon_text

_SO = "#9C3D6E"


def claims_picture(
    title: str,
    levels: Mapping[str, float],
    *,
    claimed: str,
    most: float,
    what: str,
    said: Callable[[float], str] = epsilon_text,
    ticks: Mapping[float, str] | None = None,
) -> Picture:
    """Return a bar for each name, the claimed one in gray; the axis ends at most.

    ``what`` names the axis, ``said`` writes a level behind its bar, and ``ticks`` are
    the words at places of the axis, where they are not its numbers.
    """
    words: Mark = {}
    if ticks is not None:
        words = {"tickvals": list(ticks), "ticktext": list(ticks.values())}
    return Picture.of(
        title,
        {"": list(levels), what: list(levels.values())},
        drawn="; ".join(f"{name}: {said(at)}" for name, at in levels.items()),
        height=90 + 60 * len(levels),
        traces=[
            rows(
                [plain(name) for name in levels],
                list(levels.values()),
                [said(at) for at in levels.values()],
                [NEUTRAL if name == claimed else _SO for name in levels],
            )
        ],
        xaxis=axis(what, range=[0, 1.25 * most], **words),
        yaxis=ROWS,
        showlegend=False,
    )
