"""Figures 1 and 2 of Wang 2019, simulated part by part and held against the text.

The text does not print the settings. Those here are reconstructed: rows of standard
normal numbers scaled to length 1, coefficients in a random direction, targets clipped
to [-1, 1], and noise calibrated to the guarantee. With a penalty of ``2 sqrt(n)``
they show what the text reports for Figure 1: everybody in the universe loses about six
times less than the guarantee, everybody in the table more than ten times less. The
average in the table (Figure 2, penalty ``sqrt(n)``) is below the guarantee by a factor
that grows with the number of people for noise on the coefficients, 52 at 100 and 3 533
at 31 623 people; for the posterior sample it is 10 to 143, short of the "several orders
of magnitude" of the text.

Everything is simulated from public settings: nobody's data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

import numpy as np
import pandas as pd

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant
from dpcore.models import leverage_and_residual
from dpcore.models.added_records import largest_addition
from dpcore.models.guarantees import RecordBounds, for_all, gaussian_gamma, worst_case
from dpcore.models.influence import Influence, max_ridge_influence
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import RidgeFit, fit_ridge
from dpcore.models.ridge_influence import removals
from dpcore.studies.findings import ClaimFinding, Verdict

SIZES = (100, 1_000, 10_000, 31_623)
"""Numbers of people in Figure 2, with noise on the coefficients."""

GAMMAS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""Precisions of the posterior sample in Figure 2."""


