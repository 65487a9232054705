"""What bounding does near a bound: point masses, and draws that are thrown away."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.marks import Mark, line, lines, now
from dpcore.figures.theme import STROKES, Picture, axis, log_axis
from dpcore.wording import significant, three_digits

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray
    from dpcore.mechanisms.base import Mechanism
    from dpcore.studies.teaching.laboratory import Setup


_VALUE = axis("the value (0 and 1 are the bounds)")
_MIDDLE = 0.5
_DRAWS = (0.9, 25.0)
"""Of one release: from hardly more than 1 to 20, the most at any setting of the lab."""


def atoms_picture(mechanism: Mechanism, setup: Setup) -> Picture:
    """Return how often exactly a bound is released, over where the value lies."""
    place = np.linspace(0.0, 1.0, 101)
    lower, upper = mechanism.atoms(place)
    here = tuple(float(atom) for atom in mechanism.atoms(setup.place))
    solid = replace(STROKES[setup.key], dash="solid")
    dashed = replace(solid, dash="dash")
    title = (
        f"With the value at {significant(setup.place)}, {three_digits(here[0])} of all "
        f"releases are exactly 0 and {three_digits(here[1])} exactly 1"
    )
    return Picture.of(
        title,
        {"value": place, "P(exactly 0)": lower, "P(exactly 1)": upper},
        drawn="Two lines over the value",
        height=320,
        traces=lines(
            place,
            [("exactly 0", 100 * lower, solid), ("exactly 1", 100 * upper, dashed)],
            hover="value %{x:.2f}: %{y:.3g} %",
        ),
        xaxis=_VALUE,
        yaxis=axis("share of releases, %", range=[0, 60]),
        shapes=[_now(setup.place)],
    )


def tries_picture(tries: FloatArray, place: FloatArray, setup: Setup) -> Picture:
    """Return how many draws a release takes on average, over where the value lies."""
    here, there = (
        float(np.interp(at, place, tries)) for at in (setup.place, setup.other)
    )
    title = (
        f"A release takes {significant(here)} draws on average at the value "
        f"{significant(setup.place)}, but {significant(there)} at "
        f"{significant(setup.other)}"
    )
    return Picture.of(
        title,
        {"value": place, "draws": tries},
        drawn="A line that is highest at the bounds",
        height=320,
        traces=[
            line(
                place,
                tries,
                stroke=STROKES[setup.key],
                hover="value %{x:.2f}: %{y:.3g} draws",
            )
        ],
        xaxis=_VALUE,
        yaxis=log_axis("draws for one release", *_DRAWS),
        shapes=[_now(setup.place), _now(setup.other, "other world")],
    )


def _now(place: float, name: str = "now") -> Mark:
    return now(place, name, xanchor="left" if place < _MIDDLE else "right")
