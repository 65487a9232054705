"""Figures 1 and 2 of Wang (2019). Everything on the page is simulated."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, cast

import streamlit as st

from dpcore.figures.individual import guarantees as figures
from dpcore.formatting import epsilon_text, in_full, significant
from dpcore.studies.wang2019 import (
    GAMMAS,
    SIZES,
    FigurePane,
    FigurePart,
    NestedLosses,
    Simulation,
    Wang2019Design,
    findings,
    numbers,
    of_pane,
    run,
)
from ui import controls, results, work
from ui.form import DeclaredStudy, Listed, NumberSetting, Seed, SettingsForm

Run = work.Run[Wang2019Design, FigurePart]

FORM: Final = SettingsForm(
    row={
        "people": NumberSetting(
            label="People in Figure 1",
            value=1_000,
            within=(1, 1_000_000, 100),
            key="f12-people",
            note="Also the people of the posterior sample. All settings here are "
            "reconstructed: the source does not print them.",
        ),
        "strength": NumberSetting(
            label="Penalty of Figure 1, times √n",
            value=2.0,
            within=(1e-3, 1e4),
            key="f12-strength",
            note="2 was chosen so that the run shows what the source reports.",
        ),
        "epsilon": NumberSetting(
            label="Guarantee ε",
            value=1.0,
            within=(1e-3, 100.0, 0.5),
            key="f12-epsilon",
            note=controls.EPSILON_HELP,
        ),
        "delta": NumberSetting(
            label="Guarantee δ",
            value=1e-6,
            within=(1e-12, 0.1),
            key="f12-delta",
            note=controls.DELTA_HELP,
        ),
    },
    more={
        "columns": NumberSetting(
            label="Coefficients",
            value=10,
            within=(1, 50),
            key="f12-columns",
            note="Features of each person, scaled to a row of length 1.",
        ),
        "noise": NumberSetting(
            label="Noise of the targets",
            value=0.1,
            within=(0.0, 10.0),
            key="f12-noise",
            note="Standard deviation before targets are clamped to [−1, 1].",
        ),
        "seed": Seed(value=0, key="f12-seed"),
        "second": NumberSetting(
            label="Penalty of Figure 2, times √n",
            value=1.0,
            within=(1e-3, 1e4),
            key="f12-second",
            note="At least 1 for the posterior sample.",
        ),
        "sizes": Listed(
            label="Numbers of people",
            value=", ".join(map(str, SIZES)),
            kind=int,
            key="f12-sizes",
            note="For noise on the coefficients in Figure 2.",
        ),
        "gammas": Listed(
            label="Precisions γ",
            value=", ".join(in_full(gamma) for gamma in GAMMAS),
            key="f12-gammas",
            note="For the posterior sample in Figure 2. Larger is closer to the fit.",
        ),
    },
)


def _design(
    *,
    second: float,
    sizes: tuple[int, ...],
    gammas: tuple[float, ...],
    **simulation: Any,  # noqa: ANN401 - fields of the simulation
) -> Wang2019Design:
    return Wang2019Design(
        simulation=Simulation(**simulation), strength=second, sizes=sizes, gammas=gammas
    )


def _run(asked: Wang2019Design) -> Run:
    return work.latest(
        "figures-1-2",
        asked,
        total=asked.parts,
        begin=lambda: run(asked),
        button="Run the simulation",
        pieces="tables",
    )


def _losses(current: Run) -> NestedLosses:
    return cast("NestedLosses", of_pane(current.pieces, FigurePane.NESTED)[0].losses)


def _first(current: Run) -> None:
    """Show Figure 1 with its factors."""
    losses = _losses(current)
    results.show(figures.nested_picture(losses), "f12-first", simulated=True)
    factors = {
        "Guarantee ÷ worst newcomer": (losses.times_for_all, "The worst newcomer found."),
        "Guarantee ÷ worst in table": (losses.times_in_table, "The most exposed person."),
        "Guarantee ÷ average": (losses.times_on_average, "The average over the table."),
    }
    for cell, (label, (times, note)) in zip(st.columns(3), factors.items(), strict=True):
        cell.metric(label, significant(times), help=note)


def _pane(pane: FigurePane, current: Run) -> None:
    """Show Figure 2 of one kind of noise."""
    mine = of_pane(current.pieces, pane)
    if not mine:
        st.info("The run was stopped before this figure.")
        return
    picture = figures.sizes_picture if pane is FigurePane.BY_SIZE else figures.precision_picture
    results.show(picture(mine), f"f12-{pane.name.lower()}", simulated=True)


def _why(current: Run) -> str:
    losses = _losses(current)
    zero = (
        " ∞ means a loss of 0: δ alone covers what the person can change."
        if min(losses.for_all, losses.losses.max()) == 0
        else ""
    )
    return (
        "**Why:** the guarantee covers every dataset. For any newcomer to this dataset the "
        f"loss is at most 1/{significant(losses.times_at_least)} of it (proved), and "
        f"1/{significant(losses.times_for_all)} in the worst case found by search.{zero}"
    )


def _methods(current: Run) -> str:
    simulation = current.asked.simulation
    return (
        "A ridge regression with penalty λ is fitted to a simulated table: "
        f"{simulation.columns} features, each row of length 1, targets in [−1, 1]. **Figure "
        "1** and **Noise on the coefficients** add Gaussian noise of equal size to all "
        f"coefficients (ε = {epsilon_text(simulation.epsilon)}, δ = "
        f"{significant(simulation.delta)}, σ = {significant(_losses(current).sigma)}). "
        "**Posterior sample** draws the coefficients once from N(θ̂, (γH)⁻¹). Each loss is "
        "the exact one between the table with and without the person.\n\n"
        "A residual of zero is not a loss of zero for the posterior sample, because the "
        "person also changes its covariance.\n\n"
        "Source: Y.-X. Wang, *Per-instance differential privacy*, 2019, figures 1 and 2, "
        "section 6. Its settings are reconstructed. λ = 2√n gives the reported factors "
        "(about 6 and more than 10); λ = √n gives 11.5 and 51.8."
    )


STUDY: Final = DeclaredStudy(
    key="figures-1-2",
    view_key="f12-pane",
    sentence="Compare the guarantee with individual losses, as in Wang (2019).",
    form=FORM,
    design=_design,
    run=_run,
    views={
        "Figure 1": _first,
        "Noise on the coefficients": partial(_pane, FigurePane.BY_SIZE),
        "One posterior sample": partial(_pane, FigurePane.BY_PRECISION),
    },
    why=_why,
    claims=lambda current: findings(current.asked, current.pieces),
    numbers=lambda current: numbers(current.pieces),
    methods=_methods,
)
