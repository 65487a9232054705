"""Figures 1 and 2 of Wang 2019 as one run, part by part.

Everything is simulated from public settings: nobody's data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

import pandas as pd

from dpcore.errors import ParameterError
from dpcore.studies.individual.wang2019.figures import (
    GAMMAS,
    SIZES,
    NestedLosses,
    SampleLosses,
    Simulation,
    nested_losses,
    sample_losses,
)

MOST_NUMBERS: Final = 5_000_000
"""People times coefficients of one simulated table."""
_MOST_SETTINGS: Final = 12
_MOST_GAMMA = 1e12


class Pane(StrEnum):
    """Which picture a part of the run belongs to."""

    NESTED = "Figure 1"
    BY_SIZE = "Figure 2, noise on the coefficients"
    BY_PRECISION = "Figure 2, one posterior sample"


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Which figures are simulated. Public.

    Raises:
        ParameterError: There are too many settings or none, a table is too large, or
            the penalty of the posterior sample is below 1, where no guarantee is
            known.

    """

    simulation: Simulation = field(default_factory=Simulation)
    """The table of Figure 1, whose other settings Figure 2 shares."""
    strength: float = 1.0
    """The penalty of Figure 2, in units of the root of the people."""
    sizes: tuple[int, ...] = SIZES
    """Numbers of people of Figure 2 with noise, from the next seed."""
    gammas: tuple[float, ...] = GAMMAS
    """Precisions of the posterior sample of Figure 2."""

    def __post_init__(self) -> None:
        for what, values in (("sizes", self.sizes), ("gammas", self.gammas)):
            if not 1 <= len(values) <= _MOST_SETTINGS or min(values) <= 0:
                raise ParameterError(f"the {what} must be 1 to {_MOST_SETTINGS} positive numbers.")
        if not all(gamma <= _MOST_GAMMA for gamma in self.gammas):
            raise ParameterError(f"the gammas must be at most {_MOST_GAMMA:g}.")
        largest = max(self.simulation.people, *self.sizes) * self.simulation.columns
        if largest > MOST_NUMBERS:
            raise ParameterError(
                f"people times coefficients must be at most {MOST_NUMBERS:,}, got {largest:,}."
            )
        if self.second.penalty < 1:
            raise ParameterError(
                "the penalty of Figure 2 must be at least 1, got "
                f"{self.second.penalty:.3g}: raise its strength."
            )

    @property
    def second(self) -> Simulation:
        """Return the simulation of the posterior sample of Figure 2."""
        return replace(self.simulation, strength=self.strength)

    @property
    def tuned(self) -> bool:
        """Tell whether Figure 1 has the settings that were sought to fit the text.

        What the text says of Figure 1 is then no evidence, whichever table is drawn.
        """
        return replace(self.simulation, seed=0) == Simulation()

    @property
    def parts(self) -> int:
        """Return of how many parts the run consists."""
        return 1 + len(self.sizes) + len(self.gammas)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """A part of the run: one simulated table and one amount of noise."""

    pane: Pane
    """Where it is drawn."""
    setting: float
    """Its place there: the number of people, or the precision."""
    losses: NestedLosses | SampleLosses = field(repr=False)
    """What it gave."""


def run(design: Design) -> Iterator[Part]:
    """Return the parts of the run, each computed when it is asked for.

    Those of the usual design are kept: everybody looks at them first.
    """
    part = _usual_part if design == Design() else _part
    for place in range(design.parts):
        yield part(design, place)


def _part(design: Design, place: int) -> Part:
    first, sizes, gammas = design.simulation, design.sizes, design.gammas
    if place == 0:
        return Part(pane=Pane.NESTED, setting=first.people, losses=nested_losses(first))
    if place <= len(sizes):
        people = sizes[place - 1]
        # Another table than that of the posterior sample, as in the reconstruction.
        table = replace(design.second, seed=first.seed + 1, people=people)
        return Part(pane=Pane.BY_SIZE, setting=people, losses=nested_losses(table))
    gamma = gammas[place - 1 - len(sizes)]
    sample = sample_losses(design.second, gamma)
    return Part(pane=Pane.BY_PRECISION, setting=gamma, losses=sample)


# Simulated from public settings, so that it may be shared between visitors.
_usual_part = lru_cache(maxsize=Design().parts)(_part)


def of_pane(parts: Sequence[Part], pane: Pane) -> tuple[Part, ...]:
    """Return the parts of one pane, by their setting."""
    mine = [part for part in parts if part.pane is pane]
    return tuple(sorted(mine, key=lambda part: part.setting))


def numbers(parts: Sequence[Part]) -> pd.DataFrame:
    """Return one row for each part, in full precision. Simulated, and public."""
    return pd.DataFrame([_row(part) for part in parts])


def _row(part: Part) -> dict[str, object]:
    losses = part.losses
    row: dict[str, object] = {
        "pane": part.pane.value,
        "people": len(losses.losses),
        "guarantee": losses.guarantee,
        "mean": losses.losses.mean(),
        **dict(zip(("min", "q1", "median", "q3", "max"), losses.box, strict=True)),
    }
    if isinstance(losses, NestedLosses):
        row["for all, found"] = losses.for_all
        row["for all, at most"] = losses.certificate
        row["sigma"] = losses.sigma
    else:
        row["for all, at most"] = losses.for_all
        row["gamma"] = part.setting
        row["excess risk"] = losses.excess
    return row
