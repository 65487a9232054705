"""The demonstration on Home: one guest of a small hotel, in two possible worlds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.figures.attackers import surest
from dpcore.figures.laboratory import two_worlds_picture
from dpcore.formatting import percent, significant
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity
from ui import controls, results
from ui.live_chart import Film

if TYPE_CHECKING:
    from dpcore.figures.theme import Picture

_AGES: Final = (
    *(20, 21, 21, 22, 24, 24, 26, 28, 31, 31),
    *(36, 39, 42, 51, 58, 62, 68, 74, 77, 100),
)
"""The guests of the lesson “One guest replaced”."""
_BOUNDS: Final = Interval(lower=0.0, upper=100.0)
_EVEN: Final = 0.5
_SLIDER: Final = "miniature"
_CERTAINTY, _MARGIN = "demo-certainty", "demo-margin"
_METRICS: Final = {
    _CERTAINTY: (
        "Attacker's certainty",
        (
            "Of an attacker who wants to know which of the two guests is there: before the "
            "release, and at most after it."
        ),
    ),
    _MARGIN: (
        "Margin of error (95%)",
        "Of the published mean: in 95% of releases it is at most this far off.",
    ),
}
_EPSILONS: Final = [tenths / 10 for tenths in range(1, 51)]


def show() -> None:
    """Show a slider of ε, the two densities that it moves, and what they mean."""
    controlled, drawn, meant = st.columns([1, 2, 1], vertical_alignment="center")
    epsilon = controls.Cell(place=controlled).slider(
        "Privacy parameter ε",
        1.0,
        (0.1, 5.0, 0.1),
        key=_SLIDER,
        note="A small ε adds much noise: the two curves nearly agree.",
    )
    controlled.caption("A hotel publishes the mean age of its 20 guests. One of them, Eli, is 100.")
    with drawn:
        results.show_film(_film(), epsilon, "miniature")
    with meant.container(horizontal=True):
        for key, (label, meaning) in _METRICS.items():
            with st.container(key=key, width="content"):
                st.metric(label, _value(key, epsilon), width="content", help=meaning)


def _mechanism(epsilon: float) -> Laplace:
    sensitivity = Sensitivity.scalar(_BOUNDS.width / len(_AGES))
    return Laplace.calibrate(sensitivity=sensitivity, epsilon=epsilon, bounds=_BOUNDS)


@cache
def _film() -> Film:
    return Film.of(
        _SLIDER,
        {epsilon: _picture(epsilon) for epsilon in _EPSILONS},
        texts={key: [_value(key, epsilon) for epsilon in _EPSILONS] for key in _METRICS},
    )


def _value(key: str, epsilon: float) -> str:
    if key == _CERTAINTY:
        return f"{percent(_EVEN)} → at most {surest(epsilon)}"
    return f"± {significant(_mechanism(epsilon).noise * np.log(20))} years"


def _picture(epsilon: float) -> Picture:
    oldest = _AGES[-1]
    with_guest = sum(_AGES) / len(_AGES)
    without = with_guest - oldest / len(_AGES)
    return two_worlds_picture(
        _mechanism(epsilon),
        key="laplace",
        epsilon=epsilon,
        worlds=((f"with Eli, aged {oldest}", with_guest), ("with a newborn instead", without)),
        window=(without - 30, with_guest + 30),
        answer="published mean age, years",
        title=f"One guest moves the mean age by {significant(with_guest - without)} years",
    )
