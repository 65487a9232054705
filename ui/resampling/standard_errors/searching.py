"""The search for noise that keeps the claim; it can be stopped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.privacy.bootstrap.calibration import search
from dpcore.privacy.bootstrap.real_cost import claimed_epsilon
from dpcore.wording import significant
from ui import work

if TYPE_CHECKING:
    from dpcore.privacy.bootstrap.upper_bounds import Bound

_STEPS = 11


def find_noise(
    slot: str, bound: Bound, *, rho: float, delta: float, times: int, people: int
) -> float | None:
    """Return the factor on the noise that makes the claim hold, once it is found."""
    steps = work.follow(
        slot,
        repr((rho, times, people, delta, bound.value)),
        _STEPS,
        lambda: search(rho=rho, delta=delta, times=times, people=people, bound=bound),
        # So that nobody takes an older search for it.
        doing=f"Looking for the noise that is enough for {times} bootstraps at ε "
        f"{significant(claimed_epsilon(rho, delta), 4)}",
    )
    if steps is None:
        return None
    if not steps or math.isinf(steps[-1].high):
        st.info("The search was stopped before it found enough noise.")
        return None
    return steps[-1].high
