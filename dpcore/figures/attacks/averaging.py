"""The mean of many answers to one question. CONFIDENTIAL, unless it is made up."""

from __future__ import annotations

import math

import numpy as np

from dpcore.figures.attacks.looks import CARELESS, PRIVATE
from dpcore.figures.marks import FAINT, NAME, area, level, line, vertical
from dpcore.figures.theme import DOTTED, GUIDE, Picture, axis, log_axis
from dpcore.studies.attacks.averaging import Averaging, band
from dpcore.wording import epsilon_text, measured, significant

_POINTS = 300
_REACH = 5.0


def running_picture(found: Averaging) -> Picture:
    """Return the running mean with its band, the studio's answer, and the budget."""
    places = np.unique(np.geomspace(1, len(found.answers), _POINTS).astype(np.int64))
    means, first = found.means[places - 1], float(found.answers[0])
    off = band(places, found.scale)
    half = _REACH * found.scale
    paid = found.affordable
    return Picture.of(
        _takeaway(found),
        {
            "times asked": places,
            "mean of fresh answers": means,
            "the studio's answer": np.full(len(places), first),
            "95 % band, from": found.truth - off,
            "95 % band, to": found.truth + off,
            "epsilon spent by fresh answers": found.epsilon * places,
        },
        drawn="The mean of fresh answers wanders into a narrowing band around the "
        "truth; the answer that stays the same is a level line",
        traces=[
            area(
                places.astype(np.float64), found.truth + off, found.truth - off, FAINT, "95 % band"
            ),
            line(
                places,
                means,
                "mean of fresh answers",
                CARELESS,
                hover="asked %{x:,} times: %{y:.4g}",
                aside=NAME,
            ),
            line(
                places,
                np.full(len(places), first),
                "the studio's answer",
                PRIVATE,
                hover="always %{y:.4g}",
                aside=NAME,
            ),
        ],
        xaxis=log_axis("times asked", 1, max(len(found.answers), 2)),
        yaxis=axis("count", range=[found.truth - half, found.truth + half]),
        shapes=[
            level(found.truth, "exact count", GUIDE, textposition="end"),
            *(
                [vertical(paid, "budget used up", DOTTED, xanchor=_side(found), yanchor="top")]
                if 1 <= paid < len(found.answers)
                else []
            ),
        ],
    )


def _side(found: Averaging) -> str:
    early = found.affordable**2 < len(found.answers)
    return "left" if early else "right"


def _takeaway(found: Averaging) -> str:
    asked = len(found.answers)
    last = float(found.means[-1])
    off = float(band(asked, found.scale))
    spent = epsilon_text(found.epsilon * asked)
    told = f"the mean of {asked:,} fresh answers is {measured(last, off)}"
    if math.isfinite(found.settled):
        told += (
            f", and rounds to the exact count, {significant(found.truth)}, from answer "
            f"{int(found.settled):,} on"
        )
    return f"Asked again and again, {told}; together they cost ε {spent}"
