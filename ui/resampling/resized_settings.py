"""The settings of the page of the resized bootstrap. All of them are public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.mechanisms.resized_repair import NoisyResample
from ui.asking import inputs

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

BY_Z, BY_EPSILON = "Z: one row in Z", "claimed ε = 1/Z"
MOST_PEOPLE = 1_000_000
MOST_SCORES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How small the resample is, and what the repaired form guarantees.

    Attributes:
        by_epsilon: Whether ``number`` is the claimed epsilon, and not Z.
        number: Z, or the claimed epsilon.
        scores: How many scores ``K`` an attacker asks for.
        epsilon: What the repaired form guarantees.

    """

    by_epsilon: bool
    number: float
    scores: int
    epsilon: float

    def bootstrap(self, people: int, *, rows: int = 1) -> ResizedBootstrap:
        """Return the published mechanism on that many people.

        Raises:
            ParameterError: Z does not lie between 0 and the number of people.

        """
        make = (
            ResizedBootstrap.of_epsilon
            if self.by_epsilon
            else (ResizedBootstrap.of_ratio)
        )
        return make(people, self.number, rows=rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A table of which so many rows are ones, and how it is resampled.

    Public where it is simulated; CONFIDENTIAL where ``ones`` was counted in a table.

    Attributes:
        bootstrap: The published mechanism.
        ones: How many rows are ones.
        scores: How many scores an attacker asks for.
        epsilon: What the repaired form guarantees.
        attackers: How many attackers are simulated.
        seed: Of the simulation.

    """

    bootstrap: ResizedBootstrap
    ones: int
    scores: int
    epsilon: float
    attackers: int = 2000
    seed: int = 1

    @property
    def repaired(self) -> NoisyResample:
        """Return the repaired mechanism on the same resample."""
        return NoisyResample.calibrate(
            people=self.bootstrap.people,
            draws=self.bootstrap.draws,
            epsilon=self.epsilon,
            rows=self.bootstrap.rows,
            shares=True,
        )


def ask_size(places: tuple[DeltaGenerator, ...]) -> Size:
    """Show the controls of the size of the resample, in four places."""
    by_epsilon = (
        places[0].selectbox(
            "Sample size set by",
            [BY_Z, BY_EPSILON],
            key="resized-by",
            bind="query-params",
            help="The method draws n/Z rows, rounded up, and claims ε = 1/Z.",
        )
        == BY_EPSILON
    )
    if by_epsilon:
        number = places[1].number_input(
            "Claimed ε",
            min_value=1e-6,
            max_value=100.0,
            value=0.1,
            step=0.05,
            format="%g",
            key="resized-claim",
            bind="query-params",
            help="Z is 1/ε.",
        )
    else:
        number = places[1].number_input(
            "Z",
            min_value=0.01,
            max_value=float(MOST_PEOPLE),
            value=10.0,
            step=1.0,
            format="%g",
            key="resized-z",
            bind="query-params",
            help="One row in Z is drawn. More than 0, less than the number of people.",
        )
    scores = places[2].number_input(
        "Scores asked for",
        min_value=1,
        max_value=MOST_SCORES,
        value=30,
        step=5,
        key="resized-scores",
        bind="query-params",
        help="K. The method draws anew for every question and sets no limit.",
    )
    epsilon = places[3].number_input(
        "ε of the repaired form",
        min_value=1e-6,
        max_value=100.0,
        value=0.1,
        step=0.05,
        format="%g",
        key="resized-epsilon",
        bind="query-params",
        help=inputs.EPSILON_HELP,
    )
    return Size(by_epsilon=by_epsilon, number=number, scores=scores, epsilon=epsilon)


def ask() -> Case:
    """Show the controls of a simulated table and return what they are set to.

    Raises:
        ParameterError: The settings do not go together.

    """
    first, second, third = st.columns(3)
    below = st.columns(3)
    people = first.number_input(
        "People",
        min_value=1,
        max_value=MOST_PEOPLE,
        value=1000,
        step=100,
        key="resized-people",
        bind="query-params",
        help="n, a public number.",
    )
    ones = second.number_input(
        "People with the trait",
        min_value=0,
        max_value=MOST_PEOPLE,
        value=10,
        step=1,
        key="resized-ones",
        bind="query-params",
        help="k of the n rows are ones, the others zeros. The score is their share.",
    )
    size = ask_size((third, *below))
    st.caption(
        f"People from 1 to {MOST_PEOPLE:,}, Z above 0 and below the people, scores "
        f"from 1 to {MOST_SCORES:,}, ε up to 100. A number outside is not taken: the "
        "page then shows the last one that was."
    )
    with st.expander("More settings", key="resized-more"):
        left, right = st.columns(2)
        attackers = left.number_input(
            "Simulated attackers",
            min_value=100,
            max_value=20_000,
            value=2000,
            step=100,
            key="resized-attackers",
            bind="query-params",
            help="They check the exact curves. More of them, shorter bars.",
        )
        seed = right.number_input(
            "Seed of the random numbers",
            min_value=0,
            max_value=2**31 - 1,
            value=1,
            key="resized-seed",
            bind="query-params",
        )
    if ones > people:
        message = f"at most {people:,} people can have the trait, not {ones:,}."
        raise ParameterError(message)
    return Case(
        bootstrap=size.bootstrap(people),
        ones=ones,
        scores=size.scores,
        epsilon=size.epsilon,
        attackers=attackers,
        seed=seed,
    )
