"""Where a curve of delta comes down to 0, so that its line ends."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import Mark, dot, points
from dpcore.figures.theme import NEUTRAL

WORDS = "δ is 0 from here on"


def ending(epsilon: FloatArray, delta: FloatArray, *, least: float, color: str) -> list[Mark]:
    """Return a mark where ``delta`` comes down to 0, or nothing where it does not.

    It stands at ``least``, the lower end of the logarithmic axis; ``epsilon`` ascends.
    """
    (gone,) = np.nonzero(delta <= 0)
    if not len(gone) or gone[0] == 0:
        return []
    at = float(epsilon[gone[0]])
    first, last = float(epsilon[0]), float(epsilon[-1])
    # An axis that starts above 0 is a logarithmic one.
    middle = (first * last) ** 0.5 if first > 0 else last / 2
    mark = points(
        [at],
        [least],
        WORDS,
        dot(color, 9, "x"),
        hover="from ε %{x:.4g} on δ is 0",
        text=[WORDS],
        textposition="top right" if at < middle else "top left",
        textfont={"color": NEUTRAL},
        cliponaxis=False,
        showlegend=False,
    )
    return [mark]


def told_once(marks: list[Mark]) -> list[Mark]:
    """Return the marks with words at the last of them only: two would collide."""
    ordered = sorted(marks, key=lambda mark: mark["x"])
    return [mark | {"mode": "markers"} for mark in ordered[:-1]] + ordered[-1:]
