"""Study 2: its settings, and its run. All of it is simulated from public settings."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.proportions.proportion_study import View
from dpcore.inference.constrained_proportions import leaving_over
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.proportions import proportion_study as study
from dpcore.studies.proportions.proportion_design import (
    BOUNDING,
    MOST_REPETITIONS,
    MOST_SETS,
    Design,
    Procedure,
)
from dpcore.studies.proportions.proportion_study import Measure
from ui import session
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamlit.delta_generator import DeltaGenerator

    from dpcore.studies.proportions.proportion_study import Accuracy

_ASKED, _STOPPED = "_study2_asked", "_study2_stopped"
_USUAL = Design()
_LINES = (
    Procedure.ORIGINAL,
    Procedure.RESCALING,
    Procedure.SYNTHESIS,
    Procedure.ALL_BUT_ONE,
    Procedure.HISTOGRAM,
)
# A run that is over by then needs no progress bar.
_BLINK = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A study that can be run: its public settings."""

    design: Design = _USUAL
    seed: int = 1


@dataclass(slots=True)
class Run:
    """A study on its way: what was found so far, and what is to come."""

    design: Design
    coming: Iterator[tuple[Accuracy, ...]]
    found: list[Accuracy] = field(default_factory=list)
    settings: int = 0

    @property
    def is_done(self) -> bool:
        """Return whether every setting was run."""
        return self.settings == self.design.settings

    def step(self) -> None:
        """Run the next setting."""
        self.found += next(self.coming)
        self.settings += 1


def ask() -> Asked | None:
    """Show the settings; return what they ask for, or say what is wrong with them."""
    first, second, third, fourth = st.columns(4)
    shares = first.text_input(
        "Proportions of the cells",
        ", ".join(f"{share:.2f}" for share in _USUAL.shares),
        key="study2-shares",
        bind="query-params",
        help="Two to ten numbers with sum 1.",
    )
    epsilons = second.text_input(
        "Privacy parameters ε",
        ", ".join(f"{epsilon:g}" for epsilon in _USUAL.epsilons),
        key="study2-epsilons",
        bind="query-params",
        help="The original compared three, of which only 1 is known.",
    )
    people = third.text_input(
        "Numbers of people n",
        ", ".join(str(size) for size in _USUAL.people),
        key="study2-people",
        bind="query-params",
        help="Sample sizes: the shares are counts over n.",
    )
    repetitions = fourth.number_input(
        "Repetitions",
        2,
        MOST_REPETITIONS,
        _USUAL.repetitions,
        50,
        key="study2-repetitions",
        bind="query-params",
        help="Samples drawn for every n. The original drew 500.",
    )
    st.caption(
        "Reconstructed: proportions, ε, n and the cell left over. The original's were "
        "lost; its 500 repetitions and 5 sets were not."
    )
    try:
        cells = _numbers(shares, "proportions")
        with st.expander("More settings"):
            sets, mechanisms, order, seed = _more(len(cells))
        design = Design(
            shares=cells,
            epsilons=_numbers(epsilons, "privacy parameters"),
            people=_whole(_numbers(people, "numbers of people")),
            repetitions=repetitions,
            sets=sets,
            mechanisms=mechanisms,
            order=order,
        )
    except ParameterError as error:
        st.error(literal(str(error)))
        return None
    return Asked(design=design, seed=seed)


def run(asked: Asked | None) -> Run:
    """Show the buttons, run what was asked for last, and return what is known of it.

    One setting after another is run, so that a click is heard in between.
    """
    shown = cast("Asked | None", session.public(_ASKED)) or asked or Asked()
    session.set_public(_ASKED, shown)
    st.button(
        "Run the study",
        type="primary",
        disabled=asked is None,
        on_click=_start,
        args=(asked,),
    )
    # Always there: an element more would move all others, to be drawn anew.
    hint = st.empty()
    if asked not in {None, shown}:
        hint.caption("The settings have changed: run the study to see what they do.")
    current = session.remember("study2", repr(shown), lambda: _new(shown))
    place = st.empty()
    if not current.is_done and not session.public(_STOPPED):
        _carry_on(current, place)
    if not current.is_done:
        st.warning(
            f"Stopped after {current.settings} of {current.design.settings} settings. "
            "What is below comes from these."
        )
        st.button("Continue", on_click=_continue)
    return current


