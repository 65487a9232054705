"""Low bits: the last digits of floating-point noise."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from dpcore.figures.attackers import surest
from dpcore.figures.attacks import low_bits_picture
from dpcore.studies.attacks.floating_point import careless, on_grid
from dpcore.wording import epsilon_text, in_full, three_digits
from ui import controls, results
from ui.attacks import verdicts
from ui.attacks.subject import AttackTarget

_DRAWS: Final = 500
_LISTED: Final = 8
_FAR: Final = 100.0


def show_floating_point(subject: AttackTarget) -> None:
    """Ask for two answers, and tell them apart by the last digits of a release."""
    subject.say_unread()
    cells = controls.row(4)
    first = cells[0].number(
        "Exact answer", 1.0, (-_FAR, _FAR), key="bits-first", note="Such as a count."
    )
    second = cells[1].number(
        "The answer it could have been",
        0.0,
        (-_FAR, _FAR),
        key="bits-second",
        note="Without one person, say.",
    )
    epsilon = cells[2].number(
        "ε of the release", 1.0, (0.1, 5.0), key="bits-epsilon", note=controls.EPSILON_HELP
    )
    seed = cells[3].seed(key="bits-seed")
    if first == second:
        st.info("Choose two answers that differ.", icon="✏️")
        return
    scale = max(abs(first - second), 1e-3) / epsilon
    naive, grid = (
        attack(first, second, scale, draws=_DRAWS, rng=np.random.default_rng(seed))
        for attack in (careless, on_grid)
    )
    results.show(low_bits_picture(naive, grid), "attack-bits", simulated=True)
    st.markdown(
        f"The first releases of {in_full(first)}, in every bit: sign, 53 binary digits "
        "written as hexadecimal ones, and a power of two"
    )
    results.table(
        {
            "careless release": [one.hex() for one in naive.releases[:_LISTED].tolist()],
            f"can come from {in_full(second)}": _yes(naive.possible),
            "release on a grid": [one.hex() for one in grid.releases[:_LISTED].tolist()],
            f"can it come from {in_full(second)}": _yes(grid.possible),
        },
        key="bits-table",
    )
    verdicts.show_verdict(
        f"{three_digits(naive.given_away)} of {_DRAWS} releases could never have come "
        f"from {in_full(second)}: each of them proves the answer, whatever ε was "
        "promised.",
        f"All {_DRAWS} could have come from both answers; what they tell is limited by "
        f"ε {epsilon_text(epsilon)}: at most {surest(epsilon)} sure.",
    )
    verdicts.show_lesson(
        "A formula on paper has real numbers, a computer has some of them: the noise "
        "b·log(u) has gaps, and where the gaps lie depends on the answer (Mironov "
        "2012).",
        "An exact sampler: whole steps on a grid that does not depend on the data. "
        "Real releases are drawn so, with the randomness of the operating system; here "
        "it is simulated from the seed.",
    )


def _yes(possible: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[str]:
    return ["yes" if one else "never" for one in possible[:_LISTED].tolist()]
