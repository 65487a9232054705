"""Everybody's own privacy loss, as counted over the parts of a table. CONFIDENTIAL."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import above, dot, histogram, line, points, vertical
from dpcore.figures.theme import CONFIDENTIAL, FITTING, NEUTRAL, STROKES, Picture, Stroke, axis
from dpcore.individual.distribution import LossDistribution
from dpcore.wording import epsilon_text, significant

_BARS: Final = 50
_POINTS: Final = 1_000
_MARKS: Final = (0.5, 0.9, 0.99, 1.0)


def counted_picture(losses: LossDistribution, *, key: str, alike: bool = True) -> Picture:
    """Return the histogram over the cumulative share, from no loss to the worst case.

    ``alike`` tells whether losses are about the change that the guarantee is about.
    """
    stroke, worst = STROKES[key], losses.worst_case
    counts, edges = _bars(losses)
    # Where losses reach far beyond the guarantee, the line needs no point a cell.
    ends = np.arange(len(losses.counts))[:: -math.ceil(len(losses.counts) / _POINTS)]
    ends = ends[::-1]
    upper = losses.edges[ends + 1]
    share = np.cumsum(losses.counts)[ends] / losses.people
    quantiles = [losses.quantile(q)[1] for q in _MARKS]
    median, maximum = significant(quantiles[0], up=True), significant(losses.maximum)
    about = "" if alike else ", about another change"
    title = (
        f"Half of the people lose at most {median}, the most exposed {maximum}; the "
        f"guarantee promises {epsilon_text(worst)}{about}"
    )
    return Picture.of(
        title,
        {"epsilon at most": upper, "share of people": share},
        drawn="Histogram and cumulative share of each person's privacy loss",
        traces=[
            histogram(
                counts,
                edges,
                marker={"color": stroke.color},
                hover="around %{x:.3g}: %{y:,} people",
            ),
            line(
                upper,
                100 * share,
                stroke=Stroke(color=stroke.color),
                hover="%{y:.1f} % of people lose at most %{x:.3g}",
                steps=True,
                yaxis="y2",
            ),
            points(
                quantiles,
                [100 * q for q in _MARKS],
                marker=dot(CONFIDENTIAL, 9),
                hover="%{y} %: at most %{x:.4g}",
                text=[f"50 %: {median}", "", "", f"max: {maximum}"],
                textposition=["bottom right", *[_side(losses)] * 3],
                cliponaxis=False,
                yaxis="y2",
            ),
        ],
        height=460,
        showlegend=False,
        bargap=0,
        # Room for hundreds of thousands of people.
        margin={"l": 68, "r": 24, "t": 24, "b": 50},
        xaxis=axis("own privacy loss, epsilon", anchor="y2", **FITTING),
        yaxis=axis("people", domain=[0.53, 1], **FITTING),
        yaxis2=axis("share of people, %", domain=[0, 0.47], range=[0, 108], **FITTING),
        shapes=[vertical(worst, stroke=Stroke(color=NEUTRAL, dash="dash", width=2))],
        annotations=[above("worst case (DP)", worst, 1.0)],
    )


def _side(losses: LossDistribution) -> str:
    """Return where the words of the last mark have room: on the way to the middle."""
    return "top left" if 2 * losses.maximum > losses.edges[-1] else "bottom right"


def _bars(losses: LossDistribution) -> tuple[FloatArray, FloatArray]:
    """Return counts of people in a few wide cells, and their edges."""
    starts = np.linspace(0, len(losses.counts), _BARS, endpoint=False).astype(np.intp)
    counts = np.add.reduceat(losses.counts, starts)
    return counts, losses.edges[np.append(starts, len(losses.counts))]
