"""The average of more and more answers to one question, and what they cost."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import area, level, line
from dpcore.figures.theme import STROKES, Picture, axis, log_axis
from dpcore.wording import epsilon_text, significant

_BAND = "rgba(0,114,178,0.15)"
_TYPICAL = 2


def running_picture(
    errors: FloatArray, *, sd: float, epsilon: float, reach: float, unit: str
) -> Picture:
    """Return how far off the average of the first answers is, for every number of them.

    ``errors`` are those of the single answers, shape ``(k,)``, in ``unit``; ``sd`` is
    their standard deviation and ``epsilon`` the price of each. The axis reaches as far
    as ``reach``.
    """
    count = np.arange(1, len(errors) + 1)
    average = np.cumsum(errors) / count
    typical = sd / np.sqrt(count)
    half = _TYPICAL * typical
    spent = epsilon * count
    one, all_ = (significant(float(error)) for error in typical[[0, -1]])
    title = (
        f"The average of {len(errors)} answers is off by about {all_} {unit}, one of "
        f"them by about {one}; the price is ε {epsilon_text(float(spent[-1]))} instead "
        f"of {epsilon_text(epsilon)}"
    )
    return Picture.of(
        title,
        {"answers": count, "average is off by": average, "ε spent": spent},
        drawn="A line that wanders ever closer around 0, in a band that narrows",
        traces=[
            area(
                count.astype(np.float64),
                np.minimum(half, reach),
                np.maximum(-half, -reach),
                _BAND,
                "where most such averages lie",
            ),
            line(
                count,
                average,
                "average so far",
                STROKES["laplace"],
                hover="%{x} answers, ε %{customdata:.3g}: off by %{y:.3g}",
                customdata=spent,
            ),
        ],
        shapes=[level(0, "the truth", textposition="end")],
        xaxis=log_axis("answers that are averaged", 1, 1000),
        yaxis=axis(f"how far off the average is, {unit}", range=[-reach, reach]),
    )
