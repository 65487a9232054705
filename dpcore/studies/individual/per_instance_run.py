"""Figures 1 and 2 of Wang 2019 as one run, part by part, and what it says of the text.

Everything is simulated from public settings: nobody's data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
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
_ABOUT = 0.15


class Pane(StrEnum):
    """Which picture a part of the run belongs to."""

    NESTED = "Figure 1"
    BY_SIZE = "Figure 2, noise on the coefficients"
    BY_PRECISION = "Figure 2, one posterior sample"


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Which figures are simulated. Public.

    Attributes:
        simulation: The table of Figure 1, whose other settings Figure 2 shares.
        strength: The penalty of Figure 2, in units of the root of the people.
        sizes: Numbers of people of Figure 2 with noise, from the next seed.
        gammas: Precisions of the posterior sample of Figure 2.

    Raises:
        ParameterError: There are too many settings or none, a table is too large, or
            the penalty of the posterior sample is below 1, where no guarantee is
            known.

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
    (sample,) = by_precision(design.second, (gamma,))
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


def findings(design: Design, parts: Sequence[Part]) -> tuple[Finding, ...]:
    """Return what the text says of the figures, held against the run."""
    return (
        *_of_first(parts, tuned=design.tuned),
        _of_sizes(parts),
        _of_precisions(parts),
    )


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


def _of_first(parts: Sequence[Part], *, tuned: bool) -> tuple[Finding, ...]:
    claims = {
        "1a": "People in the table lose more than ten times less than the guarantee.",
        "1b": "Everybody, in the table or not, loses about six times less.",
    }
    first = next((part.losses for part in of_pane(parts, Pane.NESTED)), None)
    if not isinstance(first, NestedLosses):
        return tuple(_unseen(key, claim) for key, claim in claims.items())
    table, everybody = first.times_in_table, first.times_for_all
    holds = {"1a": table > _TENFOLD, "1b": _SIX[0] <= everybody <= _SIX[1]}
    evidence = {
        "1a": f"The most exposed person in the table loses {table:.3g} times less, the "
        f"average one {first.times_on_average:.3g} times.",
        "1b": f"The worst newcomer that a search finds loses {everybody:.3g} times "
        f"less; proved of every newcomer are {first.times_at_least:.3g} times.",
    }
    sought = " The settings were sought so that it does: this is no evidence for it."
    return tuple(
        Finding(
            key=key,
            claim=claim,
            verdict=_verdict(holds=holds[key], tuned=tuned),
            evidence=evidence[key] + (sought if tuned and holds[key] else ""),
        )
        for key, claim in claims.items()
    )


def _of_sizes(parts: Sequence[Part]) -> Finding:
    claim = (
        "With noise on the coefficients, losses fall about like one over the people."
    )
    mine = of_pane(parts, Pane.BY_SIZE)
    people = [part.setting for part in mine]
    medians = [float(np.median(part.losses.losses)) for part in mine]
    if len(set(people)) < 2 or min(medians) <= 0:  # noqa: PLR2004 - two ends of a line
        return _unseen("2a", claim)
    power = _power(people, medians)
    told = f"From {people[0]:,g} to {people[-1]:,g} people the median"
    if power >= 0:
        return Finding(
            key="2a", claim=claim, verdict=Verdict.FAILS, evidence=f"{told} grows."
        )
    close = abs(power + 1) <= _ABOUT
    evidence = f"{told} falls like the number of people to the power {power:.2f}"
    if not close:
        evidence += f", where one over the people is -1 (about: within {_ABOUT:g})"
        last = _power(people[-2:], medians[-2:])
        if len(people) > 2:  # noqa: PLR2004 - more than the two ends
            evidence += (
                f"; between the last two, {people[-2]:,g} and {people[-1]:,g}, the "
                f"power is {last:.2f}"
            )
    return Finding(
        key="2a",
        claim=claim,
        verdict=Verdict.HOLDS if close else Verdict.DEPENDS,
        evidence=f"{evidence}.",
    )


def _power(people: Sequence[float], medians: Sequence[float]) -> float:
    return math.log(medians[-1] / medians[0]) / math.log(people[-1] / people[0])


def _of_precisions(parts: Sequence[Part]) -> Finding:
    claim = (
        "For a posterior sample the average loss is several orders of magnitude below "
        "the guarantee."
    )
    mine = of_pane(parts, Pane.BY_PRECISION)
    means = [float(part.losses.losses.mean()) for part in mine]
    factors = [
        part.losses.guarantee / mean for part, mean in zip(mine, means, strict=True)
    ]
    if not factors:
        return _unseen("2b", claim)
    least, most = _times(min(factors)), _times(max(factors))
    between = f"{least} times" if least == most else f"{least} to {most} times"
    holds = max(factors) >= _SEVERAL_ORDERS
    why = (
        ""
        if holds
        else f" Several orders are read as {_SEVERAL_ORDERS:,.0f} times or more. Where "
        "the sample is precise the factor is larger, but every loss is, too; where it "
        "is imprecise the guarantee falls, and the average loss stops at about "
        f"{min(means):.3g}: a person also changes how far the sample scatters, and no "
        "loss of precision hides that."
    )
    return Finding(
        key="2b",
        claim=claim,
        verdict=_verdict(holds=holds, tuned=False),
        evidence=f"It is {between} below here.{why}",
    )


def _times(factor: float) -> str:
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.3g}"  # noqa: PLR2004 - 3 digits


def _verdict(*, holds: bool, tuned: bool) -> Verdict:
    if not holds:
        return Verdict.FAILS
    return Verdict.TUNED if tuned else Verdict.HOLDS


def _unseen(key: str, claim: str) -> Finding:
    return Finding(key=key, claim=claim, verdict=Verdict.UNSEEN, evidence="")
