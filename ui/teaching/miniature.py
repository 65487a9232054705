"""The live miniature on the home page: one guest, with and without."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.figures.laboratory import two_worlds_picture
from dpcore.mechanisms.base import Sensitivity
from dpcore.mechanisms.laplace import Laplace
from dpcore.wording import significant
from ui import controls, results

# Twenty made-up guests of a small hotel. The last one is as old as the bounds allow, so
# that a newborn instead moves the mean as far as anybody can: what is seen is what the
# guarantee is about.
_AGES = (23, 25, 27, 28, 31, 33, 34, 36, 38, 41, 42, 44, 45, 47, 52, 55, 58, 61, 67, 100)
_BOUNDS = Interval(lower=0.0, upper=100.0)


def show_miniature() -> None:
    """Draw the slider and the two densities it moves."""
    epsilon = controls.HERE.slider(
        "Privacy parameter ε",
        1.0,
        (0.1, 5.0, 0.1),
        key="miniature",
        note="Small: the two curves nearly agree, and an attacker learns nothing.",
    )
    people = len(_AGES)
    sensitivity = Sensitivity.scalar(_BOUNDS.width / people)
    mechanism = Laplace.calibrate(sensitivity=sensitivity, epsilon=epsilon, bounds=_BOUNDS)
    ages = np.array(_AGES, dtype=float)
    there = float(ages.mean())
    instead = float((ages.sum() - ages[-1] + _BOUNDS.lower) / people)
    picture = two_worlds_picture(
        mechanism,
        key="laplace",
        epsilon=epsilon,
        worlds=((f"with the guest of {_AGES[-1]}", there), ("with a newborn instead", instead)),
        window=(instead - 30, there + 30),
        answer="published mean age of twenty guests, years",
    )
    results.show(picture, "miniature", simulated=True)
    reach = mechanism.noise * np.log(20)
    st.markdown(
        f"Twenty guests stay in a small hotel; one of them is {_AGES[-1]}. Replacing "
        f"that guest moves the mean age by {significant(there - instead)} years. With "
        f"ε {epsilon:g} the published mean is within ±{significant(reach)} years of "
        "the truth in 95 of 100 cases. Move the slider to a larger ε: less noise, and "
        "more certainty about the one guest."
    )
