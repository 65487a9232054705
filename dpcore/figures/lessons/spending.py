"""Questions that are paid one after another, until nothing is left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.figures.marks import bars, level
from dpcore.figures.theme import GUIDE, NEUTRAL, PUBLIC, Picture, axis
from dpcore.wording import epsilon_text, people


def spending_picture(
    admitted: Sequence[bool], *, price: float, total: float, most: float
) -> Picture:
    """Return what is spent after each question; refused ones stand as hatched bars.

    ``price`` is the epsilon of each, ``total`` the budget, and ``most`` the end of the
    axis.
    """
    paid = np.asarray(admitted, dtype=bool)
    number = np.arange(1, len(paid) + 1)
    spent = price * np.cumsum(paid)
    wanted = spent + price * ~paid
    count = int(paid.sum())
    title = (
        f"No question at ε {epsilon_text(price)} is answered out of ε "
        f"{epsilon_text(total)}: each of them alone is too much"
        if count == 0
        else f"{people(count, 'question')} at ε {epsilon_text(price)} "
        f"{'is' if count == 1 else 'are'} answered out of ε {epsilon_text(total)}"
    )
    title += "; every further one is refused" if 0 < count < len(paid) else ""
    return Picture.of(
        title,
        {
            "question": number,
            "answered": ["yes" if one else "no" for one in paid],
            "ε spent": spent,
        },
        drawn="Bars that climb as far as the budget lets them; those of refused "
        "questions, hatched, show what would have been spent",
        traces=[
            bars(
                number[paid],
                spent[paid],
                "answered",
                {"color": PUBLIC},
                hover="question %{x}: ε %{y:.3g} spent",
            ),
            bars(
                number[~paid],
                wanted[~paid],
                "refused",
                {"color": NEUTRAL, "pattern": {"shape": "/"}, "opacity": 0.5},
                hover="question %{x} would need ε %{y:.3g}",
            ),
        ],
        shapes=[level(total, "the budget", GUIDE, textposition="start")],
        xaxis=axis("question", range=[0.4, len(paid) + 0.6]),
        yaxis=axis("ε spent so far, or needed", range=[0, most]),
        barmode="overlay",
        showlegend=True,
    )