def times_less(loss: float, guarantee: float) -> float:
    """Return how many times a loss lies below the guarantee.

    Where delta alone covers all that a person can change, the loss is 0, and so may be
    the guarantee.

    >>> times_less(0.2, 1.0), times_less(0.0, 1.0), times_less(0.0, 0.0)
    (5.0, inf, 1.0)
    """
    if loss == guarantee:
        return 1.0
    return guarantee / loss if loss > 0 else math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """How the regression is simulated. Public."""

    people: int = 1_000
    """Number of people, at least 1."""
    columns: int = 10
    """Number of coefficients, at least 1."""
    noise: float = 0.1
    """Standard deviation of the noise of the targets, at least 0."""
    strength: float = 2.0
    """The penalty is this times ``sqrt(people)``; positive."""
    seed: int = 0
    """Of the simulation."""
    epsilon: float = 1.0
    """Level of the guarantee that noise is calibrated to."""
    delta: float = 1e-6
    """The delta that every epsilon goes with."""

    def __post_init__(self) -> None:
        if self.people < 1 or self.columns < 1:
            raise ParameterError("there must be at least one person and one coefficient.")
        if not (0 <= self.noise < math.inf and 0 < self.strength < math.inf):
            raise ParameterError("the noise must be in [0, inf) and the strength in (0, inf).")
        if not (0 < self.epsilon < math.inf and 0 < self.delta < 1):
            raise ParameterError("epsilon must be in (0, inf) and delta in (0, 1).")

    @property
    def penalty(self) -> float:
        """Return ``lambda``."""
        return self.strength * math.sqrt(self.people)

    def table(self) -> tuple[FloatArray, FloatArray]:
        """Return simulated features ``(n, d)`` of length 1, and targets ``(n,)``."""
        rng = np.random.default_rng(self.seed)
        x = rng.standard_normal((self.people, self.columns))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        truth = rng.standard_normal(self.columns)
        truth /= np.linalg.norm(truth) * math.sqrt(2)
        noise = self.noise * rng.standard_normal(self.people)
        return x, np.clip(x @ truth + noise, -1.0, 1.0)

    def fit(self) -> RidgeFit:
        """Return the ridge regression of the table."""
        x, y = self.table()
        return fit_ridge(x, y, penalty=Penalty(strength=self.penalty))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoveredLosses:
    """The guarantee, and the losses in one table that it covers."""

    guarantee: float
    """The loss over all tables and people: the level of DP."""
    losses: FloatArray = field(repr=False)
    """Loss of each person in the table, shape ``(n,)``."""

    @property
    def times_on_average(self) -> float:
        """Return how many times the guarantee is the mean loss in the table."""
        return times_less(float(self.losses.mean()), self.guarantee)

    @property
    def box(self) -> FloatArray:
        """Return minimum, quartiles and maximum of the losses in the table."""
        return np.quantile(self.losses, [0.0, 0.25, 0.5, 0.75, 1.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NestedLosses(CoveredLosses):
    """Those under noise on the coefficients, for people in the table and newcomers."""

    certificate: float
    """A bound on what any newcomer to this table loses."""
    for_all: float
    """The most that a search finds a newcomer to lose."""
    sigma: float
    """Standard deviation of the noise."""

    @property
    def times_for_all(self) -> float:
        """Return how many times the guarantee is the most that a search finds."""
        return times_less(self.for_all, self.guarantee)

    @property
    def times_at_least(self) -> float:
        """Return how many times the guarantee is the bound that is proved."""
        return times_less(self.certificate, self.guarantee)

    @property
    def times_in_table(self) -> float:
        """Return how many times the guarantee is the largest loss in the table."""
        return times_less(float(self.losses.max()), self.guarantee)


def nested_losses(simulation: Simulation) -> NestedLosses:
    """Return Figure 1: isotropic normal noise on the coefficients, whom it protects.

    >>> figure = nested_losses(Simulation())
    >>> round(figure.times_for_all, 2), round(figure.times_in_table, 1)
    (5.89, 21.4)
    """
    fit = simulation.fit()
    worst = max_ridge_influence(fit.penalty, people=simulation.people)
    delta, epsilon = simulation.delta, simulation.epsilon
    noise = NoisyFit(gamma=gaussian_gamma(worst, epsilon=epsilon, delta=delta))
    newcomer = largest_addition(fit)
    moves = np.array([newcomer.certificate, newcomer.found])
    certificate, found = noise.losses(Influence.of_moves(moves), delta=delta)
    return NestedLosses(
        guarantee=simulation.epsilon,
        certificate=float(certificate),
        for_all=float(found),
        losses=noise.losses(noise.influence(fit), delta=delta),
        sigma=noise.noise,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampleLosses(CoveredLosses):
    """Privacy and accuracy of one posterior sample."""

    gamma: float
    """Precision of the sample."""
    excess: float
    """Mean of the objective above its minimum, ``d/(2 gamma)``."""
    for_all: float
    """A bound on what any newcomer to this table loses."""


def sample_losses(simulation: Simulation, gamma: float) -> SampleLosses:
    """Return Figure 2 of one posterior sample: privacy against accuracy.

    Raises:
        ParameterError: The penalty is below 1, where the guarantee is not known, or
            ``gamma`` not in (0, inf).

    """
    if simulation.penalty < 1:
        raise ParameterError(
            f"the penalty must be at least 1, got {significant(simulation.penalty)}: "
            "raise its strength."
        )
    fit, bounds = simulation.fit(), RecordBounds()
    left = removals(fit)
    # No eigenvalue is below the penalty, but for its rounding.
    least = float(np.linalg.eigvalsh(fit.factor.hessian)[0])
    guarantee = worst_case(
        gamma=gamma,
        delta=simulation.delta,
        penalty=simulation.penalty,
        people=simulation.people,
        bounds=bounds,
    )
    everybody = for_all(
        gamma=gamma,
        delta=simulation.delta,
        floor=max(least, simulation.penalty),
        length=float(np.linalg.norm(fit.theta)),
        bounds=bounds,
    )
    return SampleLosses(
        gamma=gamma,
        excess=simulation.columns / (2 * gamma),
        guarantee=float(guarantee),
        for_all=float(everybody),
        losses=leverage_and_residual.epsilon_of(
            left.outside, np.sqrt(gamma) * np.abs(left.residual), simulation.delta
        ),
    )


MOST_NUMBERS: Final = 5_000_000
"""People times coefficients of one simulated table."""
_MOST_SETTINGS: Final = 12
_MOST_GAMMA = 1e12


class FigurePane(StrEnum):
    """Which picture a part of the run belongs to."""

    NESTED = "Figure 1"
    BY_SIZE = "Figure 2, noise on the coefficients"
    BY_PRECISION = "Figure 2, one posterior sample"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wang2019Design:
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
            raise ParameterError(f"the gammas must be at most {in_full(_MOST_GAMMA)}.")
        largest = max(self.simulation.people, *self.sizes) * self.simulation.columns
        if largest > MOST_NUMBERS:
            raise ParameterError(
                f"people times coefficients must be at most {MOST_NUMBERS:,}, got {largest:,}."
            )
        if self.second.penalty < 1:
            raise ParameterError(
                "the penalty of Figure 2 must be at least 1, got "
                f"{significant(self.second.penalty)}: raise its strength."
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
class FigurePart:
    """A part of the run: one simulated table and one amount of noise."""

    pane: FigurePane
    """Where it is drawn."""
    setting: float
    """Its place there: the number of people, or the precision."""
    losses: NestedLosses | SampleLosses = field(repr=False)
    """What it gave."""


def run(design: Wang2019Design) -> Iterator[FigurePart]:
    """Return the parts of the run, each computed when it is asked for.

    Those of the usual design are kept: everybody looks at them first.
    """
    part = _usual_part if design == Wang2019Design() else _part
    for place in range(design.parts):
        yield part(design, place)


def _part(design: Wang2019Design, place: int) -> FigurePart:
    first, sizes, gammas = design.simulation, design.sizes, design.gammas
    if place == 0:
        return FigurePart(pane=FigurePane.NESTED, setting=first.people, losses=nested_losses(first))
    if place <= len(sizes):
        people = sizes[place - 1]
        # Another table than that of the posterior sample, as in the reconstruction.
        table = replace(design.second, seed=first.seed + 1, people=people)
        return FigurePart(pane=FigurePane.BY_SIZE, setting=people, losses=nested_losses(table))
    gamma = gammas[place - 1 - len(sizes)]
    sample = sample_losses(design.second, gamma)
    return FigurePart(pane=FigurePane.BY_PRECISION, setting=gamma, losses=sample)


# Simulated from public settings, so that it may be shared between visitors.
_usual_part = lru_cache(maxsize=Wang2019Design().parts)(_part)


def of_pane(parts: Sequence[FigurePart], pane: FigurePane) -> tuple[FigurePart, ...]:
    """Return the parts of one pane, by their setting."""
    mine = [part for part in parts if part.pane is pane]
    return tuple(sorted(mine, key=lambda part: part.setting))


def numbers(parts: Sequence[FigurePart]) -> pd.DataFrame:
    """Return one row for each part, in full precision. Simulated, and public."""
    return pd.DataFrame([_row(part) for part in parts])


def _row(part: FigurePart) -> dict[str, object]:
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


_TENFOLD = 10.0
_SIX = (5.0, 7.0)
_SEVERAL_ORDERS = 1_000.0
_ABOUT = 0.15


def findings(design: Wang2019Design, parts: Sequence[FigurePart]) -> tuple[ClaimFinding, ...]:
    """Return what the text says of the figures, held against the run."""
    return (*_of_first(parts, tuned=design.tuned), _of_sizes(parts), _of_precisions(parts))


def _of_first(parts: Sequence[FigurePart], *, tuned: bool) -> tuple[ClaimFinding, ...]:
    claims = {
        "1a": "People in the table lose more than ten times less than the guarantee.",
        "1b": "All people, in the table or not, lose about six times less.",
    }
    first = next((part.losses for part in of_pane(parts, FigurePane.NESTED)), None)
    if not isinstance(first, NestedLosses):
        return tuple(_unseen(key, claim) for key, claim in claims.items())
    table, everybody = first.times_in_table, first.times_for_all
    holds = {"1a": table > _TENFOLD, "1b": _SIX[0] <= everybody <= _SIX[1]}
    evidence = {
        "1a": f"The most exposed person loses {_fraction(table)}, people on average "
        f"{_fraction(first.times_on_average)}.",
        "1b": f"The worst newcomer found by search loses {_fraction(everybody)}. Proved for "
        f"every newcomer: at most {_fraction(first.times_at_least)}.",
    }
    sought = " The settings were chosen to reproduce it, so this is no evidence."
    return tuple(
        ClaimFinding(
            key=key,
            claim=claim,
            verdict=_verdict(holds=holds[key], tuned=tuned),
            evidence=evidence[key] + (sought if tuned and holds[key] else ""),
        )
        for key, claim in claims.items()
    )


def _of_sizes(parts: Sequence[FigurePart]) -> ClaimFinding:
    claim = "With noise on the coefficients, losses fall about as 1/n."
    mine = of_pane(parts, FigurePane.BY_SIZE)
    people = [part.setting for part in mine]
    medians = [float(np.median(part.losses.losses)) for part in mine]
    if len(set(people)) < 2 or min(medians) <= 0:  # noqa: PLR2004 - two ends of a line
        return _unseen("2a", claim)
    power = _power(people, medians)
    told = f"From {in_full(people[0])} to {in_full(people[-1])} people the median"
    if power >= 0:
        return ClaimFinding(key="2a", claim=claim, verdict=Verdict.FAILS, evidence=f"{told} grows.")
    close = abs(power + 1) <= _ABOUT
    evidence = f"{told} falls as n to the power {significant(power)}"
    if not close:
        evidence += f", where 1/n means −1 (within {in_full(_ABOUT)})"
        last = _power(people[-2:], medians[-2:])
        if len(people) > 2:  # noqa: PLR2004 - more than the two ends
            evidence += (
                f"; between the last two, {in_full(people[-2])} and {in_full(people[-1])}, the "
                f"power is {significant(last)}"
            )
    return ClaimFinding(
        key="2a",
        claim=claim,
        verdict=Verdict.HOLDS if close else Verdict.DEPENDS,
        evidence=f"{evidence}.",
    )


def _power(people: Sequence[float], medians: Sequence[float]) -> float:
    return math.log(medians[-1] / medians[0]) / math.log(people[-1] / people[0])


def _of_precisions(parts: Sequence[FigurePart]) -> ClaimFinding:
    claim = (
        "For a posterior sample the average loss is several orders of magnitude below "
        "the guarantee."
    )
    mine = of_pane(parts, FigurePane.BY_PRECISION)
    means = [float(part.losses.losses.mean()) for part in mine]
    factors = [part.losses.times_on_average for part in mine]
    if not factors:
        return _unseen("2b", claim)
    least, most = _times(min(factors)), _times(max(factors))
    between = f"{least} times" if least == most else f"{least} to {most} times"
    holds = max(factors) >= _SEVERAL_ORDERS
    why = (
        ""
        if holds
        else f" “Several orders” means {_SEVERAL_ORDERS:,.0f} times or more. A more precise "
        "sample has a larger factor, but also larger losses. With less precision the "
        f"guarantee falls, but the average loss stays near {significant(min(means))}. A "
        "person also changes the spread of the sample."
    )
    return ClaimFinding(
        key="2b",
        claim=claim,
        verdict=_verdict(holds=holds, tuned=False),
        evidence=f"The factor is {between} here.{why}",
    )


def _fraction(factor: float) -> str:
    """Return in words a loss that is the guarantee divided by a factor."""
    return "nothing" if math.isinf(factor) else f"1/{_times(factor)} of the guarantee"


def _times(factor: float) -> str:
    if math.isinf(factor):
        return "infinitely many"
    return f"{factor:,.0f}" if factor >= 100 else significant(factor)  # noqa: PLR2004 - 3 digits


def _verdict(*, holds: bool, tuned: bool) -> Verdict:
    if not holds:
        return Verdict.FAILS
    return Verdict.TUNED if tuned else Verdict.HOLDS


def _unseen(key: str, claim: str) -> ClaimFinding:
    return ClaimFinding(key=key, claim=claim, verdict=Verdict.UNSEEN, evidence="")
