"""Where truncation and BIT change order on the map of the MSE, at equal scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcore.figures.theme import NEUTRAL, PLATE
from dpcore.figures.wording import significant
from dpcore.studies.comparing.error_maps import FLIP_AT_BOUND, FLIP_ONE_SIDED

_FLIP_REACH = 0.16


def flip_lines() -> list[dict[str, Any]]:
    """Return the lines along which the order flips near either bound."""
    away = np.linspace(0.03, _FLIP_REACH, 20)
    return [
        {
            "type": "scatter",
            "x": x,
            "y": away / FLIP_ONE_SIDED,
            "mode": "lines",
            "line": {"color": NEUTRAL, "width": 2, "dash": "dot"},
            "hovertemplate": "distance / scale = 1.148<extra></extra>",
        }
        for x in (away, 1 - away)
    ]


def flip_notes() -> list[dict[str, Any]]:
    """Return the labels of both flips."""
    arrow = {
        "showarrow": True,
        "arrowcolor": NEUTRAL,
        **PLATE,
    }
    return [
        arrow
        | {
            "x": 0,
            "y": float(np.log10(1 / FLIP_AT_BOUND)),
            "ax": 90,
            "ay": -8,
            "text": "on a bound: range / scale = 1.127",
        },
        arrow
        | {
            "x": 0.06,
            "y": float(np.log10(0.06 / FLIP_ONE_SIDED)),
            "ax": 110,
            "ay": 4,
            "text": "near one: distance / scale = 1.148",
        },
    ]


def flip_sentence() -> str:
    """Return the two places at which truncation and BIT change order, in words.

    >>> flip_sentence().split(":")[0]
    'At equal scale the order flips twice'
    """
    return (
        "At equal scale the order flips twice: with the value on a bound, truncation "
        f"has the larger error as long as the range is more than "
        f"{significant(FLIP_AT_BOUND, 4)} scales wide; with the value near one bound "
        f"and the other far away, as long as it lies within "
        f"{significant(FLIP_ONE_SIDED, 4)} scales of the bound."
    )
