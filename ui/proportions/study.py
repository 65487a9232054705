"""Study 2: its settings, and its run. All of it is simulated from public settings."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.proportions import View
from dpcore.mechanisms.catalog import CATALOG
from dpcore.postprocessing.constrained_proportions import leaving_over
from dpcore.studies import proportion_study
from dpcore.studies.proportion_study import (
    BOUNDING,
    MOST_REPETITIONS,
    MOST_SETS,
    Measure,
    Procedure,
    ProcedureAccuracy,
    ProportionDesign,
)
from ui import controls, work
from ui.text import sentence_of

_USUAL = ProportionDesign()
_LINES = (
    Procedure.ORIGINAL,
    Procedure.RESCALING,
    Procedure.SYNTHESIS,
    Procedure.ALL_BUT_ONE,
    Procedure.HISTOGRAM,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionSimulation:
    """What is known of a study so far."""

    design: ProportionDesign
    found: list[ProcedureAccuracy]


def ask() -> tuple[ProportionDesign, int] | None:
    """Show the settings; return a design and its seed, or say what is wrong."""
    first, second, third, fourth = controls.row(4)
    shares = first.numbers(
        "Proportions of the cells",
        ", ".join(f"{share:.2f}" for share in _USUAL.shares),
        key="study2-shares",
        note="Two to ten numbers with sum 1.",
    )
    epsilons = second.numbers(
        "Privacy parameters ε",
        ", ".join(f"{epsilon:g}" for epsilon in _USUAL.epsilons),
        key="study2-epsilons",
        note="The original compared three, of which only 1 is known.",
    )
    people = third.numbers(
        "Numbers of people n",
        ", ".join(str(size) for size in _USUAL.people),
        key="study2-people",
        note="Sample sizes: the shares are counts over n.",
    )
    repetitions = fourth.number(
        "Repetitions",
        _USUAL.repetitions,
        (2, MOST_REPETITIONS, 50),
        key="study2-repetitions",
        note="Samples drawn for every n. The original drew 500.",
    )
    st.caption(
        "Reconstructed: proportions, ε, n and the cell left over. The original's were "
        "lost; its 500 repetitions and 5 sets were not."
    )
    try:
        cells = controls.listed(shares, float, "proportions")
        with st.expander("More settings"):
            sets, mechanisms, order, seed = _more(len(cells))
        design = ProportionDesign(
            shares=cells,
            epsilons=controls.listed(epsilons, float, "privacy parameters"),
            people=_whole(controls.listed(people, float, "numbers of people")),
            repetitions=repetitions,
            sets=sets,
            mechanisms=mechanisms,
            order=order,
        )
    except ParameterError as error:
        st.error(sentence_of(error))
        return None
    return design, seed


def run(asked: tuple[ProportionDesign, int] | None) -> ProportionSimulation:
    """Show the buttons, run what was asked for last, and return what is known of it."""
    design, seed = asked or (_USUAL, 1)
    latest = work.latest(
        "study2",
        (design, seed),
        total=design.settings,
        begin=lambda: proportion_study.run(design, rng=np.random.default_rng(seed)),
        button="Run the study",
        pieces="settings",
        ready=asked is not None,
    )
    found = list(chain.from_iterable(latest.pieces))
    return ProportionSimulation(design=latest.asked[0], found=found)


def choose(design: ProportionDesign) -> View:
    """Show the controls of what is drawn."""
    first, second, third = controls.row((2, 5, 4))
    epsilon = first.selectbox("Show ε", design.epsilons, key="study2-epsilon", kept="session")
    mechanism = second.selectbox(
        "Show the mechanism",
        design.mechanisms,
        format_func=lambda key: CATALOG[key].label,
        key="study2-mechanism",
        kept="session",
    )
    has_pairs = len(design.targets) > len(design.shares)
    what = third.selectbox(
        "Panels",
        ["single cells", "pairs of cells"] if has_pairs else ["single cells"],
        key="study2-targets",
        kept="session",
        note="p1 with the last cell is a node of the tree.",
    )
    procedures: list[Procedure] = list(Procedure)
    # On a row of its own: its names are long, and cut in a narrow column.
    chosen = st.multiselect(
        "Compare", procedures, default=_LINES, key="study2-lines", persist_state="session"
    )
    return View(
        measure=Measure.COVERAGE,
        mechanism=mechanism,
        epsilon=epsilon,
        procedures=tuple(p for p in procedures if p in chosen),
        pairs=what == "pairs of cells",
    )


def _more(cells: int) -> tuple[int, tuple[str, ...], tuple[int, ...] | None, int]:
    """Show the settings that are seldom changed."""
    first, second, third = controls.row(3)
    sets = first.number(
        "Sets of multiple synthesis",
        _USUAL.sets,
        (2, MOST_SETS),
        key="study2-sets",
        note="Each set gets this part of ε. The original released 5.",
    )
    mechanisms = st.multiselect(
        "Mechanisms",
        list(BOUNDING),
        default=_USUAL.mechanisms,
        format_func=lambda key: CATALOG[key].label,
        key="study2-mechanisms",
        persist_state="session",
    )
    left = second.selectbox(
        "All but one leaves over",
        range(cells),
        index=cells - 1,
        format_func=lambda cell: f"p{cell + 1}",
        key=f"study2-left-{cells}",
        kept="session",
        note="This cell gets what the others leave; those farthest from it come first. "
        "The original does not say which it was.",
    )
    seed = third.seed(
        "Seed of the random numbers",
        key="study2-seed",
        note="The same settings and seed give the same numbers.",
    )
    order = leaving_over(left, cells) if cells else None
    return sets, tuple(mechanisms), order, seed


def _whole(numbers: tuple[float, ...]) -> tuple[int, ...]:
    if not all(number.is_integer() for number in numbers):
        raise ParameterError("the numbers of people must be whole.")
    return tuple(sorted({int(number) for number in numbers}))
