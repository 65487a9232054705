"""What people lost over all releases of a ledger. CONFIDENTIAL pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.figures.budgets import loss_rows
from dpcore.figures.individual.exposures import BINS, loss_lines, people_bars
from dpcore.figures.marks import NAME, Mark, bars, line
from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, PUBLIC, Picture, Stroke, axis, log_axis
from dpcore.individual.losses import Losses
from dpcore.individual.totals import Counting, PersonTotals
from dpcore.relations import NeighboringRelation
from dpcore.wording import compared_with, epsilon_text, significant

_POINTS = 500
_DECADES = 8
_MOST_STEPS = 500
_ALIKE = 0.99
_SAME = 0.01
_STROKES = {
    Counting.SIMPLE: Stroke(color="#D55E00", dash="dash"),
    Counting.ZCDP: Stroke(color="#56B4E9", dash="dot"),
    Counting.BEST: Stroke(color=CONFIDENTIAL),
}
_CHARGED = Stroke(color=NEUTRAL, dash="longdash")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What losses compare with, and whether charges are for something else.

    Attributes:
        relation: Which change of a record the losses are about.
        mixed: Whether some charge is for another change.

    """

    relation: NeighboringRelation
    mixed: bool


def _clause(compared: Compared | None) -> str:
    """Return the comparison in brackets; nothing where it is not known."""
    return "" if compared is None else f" ({compared_with(compared.relation)})"


def totals_picture(
    totals: Losses, *, charged: float, planned: float, compared: Compared | None = None
) -> Picture:
    """Return how many people lost how much, beside what the account was charged.

    ``planned`` is the worst case over all tables, counted like the totals; without
    ``compared`` it is not said what the losses compare with.
    """
    top = max((end for end in (totals.maximum, charged, planned) if np.isfinite(end)), default=0.0)
    top = 1.2 * top or 1.0
    finite = totals.ordered[np.isfinite(totals.ordered) & (totals.ordered > 0)]
    least = float(finite[0]) if len(finite) else top
    floor = max(0.999 * least, top * 10.0**-_DECADES)
    edges = np.geomspace(min(floor, top / 10), top, BINS + 1)
    losses, share = totals.ecdf(_POINTS)
    median = float(totals.quantiles(0.5))
    rows = [
        ("account was charged", epsilon_text(charged)),
        ("worst case, counted like the totals", epsilon_text(planned)),
        ("most exposed person", significant(totals.maximum)),
        ("half of the people at most", epsilon_text(median)),
    ]
    title = (
        f"Over all releases{_clause(compared)} the most exposed person lost "
        f"{significant(totals.maximum)}, half of the people at most "
        f"{epsilon_text(median)}; the account was charged {epsilon_text(charged)}"
    )
    if compared is not None and compared.mixed:
        title += ", which is for another change of a record"
    elif charged > (1 + _SAME) * planned:
        title += (
            f", release by release, where the worst case of all tables is "
            f"{epsilon_text(planned)} if it is counted like the people's losses"
        )
    return Picture.of(
        title,
        {"epsilon at most": losses, "share of people": share},
        alt="Histogram of people by total loss. "
        + "; ".join(f"{name}: {value}" for name, value in rows),
        traces=[people_bars(totals, edges, CONFIDENTIAL)],
        showlegend=False,
        bargap=0,
        margin={"l": 60, "r": 24, "t": 56, "b": 50},
        xaxis=log_axis("total loss of a person, epsilon", edges[0], 1.3 * top),
        yaxis=axis("people"),
        **loss_lines({"charged": charged, "worst case (DP)": planned}, "solid", "dash"),
    )


def odometer_picture(
    path: Sequence[PersonTotals],
    *,
    titles: Sequence[str],
    own: Sequence[float],
    charges: Sequence[float],
    compared: Compared | None = None,
) -> Picture:
    """Return one person's losses, a bar a release, and the totals after each.

    ``own`` is the person's epsilon of each release alone, and ``charges`` what the
    account was charged for it; ``compared`` is as for ``totals_picture``.
    """
    number = np.arange(1, len(path) + 1)
    shown = slice(max(0, len(path) - _MOST_STEPS), None)
    ways = {way: np.array([float(step.of[way][0]) for step in path]) for way in _STROKES}
    lines = [
        _line(number[shown], ways[way][shown], way.value, stroke)
        for way, stroke in _STROKES.items()
        if np.isfinite(ways[way]).any()
    ]
    charged = np.cumsum(charges)
    drawn: dict[str, Any] = {
        "traces": [
            bars(
                number[shown],
                np.array(own)[shown],
                "this release alone",
                {"color": PUBLIC, "opacity": 0.6},
                hover="release %{x}: %{y:.4g}",
            ),
            *lines,
            _line(number[shown], charged[shown], "charged", _CHARGED),
        ],
        "xaxis": axis(
            "release, in the order of the ledger",
            tick0=1,
            dtick=max(1, len(path) // 8),
            range=[float(number[shown][0]) - 0.6, len(path) + 0.6],
        ),
        "yaxis": axis("epsilon of this person", rangemode="tozero"),
    }
    if len(path) == 1:
        drawn = _only(own[0], ways, charges[0])
    best, most = ways[Counting.BEST], int(np.argmax(own))
    alike = len(own) > 1 and min(own) >= _ALIKE * max(own)
    mixed = compared is not None and compared.mixed
    # A part of a charge says nothing where the charge is for another change.
    paid = (
        f", {significant(100 * best[-1] / charged[-1], 2)} % of what was charged"
        if not mixed and np.isfinite(charged[-1]) and charged[-1] > 0 and np.isfinite(best[-1])
        else ""
    )
    title = (
        f"This person lost {significant(float(best[-1]))} over {len(path)} "
        f"release{'' if len(path) == 1 else 's'}{_clause(compared)}{paid}"
    )
    if len(path) > 1:
        title += "; as much in each" if alike else f"; most in release {most + 1}"
    return Picture.of(
        title,
        {
            "release": number,
            "what": list(titles),
            "own epsilon": list(own),
            "charged": list(charges),
            **{f"total so far, {way}": total for way, total in ways.items()},
        },
        drawn="Bars of the loss from each release, lines of the totals so far",
        **drawn,
    )


def _only(own: float, ways: dict[Counting, FloatArray], charged: float) -> dict[str, Any]:
    """Return the ways of counting one release as bars: a path of one has no lines."""
    names = ["this release alone", *(way.value for way in _STROKES), "charged"]
    losses = [own, *(float(ways[way][0]) for way in _STROKES), charged]
    told = [significant(loss) for loss in losses]
    colors = [PUBLIC, *(stroke.color for stroke in _STROKES.values()), NEUTRAL]
    drawn = loss_rows(names, losses, told, colors, "epsilon of this person")
    return drawn | {"height": 320, "showlegend": False}


def _line(x: NDArray[np.intp], y: FloatArray, name: str, stroke: Stroke) -> Mark:
    hover, dots = "after %{x}: %{y:.4g}", {"size": 5}
    return line(x, y, name, stroke, hover=hover, aside=NAME, steps=True, marker=dots)