def choose(design: Design) -> View:
    """Show the controls of what is drawn."""
    first, second, third = st.columns((2, 5, 4))
    epsilon = first.selectbox(
        "Show ε", design.epsilons, key="study2-epsilon", persist_state="session"
    )
    mechanism = second.selectbox(
        "Show the mechanism",
        design.mechanisms,
        format_func=lambda key: CATALOG[key].label,
        key="study2-mechanism",
        persist_state="session",
    )
    has_pairs = len(design.targets) > len(design.shares)
    what = third.selectbox(
        "Panels",
        ["single cells", "pairs of cells"] if has_pairs else ["single cells"],
        key="study2-targets",
        persist_state="session",
        help="p1 with the last cell is a node of the tree.",
    )
    procedures: list[Procedure] = list(Procedure)
    # On a row of its own: its names are long, and cut in a narrow column.
    chosen = st.multiselect(
        "Compare",
        procedures,
        default=_LINES,
        key="study2-lines",
        persist_state="session",
    )
    return View(
        measure=Measure.COVERAGE,
        mechanism=mechanism,
        epsilon=epsilon,
        procedures=tuple(p for p in procedures if p in chosen),
        pairs=what == "pairs of cells",
    )


def _carry_on(current: Run, place: DeltaGenerator) -> None:
    began = time.perf_counter()
    bar = None
    while not current.is_done:
        current.step()
        total = current.design.settings
        words = f"Simulating: {current.settings} of {total} settings done"
        if bar is not None:
            bar.progress(current.settings / total, words)
        elif time.perf_counter() - began > _BLINK and not current.is_done:
            with place.container():
                bar = st.progress(current.settings / total, words)
                st.button("Stop", on_click=_stop)
    if bar is not None:
        place.empty()


def _new(asked: Asked) -> Run:
    rng = np.random.default_rng(asked.seed)
    return Run(design=asked.design, coming=study.run(asked.design, rng=rng))


def _start(asked: Asked) -> None:
    session.set_public(_ASKED, asked)
    session.set_public(_STOPPED, value=False)


def _stop() -> None:
    session.set_public(_STOPPED, value=True)


def _continue() -> None:
    session.set_public(_STOPPED, value=False)


def _more(cells: int) -> tuple[int, tuple[str, ...], tuple[int, ...] | None, int]:
    """Show the settings that are seldom changed."""
    first, second, third = st.columns(3)
    sets = first.number_input(
        "Sets of multiple synthesis",
        2,
        MOST_SETS,
        _USUAL.sets,
        key="study2-sets",
        bind="query-params",
        help="Each set gets this part of ε. The original released 5.",
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
        persist_state="session",
        help="This cell gets what the others leave; those farthest from it come "
        "first. The original does not say which it was.",
    )
    seed = third.number_input(
        "Seed of the random numbers",
        0,
        10**6,
        1,
        key="study2-seed",
        bind="query-params",
        help="The same settings and seed give the same numbers.",
    )
    order = leaving_over(left, cells) if cells else None
    return sets, tuple(mechanisms), order, seed


def _numbers(text: str, what: str) -> tuple[float, ...]:
    """Return the numbers of a list with commas or spaces."""
    try:
        return tuple(float(word) for word in text.replace(",", " ").split())
    except ValueError:
        message = f"the {what} must be numbers, separated by commas."
        raise ParameterError(message) from None


def _whole(numbers: tuple[float, ...]) -> tuple[int, ...]:
    if not all(number.is_integer() for number in numbers):
        message = "the numbers of people must be whole."
        raise ParameterError(message)
    return tuple(sorted({int(number) for number in numbers}))
