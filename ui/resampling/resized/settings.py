"""The settings of the page of the resized bootstrap. All of them are public."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.mechanisms.resized_repair import NoisyResample
from ui import controls

BY_Z, BY_EPSILON = "Z: one row in Z", "claimed ε = 1/Z"
MOST_PEOPLE = 1_000_000
MOST_SCORES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampleSize:
    """How small the resample is, by Z or the claimed epsilon, and what else is asked.

    An attacker asks for so many scores; the repaired form guarantees ``epsilon``.
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
        make = ResizedBootstrap.of_epsilon if self.by_epsilon else (ResizedBootstrap.of_ratio)
        return make(people, self.number, rows=rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResizedCase:
    """A table of which so many rows are ones, and how it is resampled.

    Public where it is simulated; CONFIDENTIAL where ``ones`` was counted in a table.
    ``epsilon`` is what the repaired form guarantees.
    """

    bootstrap: ResizedBootstrap
    ones: int
    scores: int
    epsilon: float
    attackers: int = 2000
    seed: int = 1
    simulated: bool = True

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


def ask_size(places: tuple[controls.Cell, ...]) -> ResampleSize:
    """Show the controls of the size of the resample, in four places."""
    by_epsilon = (
        places[0].selectbox(
            "Sample size set by",
            [BY_Z, BY_EPSILON],
            key="resized-by",
            note="The method draws n/Z rows, rounded up, and claims ε = 1/Z.",
        )
        == BY_EPSILON
    )
    if by_epsilon:
        number = places[1].number(
            "Claimed ε", 0.1, (1e-6, 100.0, 0.05), key="resized-claim", note="Z is 1/ε."
        )
    else:
        number = places[1].number(
            "Z",
            10.0,
            (0.01, float(MOST_PEOPLE), 1.0),
            key="resized-z",
            note="One row in Z is drawn. More than 0, less than the number of people.",
        )
    scores = places[2].number(
        "Scores asked for",
        30,
        (1, MOST_SCORES, 5),
        key="resized-scores",
        note="K. The method draws anew for every question and sets no limit.",
    )
    epsilon = places[3].charged_epsilon(
        "ε of the repaired form", 0.1, (1e-6, 100.0, 0.05), key="resized-epsilon"
    )
    return ResampleSize(by_epsilon=by_epsilon, number=number, scores=scores, epsilon=epsilon.inside)


def ask_case() -> ResizedCase:
    """Show the controls of a simulated table and return what they are set to.

    Raises:
        ParameterError: The settings do not go together.

    """
    first, second, third = controls.row(3)
    below = controls.row(3)
    people = first.number(
        "People", 1000, (1, MOST_PEOPLE, 100), key="resized-people", note="n, a public number."
    )
    ones = second.number(
        "People with the trait",
        10,
        (0, MOST_PEOPLE),
        key="resized-ones",
        note="k of the n rows are ones, the others zeros. The score is their share.",
    )
    size = ask_size((third, *below))
    st.caption(
        f"People from 1 to {MOST_PEOPLE:,}, Z above 0 and below the people, scores "
        f"from 1 to {MOST_SCORES:,}. A number outside is not taken: the page then "
        "shows the last one that was."
    )
    with st.expander("More settings", key="resized-more"):
        left, right = controls.row(2)
        attackers = left.number(
            "Simulated attackers",
            2000,
            (100, 20_000, 100),
            key="resized-attackers",
            note="They check the exact curves. More of them, shorter bars.",
        )
        seed = right.seed(
            "Seed of the random numbers", 1, (0, 2**31 - 1), key="resized-seed", note=None
        )
    if ones > people:
        raise ParameterError(f"at most {people:,} people can have the trait, not {ones:,}.")
    return ResizedCase(
        bootstrap=size.bootstrap(people),
        ones=ones,
        scores=size.scores,
        epsilon=size.epsilon,
        attackers=attackers,
        seed=seed,
    )
