"""What a trick finds again and again behind noise, beside what is true."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.figures.marks import NAME, histogram, vertical
from dpcore.figures.theme import PUBLIC, Picture, axis, plain
from dpcore.wording import percent, significant

_BARS = 45
_MOST = 50
_POSSIBLE = "rgba(127,127,127,0.25)"


def found_picture(
    title: str,
    found: FloatArray,
    *,
    truth: float,
    bounds: Interval,
    ends: tuple[float, float],
    what: str,
) -> Picture:
    """Return how often each value was found, in percent.

    Args:
        title: The takeaway.
        found: What was found, shape ``(m,)``.
        truth: What is true.
        bounds: What is possible at all.
        ends: Of the axis; what lies beyond is counted at its ends.
        what: What was found, with its unit.

    """
    counts, edges = np.histogram(np.clip(found, *ends), _BARS, ends)
    shares = 100 * counts / len(found)
    possible = float(np.mean((found >= bounds.lower) & (found <= bounds.upper)))
    limits = " to ".join(significant(end) for end in (bounds.lower, bounds.upper))
    stripe = {
        "type": "rect",
        "layer": "below",
        "yref": "paper",
        "x0": bounds.lower,
        "x1": bounds.upper,
        "y0": 0,
        "y1": 1,
        "fillcolor": _POSSIBLE,
        "line": {"width": 0},
    }
    return Picture.of(
        title,
        {"from": edges[:-1], "to": edges[1:], "found, %": shares},
        drawn=f"Bars of what {len(found)} simulated tricks found, of which "
        f"{percent(possible)} lie within what is possible at all, {limits}",
        traces=[
            histogram(
                shares,
                edges,
                "found",
                {"color": PUBLIC},
                hover="%{y:.3g} % found about %{x:.3g}",
                aside=NAME,
                showlegend=False,
            )
        ],
        bargap=0,
        shapes=[stripe, vertical(truth, "the truth", xanchor="left")],
        xaxis=axis(plain(what), range=list(ends)),
        yaxis=axis("how often, % of tricks", range=[0, _MOST]),
    )
