"""The parts of the page of Figures 1 and 2. Everything on it is simulated."""

from __future__ import annotations

from functools import partial
from typing import cast

import streamlit as st

from dpcore.figures.individual import guarantees as figures
from dpcore.formatting import epsilon_text, significant
from dpcore.studies.wang2019 import (
    GAMMAS,
    SIZES,
    FigurePart,
    NestedLosses,
    Pane,
    Simulation,
    Wang2019Design,
    findings,
    numbers,
    of_pane,
    run,
)
from ui import controls, layout, results, work

Study = work.Run[Wang2019Design, FigurePart]


def ask() -> Wang2019Design:
    """Show the controls and return the design.

    Raises:
        ParameterError: A setting lies outside its domain.

    """
    cells = controls.row(4)
    people = cells[0].number(
        "People in Figure 1",
        1_000,
        (1, 1_000_000, 100),
        key="f12-people",
        note="Also those of the posterior sample of Figure 2. Reconstructed, as all "
        "settings here: the text does not print them.",
    )
    strength = cells[1].number(
        "Penalty of Figure 1, times √n",
        2.0,
        (1e-3, 1e4),
        key="f12-strength",
        note="2 was sought so that the run shows what the text reports of Figure 1.",
    )
    epsilon = cells[2].number(
        "Guarantee ε",
        1.0,
        (1e-3, 100.0, 0.5),
        key="f12-epsilon",
        note=f"{controls.EPSILON_HELP} Noise on the coefficients is calibrated to it.",
    )
    delta = cells[3].delta("Its δ", 1e-6, (1e-12, 0.1), key="f12-delta")
    with st.expander("More settings", key="f12-more"):
        columns, noise, seed = _table()
        second, sizes, gammas = _second()
    return Wang2019Design(
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
    cells = controls.row(3)
    columns = cells[0].number(
        "Coefficients",
        10,
        (1, 50),
        key="f12-columns",
        note="Features of each person, scaled to a row of length 1.",
    )
    noise = cells[1].number(
        "Noise of the targets",
        0.1,
        (0.0, 10.0),
        key="f12-noise",
        note="Standard deviation, before targets are clipped to −1 and 1.",
    )
    seed = cells[2].seed(
        "Seed",
        0,
        key="f12-seed",
        note="Of the simulated table; Figure 2 with noise uses the next one.",
    )
    return columns, noise, seed


def _second() -> tuple[float, str, str]:
    cells = controls.row(3)
    strength = cells[0].number(
        "Penalty of Figure 2, times √n",
        1.0,
        (1e-3, 1e4),
        key="f12-second",
        note="The penalty must be at least 1 for the posterior sample.",
    )
    sizes = cells[1].numbers(
        "Numbers of people",
        ", ".join(map(str, SIZES)),
        key="f12-sizes",
        note="Of Figure 2, noise on the coefficients.",
    )
    gammas = cells[2].numbers(
        "Precisions γ",
        ", ".join(f"{gamma:g}" for gamma in GAMMAS),
        key="f12-gammas",
        note="Of Figure 2, one posterior sample: the larger, the closer to the fit.",
    )
    return strength, sizes, gammas


def latest(asked: Wang2019Design) -> Study:
    """Return the latest run once it is finished or stopped; show how far it is."""
    return work.latest(
        "figures-1-2",
        asked,
        total=asked.parts,
        begin=lambda: run(asked),
        button="Run the simulation",
        pieces="tables",
    )


def first(current: Study) -> None:
    """Show Figure 1 with its two factors."""
    losses = cast("NestedLosses", of_pane(current.pieces, Pane.NESTED)[0].losses)
    cells = st.columns(4)
    cells[0].metric(
        "DP over anybody, found",
        f"{significant(losses.times_for_all)} ×",
        delta=f"proved: {significant(losses.times_at_least)} ×",
        delta_color="off",
        delta_arrow="off",
        help="The worst newcomer that a search finds, and what is proved of all.",
    )
    cells[1].metric(
        "DP over most exposed",
        f"{significant(losses.times_in_table)} ×",
        help="The most exposed person in the table.",
    )
    cells[2].metric(
        "DP over average",
        f"{significant(losses.times_on_average)} ×",
        help="How many times the guarantee for everybody exceeds what the people in "
        "the table lose on average.",
    )
    cells[3].metric(
        "Noise σ",
        significant(losses.sigma),
        help="Standard deviation of the noise on each coefficient.",
    )
    results.show(figures.nested_picture(losses), "f12-first", simulated=True)
    st.caption(
        "“Found” is the most that a search over all possible newcomers comes to, “at "
        "most” what is proved of them: the truth lies between."
    )
    if min(losses.for_all, losses.losses.max()) == 0:
        st.caption("∞: a loss of 0, for δ alone covers what the person can change.")


def second(current: Study) -> None:
    """Show Figure 2 of both kinds of noise, the open one."""
    panes = {"Noise on the coefficients": Pane.BY_SIZE, "One posterior sample": Pane.BY_PRECISION}
    layout.show(
        {title: partial(_pane, current, pane) for title, pane in panes.items()}, key="f12-pane"
    )


def _pane(current: Study, pane: Pane) -> None:
    mine = of_pane(current.pieces, pane)
    if not mine:
        st.info("The run was stopped before it came to this picture.")
        return
    picture = figures.sizes_picture if (pane is Pane.BY_SIZE) else figures.precision_picture
    results.show(picture(mine), f"f12-{pane.name.lower()}", simulated=True)


def verdicts(current: Study) -> None:
    """Hold what the text says against this run."""
    results.verdicts(findings(current.asked, current.pieces))


def download(current: Study) -> None:
    """Offer the numbers as a file."""
    results.table_files(partial(numbers, current.pieces), "figures-1-2", "figures12")
    st.caption("Simulated from the settings above. Public: no table was used.")


def details(current: Study) -> None:
    """Say what is simulated, and what was reconstructed."""
    simulation = current.asked.simulation
    st.markdown(
        "A linear regression with a ridge penalty λ is fitted to a simulated table: "
        f"{simulation.columns} features, each row of length 1, targets between −1 and "
        "1. **Figure 1** and **Noise on the coefficients** add normal noise of equal "
        "size to all coefficients, just enough for the guarantee (ε "
        f"{epsilon_text(simulation.epsilon)}, δ {significant(simulation.delta)}); "
        "**One posterior sample** draws the coefficients once from the posterior N(θ̂, "
        "(γH)⁻¹). Everybody's own loss is the exact one between two tables, with and "
        "without the person.\n\nThe guarantee is over all tables. “Anybody” is over "
        "all possible newcomers to this table. A residual of zero is not a loss of "
        "zero for the posterior sample: the person also changes how far it scatters. "
        "That is the floor on the right of its picture, where the sample is least "
        "accurate.\n\nSource: Y.-X. Wang, *Per-instance differential privacy*, 2019, "
        "figures 1 and 2, section 6. Its text does not print the settings. They were "
        "reconstructed so that Figure 1 shows the factors that the text names (about 6 "
        "and more than 10); λ = 2√n does, λ = √n gives 11.5 and 51.8."
    )
