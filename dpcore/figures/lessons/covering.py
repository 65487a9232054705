"""Answers with their intervals, of which most hold the truth."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import dot, interval, points, vertical
from dpcore.figures.theme import PUBLIC, Picture, axis
from dpcore.wording import significant

_MISSED = "#D55E00"


def covering_picture(
    answers: FloatArray, *, half: float, truth: float, reach: float, unit: str
) -> Picture:
    """Return answers, shape ``(m,)``, with intervals of half-width ``half``.

    The axis shows ``reach`` to both sides of the ``truth``, all in ``unit``.
    """
    held = np.abs(answers - truth) <= half
    row = np.arange(1, len(answers) + 1)
    looks = ((held, "holds the truth", PUBLIC, "circle"), (~held, "misses it", _MISSED, "x"))
    title = (
        f"{int(held.sum())} of {len(answers)} intervals of ±{significant(half)} {unit} "
        "hold the truth"
    )
    return Picture.of(
        title,
        {
            "answer": answers,
            "from": answers - half,
            "to": answers + half,
            "holds the truth": ["yes" if one else "no" for one in held],
        },
        drawn="Dots with bars around a line, a few of which miss it",
        height=440,
        traces=[
            points(
                answers[which],
                row[which],
                name,
                dot(color, 6, symbol),
                hover="%{x:.4g}",
                error_x=interval(np.full(int(which.sum()), half), thickness=1.5),
            )
            for which, name, color, symbol in looks
        ],
        shapes=[vertical(truth, "the truth")],
        xaxis=axis(f"answer, {unit}", range=[truth - reach, truth + reach]),
        yaxis=axis("simulated release", range=[0, len(answers) + 4]),
    )
