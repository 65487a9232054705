"""The settings of Figures 1 and 2. All of them are public, and stand in the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.studies.individual.per_instance_figures import GAMMAS, SIZES, Simulation
from dpcore.studies.individual.per_instance_run import Design
from ui.asking.inputs import DELTA_HELP, EPSILON_HELP

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _N = TypeVar("_N", int, float)


def ask() -> Design:
    """Show the controls and return the design.

    Raises:
        ParameterError: A setting lies outside its domain.

    """
    cells = st.columns(4)
    people = cells[0].number_input(
        "People in Figure 1",
        min_value=1,
        max_value=1_000_000,
        value=1_000,
        step=100,
        key="f12-people",
        bind="query-params",
        help="Also those of the posterior sample of Figure 2. Reconstructed, as all "
        "settings here: the text does not print them.",
    )
    strength = cells[1].number_input(
        "Penalty of Figure 1, times √n",
        min_value=1e-3,
        max_value=1e4,
        value=2.0,
        format="%g",
        key="f12-strength",
        bind="query-params",
        help="2 was sought so that the run shows what the text reports of Figure 1.",
    )
    epsilon = cells[2].number_input(
        "Guarantee ε",
        min_value=1e-3,
        max_value=100.0,
        value=1.0,
        step=0.5,
        format="%g",
        key="f12-epsilon",
        bind="query-params",
        help=f"{EPSILON_HELP} Noise on the coefficients is calibrated to it.",
    )
    delta = cells[3].number_input(
        "Its δ",
        min_value=1e-12,
        max_value=0.1,
        value=1e-6,
        format="%g",
        key="f12-delta",
        bind="query-params",
        help=DELTA_HELP,
    )
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
        sizes=_numbers(sizes, int, "numbers of people"),
        gammas=_numbers(gammas, float, "precisions"),
    )


def _table() -> tuple[int, float, int]:
    cells = st.columns(3)
    columns = cells[0].number_input(
        "Coefficients",
        min_value=1,
        max_value=50,
        value=10,
        key="f12-columns",
        bind="query-params",
        help="Features of each person, scaled to a row of length 1.",
    )
    noise = cells[1].number_input(
        "Noise of the targets",
        min_value=0.0,
        max_value=10.0,
        value=0.1,
        format="%g",
        key="f12-noise",
        bind="query-params",
        help="Standard deviation, before targets are clipped to −1 and 1.",
    )
    seed = cells[2].number_input(
        "Seed",
        min_value=0,
        max_value=10**6,
        value=0,
        key="f12-seed",
        bind="query-params",
        help="Of the simulated table; Figure 2 with noise uses the next one.",
    )
    return columns, noise, seed


def _second() -> tuple[float, str, str]:
    cells = st.columns(3)
    strength = cells[0].number_input(
        "Penalty of Figure 2, times √n",
        min_value=1e-3,
        max_value=1e4,
        value=1.0,
        format="%g",
        key="f12-second",
        bind="query-params",
        help="The penalty must be at least 1 for the posterior sample.",
    )
    sizes = cells[1].text_input(
        "Numbers of people",
        ", ".join(map(str, SIZES)),
        key="f12-sizes",
        bind="query-params",
        help="Of Figure 2, noise on the coefficients.",
    )
    gammas = cells[2].text_input(
        "Precisions γ",
        ", ".join(f"{gamma:g}" for gamma in GAMMAS),
        key="f12-gammas",
        bind="query-params",
        help="Of Figure 2, one posterior sample: the larger, the closer to the fit.",
    )
    return strength, sizes, gammas


def _numbers(text: str, kind: Callable[[str], _N], what: str) -> tuple[_N, ...]:
    try:
        return tuple(kind(part) for part in text.replace(";", ",").split(",") if part)
    except ValueError:
        message = f"write the {what} with commas between them, as in the default."
        raise ParameterError(message) from None
