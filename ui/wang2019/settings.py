"""The settings of Figures 1 and 2. All of them are public, and stand in the address."""

from __future__ import annotations

import streamlit as st

from dpcore.studies.individual.wang2019.figures import GAMMAS, SIZES, Simulation
from dpcore.studies.individual.wang2019.run import Design
from ui import controls


def ask() -> Design:
    """Show the controls and return the design.

    Raises:
        ParameterError: A setting lies outside its domain.

    """
    cells = st.columns(4)
    people = controls.number(
        cells[0],
        "People in Figure 1",
        1_000,
        (1, 1_000_000, 100),
        key="f12-people",
        note="Also those of the posterior sample of Figure 2. Reconstructed, as all "
        "settings here: the text does not print them.",
    )
    strength = controls.number(
        cells[1],
        "Penalty of Figure 1, times √n",
        2.0,
        (1e-3, 1e4),
        key="f12-strength",
        note="2 was sought so that the run shows what the text reports of Figure 1.",
    )
    epsilon = controls.number(
        cells[2],
        "Guarantee ε",
        1.0,
        (1e-3, 100.0, 0.5),
        key="f12-epsilon",
        note=f"{controls.EPSILON_HELP} Noise on the coefficients is calibrated to it.",
    )
    delta = controls.delta(cells[3], "Its δ", 1e-6, (1e-12, 0.1), key="f12-delta")
    with st.expander("More settings", key="f12-more"):
        columns, noise, seed = _table()
        second, sizes, gammas = _second()
    return Design(
        simulation=Simulation(
            people=people,
            columns=columns,
            noise=noise,
            strength=strength,
            seed=seed,
            epsilon=epsilon,
            delta=delta,
        ),
        strength=second,
        sizes=controls.listed(sizes, int, "numbers of people"),
        gammas=controls.listed(gammas, float, "precisions"),
    )


def _table() -> tuple[int, float, int]:
    cells = st.columns(3)
    columns = controls.number(
        cells[0],
        "Coefficients",
        10,
        (1, 50),
        key="f12-columns",
        note="Features of each person, scaled to a row of length 1.",
    )
    noise = controls.number(
        cells[1],
        "Noise of the targets",
        0.1,
        (0.0, 10.0),
        key="f12-noise",
        note="Standard deviation, before targets are clipped to −1 and 1.",
    )
    seed = controls.seed(
        cells[2],
        "Seed",
        0,
        key="f12-seed",
        note="Of the simulated table; Figure 2 with noise uses the next one.",
    )
    return columns, noise, seed


def _second() -> tuple[float, str, str]:
    cells = st.columns(3)
    strength = controls.number(
        cells[0],
        "Penalty of Figure 2, times √n",
        1.0,
        (1e-3, 1e4),
        key="f12-second",
        note="The penalty must be at least 1 for the posterior sample.",
    )
    sizes = controls.numbers(
        cells[1],
        "Numbers of people",
        ", ".join(map(str, SIZES)),
        key="f12-sizes",
        note="Of Figure 2, noise on the coefficients.",
    )
    gammas = controls.numbers(
        cells[2],
        "Precisions γ",
        ", ".join(f"{gamma:g}" for gamma in GAMMAS),
        key="f12-gammas",
        note="Of Figure 2, one posterior sample: the larger, the closer to the fit.",
    )
    return strength, sizes, gammas
