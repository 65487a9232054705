"""The demonstration on Home: one guest of a small hotel, in two possible worlds."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.figures.attackers import surest
from dpcore.figures.laboratory import two_worlds_picture
from dpcore.formatting import percent, significant
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity
from ui import controls, results

_AGES: Final = (
    *(23, 25, 27, 28, 31, 33, 34, 36, 38, 41),
    *(42, 44, 45, 47, 52, 55, 58, 61, 67, 100),
)
_BOUNDS: Final = Interval(lower=0.0, upper=100.0)
_EVEN: Final = 0.5


def show() -> None:
    """Show a slider of ε, the two densities that it moves, and what they mean."""
    controlled, drawn, meant = st.columns([1, 2, 1], vertical_alignment="center")
    epsilon = controls.Cell(place=controlled).slider(
        "Privacy parameter ε",
        1.0,
        (0.1, 5.0, 0.1),
        key="miniature",
        note="A small ε adds much noise: the two curves nearly agree.",
    )
    controlled.caption("A hotel publishes the mean age of its twenty guests. One of them is 100.")
    people, oldest = len(_AGES), _AGES[-1]
    mechanism = Laplace.calibrate(
        sensitivity=Sensitivity.scalar(_BOUNDS.width / people), epsilon=epsilon, bounds=_BOUNDS
    )
    with_guest = sum(_AGES) / people
    without = with_guest - oldest / people
    picture = two_worlds_picture(
        mechanism,
        key="laplace",
        epsilon=epsilon,
        worlds=((f"with the guest of {oldest}", with_guest), ("with a newborn", without)),
        window=(without - 30, with_guest + 30),
        answer="published mean age, years",
        title=f"One guest moves the mean age by {significant(with_guest - without)} years",
    )
    with drawn:
        results.show(picture, "miniature", simulated=True)
    reach = significant(mechanism.noise * np.log(20))
    with meant.container(horizontal=True):
        certainty = f"{percent(_EVEN)} → {surest(epsilon)}"
        st.metric("Attacker's certainty", certainty, width="content", help=_CERTAINTY)
        st.metric("Margin of error (95%)", f"± {reach} years", width="content", help=_MARGIN)


_CERTAINTY: Final = (
    "Of an attacker who wants to know which of the two guests is there: before the "
    "release, and at most after it."
)
_MARGIN: Final = "Of the published mean: in 95% of releases it is at most this far off."
