"""Figures 1 and 2 of Wang 2019 as one run, part by part, and what it says of the text.

Everything is simulated from public settings: nobody's data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from dpcore.errors import ParameterError
from dpcore.studies.covariances.covariance_verdicts import Finding, Verdict
from dpcore.studies.individual.per_instance_figures import (
    GAMMAS,
    SIZES,
    NestedLosses,
    SampleLosses,
    Simulation,
    by_precision,
    nested_losses,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_NUMBERS: Final = 5_000_000
"""People times coefficients of one simulated table."""
_MOST_SETTINGS: Final = 12
_TENFOLD = 10.0
_SIX = (5.0, 7.0)
_SEVERAL_ORDERS = 1_000.0


class Pane(StrEnum):
    """Which picture a part of the run belongs to."""

    NESTED = "Figure 1"
    BY_SIZE = "Figure 2, left"
    BY_PRECISION = "Figure 2, right"


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Which figures are simulated. Public.

    Attributes:
        simulation: The table of Figure 1, whose other settings Figure 2 shares.
        strength: The penalty of Figure 2, in units of the root of the people.
        sizes: Numbers of people of the left pane, from the next seed.
        gammas: Precisions of the posterior sample of the right pane.

    Raises:
        ParameterError: There are too many settings or none, a table is too large, or
            the penalty of the right pane is below 1, where no guarantee is known.

    """

    simulation: Simulation = field(default_factory=Simulation)
    strength: float = 1.0
    sizes: tuple[int, ...] = SIZES
    gammas: tuple[float, ...] = GAMMAS

    def __post_init__(self) -> None:
        for what, values in (("sizes", self.sizes), ("gammas", self.gammas)):
            if not 1 <= len(values) <= _MOST_SETTINGS or min(values) <= 0:
                message = f"the {what} must be 1 to {_MOST_SETTINGS} positive numbers."
                raise ParameterError(message)
        if not all(map(math.isfinite, self.gammas)):
            message = "the gammas must be finite."
            raise ParameterError(message)
        largest = max(self.simulation.people, *self.sizes) * self.simulation.columns
        if largest > MOST_NUMBERS:
            message = (
                f"people times coefficients must be at most {MOST_NUMBERS:,}, got "
                f"{largest:,}."
            )
            raise ParameterError(message)
        if self.second.penalty < 1:
            message = (
                "the penalty of Figure 2 must be at least 1, got "
                f"{self.second.penalty:.3g}: raise its strength."
            )
            raise ParameterError(message)

    @property
    def second(self) -> Simulation:
        """Return the simulation of the right pane of Figure 2."""
        return replace(self.simulation, strength=self.strength)

    @property
    def parts(self) -> int:
        """Return of how many parts the run consists."""
        return 1 + len(self.sizes) + len(self.gammas)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """A part of the run: one simulated table and one amount of noise.

    Attributes:
        pane: Where it is drawn.
        setting: Its place there: the number of people, or the precision.
        losses: What it gave.

    """

    pane: Pane
    setting: float
    losses: NestedLosses | SampleLosses = field(repr=False)


def run(design: Design) -> Iterator[Part]:
    """Return the parts of the run, each computed when it is asked for."""
    first = design.simulation
    yield Part(pane=Pane.NESTED, setting=first.people, losses=nested_losses(first))
    # Another table than that of the right pane, as in the reconstruction.
    left = replace(design.second, seed=first.seed + 1)
    for people in design.sizes:
        losses = nested_losses(replace(left, people=people))
        yield Part(pane=Pane.BY_SIZE, setting=people, losses=losses)
    for gamma in design.gammas:
        (sample,) = by_precision(design.second, (gamma,))
        yield Part(pane=Pane.BY_PRECISION, setting=gamma, losses=sample)


def of_pane(parts: Sequence[Part], pane: Pane) -> tuple[Part, ...]:
    """Return the parts of one pane, by their setting."""
    mine = [part for part in parts if part.pane is pane]
    return tuple(sorted(mine, key=lambda part: part.setting))


def numbers(parts: Sequence[Part]) -> pd.DataFrame:
    """Return one row for each part, in full precision. Simulated, and public."""
    return pd.DataFrame([_row(part) for part in parts])


def findings(parts: Sequence[Part]) -> tuple[Finding, ...]:
    """Return what the text says of the figures, held against the run."""
    return (*_of_first(parts), _of_left(parts), _of_right(parts))


def _row(part: Part) -> dict[str, object]:
    losses = part.losses
    box = np.quantile(losses.losses, [0.0, 0.25, 0.5, 0.75, 1.0])
    row: dict[str, object] = {
        "pane": part.pane.value,
        "people": len(losses.losses),
        "guarantee": losses.guarantee,
        "mean": losses.losses.mean(),
        **dict(zip(("min", "q1", "median", "q3", "max"), box, strict=True)),
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


def _of_first(parts: Sequence[Part]) -> tuple[Finding, ...]:
    claims = {
        "1a": "People in the table lose more than ten times less than the guarantee.",
        "1b": "Everybody, in the table or not, loses about six times less.",
    }
    first = next((part.losses for part in of_pane(parts, Pane.NESTED)), None)
    if not isinstance(first, NestedLosses):
        return tuple(_unseen(key, claim) for key, claim in claims.items())
    table, everybody = first.times_in_table, first.times_for_all
    return (
        _finding(
            "1a",
            claims["1a"],
            table > _TENFOLD,
            f"The most exposed person in the table loses {table:.3g} times "
            f"less, the average one {first.times_on_average:.3g} times.",
        ),
        _finding(
            "1b",
            claims["1b"],
            _SIX[0] <= everybody <= _SIX[1],
            f"The worst newcomer that a search finds loses {everybody:.3g} times less.",
        ),
    )


def _of_left(parts: Sequence[Part]) -> Finding:
    claim = (
        "With noise on the coefficients, losses fall about like one over the people."
    )
    mine = of_pane(parts, Pane.BY_SIZE)
    people = [part.setting for part in mine]
    medians = [float(np.median(part.losses.losses)) for part in mine]
    if len(set(people)) < 2 or min(medians) <= 0:  # noqa: PLR2004 - two ends of a line
        return _unseen("2a", claim)
    slope = math.log(medians[-1] / medians[0]) / math.log(people[-1] / people[0])
    return _finding(
        "2a",
        claim,
        slope < 0 and medians == sorted(medians, reverse=True),
        f"From {people[0]:,g} to {people[-1]:,g} people the median falls like the "
        f"number of people to the power {slope:.2g}.",
    )


def _of_right(parts: Sequence[Part]) -> Finding:
    claim = (
        "For a posterior sample the average loss is several orders of magnitude below "
        "the guarantee."
    )
    factors = [
        part.losses.guarantee / float(part.losses.losses.mean())
        for part in of_pane(parts, Pane.BY_PRECISION)
    ]
    if not factors:
        return _unseen("2b", claim)
    least, most = f"{min(factors):.3g}", f"{max(factors):.3g}"
    between = f"{least} times" if least == most else f"{least} to {most} times"
    return _finding(
        "2b", claim, max(factors) >= _SEVERAL_ORDERS, f"It is {between} below here."
    )


def _finding(key: str, claim: str, holds: bool, evidence: str) -> Finding:  # noqa: FBT001 - the verdict
    verdict = Verdict.HOLDS if holds else Verdict.FAILS
    return Finding(key=key, claim=claim, verdict=verdict, evidence=evidence)


def _unseen(key: str, claim: str) -> Finding:
    return Finding(key=key, claim=claim, verdict=Verdict.UNSEEN, evidence="")
