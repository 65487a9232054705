"""Study 1: what sanitizing does to the covariance matrix of two variables.

All repetitions of many settings are drawn at once (Liu 2016, section 4.1); what needs
no simulation is left to ``limits``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from dpcore.arrays import FloatArray
from dpcore.mechanisms.bounded import Bounding, draw
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.covariances import least_private_scales
from dpcore.studies.covariances import limits
from dpcore.studies.covariances.design import LABELS, STATISTICS, Degenerate, Design, Scenario

PERCENTS: Final = (2.5, 25.0, 50.0, 75.0, 97.5)
_MOST_AT_ONCE = 200_000
"""Repetitions that one mechanism draws at once, over all settings."""

Setting = tuple[float, int]
"""A correlation and a number of people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One statistic over all repetitions of a scenario."""

    truth: float
    """Its confidential value."""
    mean: float
    """Mean of the sanitized values."""
    sd: float
    percentiles: tuple[float, ...]
    """Those at ``PERCENTS``."""
    kept: int
    """How many repetitions count; where none does, the others are NaN."""
    at_ends: float
    """Share of sanitized correlations that are exactly -1 or 1; 0 for others."""
    design: Design
    scenario: Scenario
    statistic: str
    """Which of ``STATISTICS``."""

    @property
    def exact(self) -> float:
        """Return the mean that infinitely many repetitions would have."""
        means = limits.exact_means(self.design, self.scenario)
        return means[self.statistic]

    @property
    def bias(self) -> float:
        """Return the mean less the truth."""
        return self.mean - self.truth

    @property
    def exact_bias(self) -> float:
        """Return the bias that infinitely many repetitions would have."""
        return self.exact - self.truth

    @property
    def error(self) -> float:
        """Return the standard error of the mean."""
        return self.sd / math.sqrt(self.kept) if self.kept else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one scenario gave."""

    design: Design
    scenario: Scenario
    of: dict[str, Summary]
    """The summaries, by the names in ``STATISTICS``."""
    degenerate: float
    """Share of releases whose correlation is not defined."""

    @property
    def largest(self) -> dict[str, float]:
        """Return the largest possible value of each statistic."""
        release = self.design.release(self.scenario.key, self.scenario.people)
        tops = (*release.largest.tolist(), 1.0)
        return dict(zip(STATISTICS, tops, strict=True))

    @property
    def zero_variance(self) -> float:
        """Return the probability that the first released variance is exactly 0."""
        return limits.zero_variance(self.design, self.scenario)

    @property
    def levels(self) -> FloatArray:
        """Return the epsilon that each of the three steps really costs."""
        known = self.scenario
        return limits.costs(self.design, known.key, known.people)[0]

    @property
    def spent(self) -> float:
        """Return the epsilon that the release of the matrix really costs."""
        known = self.scenario
        return limits.costs(self.design, known.key, known.people)[1]


def simulate(design: Design, scenario: Scenario, rng: np.random.Generator) -> Outcome:
    """Sanitize the matrix of one scenario ``design.repetitions`` times."""
    setting = (scenario.correlation, scenario.people)
    (outcome,) = _outcomes(design, scenario.key, (setting,), rng)
    return outcome


def run(design: Design, rng: np.random.Generator) -> Iterator[Outcome]:
    """Yield the outcomes one by one, in the order of ``design.scenarios``.

    Settings are drawn in blocks, each with a generator of its own that is spawned from
    ``rng``: stopping early changes nothing about those before.
    """
    settings = tuple(itertools.product(design.correlations, design.people))
    together = max(_MOST_AT_ONCE // design.repetitions, 1)
    blocks = [settings[first : first + together] for first in range(0, len(settings), together)]
    for block, own in zip(blocks, rng.spawn(len(blocks)), strict=True):
        columns = [_outcomes(design, key, block, own) for key in design.keys]
        yield from itertools.chain.from_iterable(zip(*columns, strict=True))


def draws(
    design: Design, key: str, settings: Sequence[Setting], rng: np.random.Generator
) -> FloatArray:
    """Return sanitized variances and covariances of several settings.

    Shape ``(3, len(settings), design.repetitions)``: first and second variance, and the
    covariance on the range that they leave.
    """
    releases = {n: design.release(key, n) for n in {n for _, n in settings}}
    tops = np.array([releases[n].largest for _, n in settings]).T
    shifts = np.array([releases[n].sensitivities[2] for _, n in settings])
    scales_of = {n: release.scales for n, release in releases.items()}
    scales = np.array([scales_of[n] for _, n in settings]).T
    truth = np.array([design.truth(correlation) for correlation, _ in settings]).T
    bounding = Bounding.INFLATED if key == "bit" else Bounding.TRUNCATED
    shape = (len(settings), design.repetitions)
    drawn = np.empty((3, *shape))
    for place in (0, 1):
        drawn[place] = draw(
            np.broadcast_to(truth[place][:, np.newaxis], shape),
            noise=scales[place][:, np.newaxis],
            bounding=bounding,
            upper=tops[place][:, np.newaxis],
            rng=rng,
        )
    reach = np.sqrt(drawn[0]) * np.sqrt(drawn[1])
    noise = np.broadcast_to(scales[2][:, np.newaxis], shape)
    if key == "truncated":
        share = float(next(iter(releases.values())).epsilons[2])
        noise = least_private_scales(shifts[:, np.newaxis], share, 2 * reach)
    drawn[2] = draw(
        truth[2][:, np.newaxis], noise=noise, bounding=bounding, lower=-reach, upper=reach, rng=rng
    )
    return drawn


def _outcomes(
    design: Design, key: str, settings: Sequence[Setting], rng: np.random.Generator
) -> list[Outcome]:
    first, second, covariance = draws(design, key, settings, rng)
    reach = np.sqrt(first) * np.sqrt(second)
    undefined = reach == 0
    correlation = covariance / np.where(undefined, 1.0, reach)
    if design.degenerate is Degenerate.DROP:
        covariance[undefined] = correlation[undefined] = np.nan
    values = np.stack([first, second, covariance, correlation])
    kept, mean, sd, percentiles = _summaries(values)
    at_ends = np.zeros(kept.shape)
    ends = np.count_nonzero(np.abs(correlation) == 1, axis=-1)
    at_ends[3] = ends / np.maximum(kept[3], 1)
    degenerate = undefined.mean(axis=-1)
    outcomes = []
    for column, (rho, people) in enumerate(settings):
        scenario = Scenario(key=key, correlation=rho, people=people)
        truth = design.truth(rho).tolist()
        summaries = {
            name: Summary(
                truth=truth[row],
                mean=float(mean[row, column]),
                sd=float(sd[row, column]),
                percentiles=tuple(percentiles[row, column].tolist()),
                kept=int(kept[row, column]),
                at_ends=float(at_ends[row, column]),
                design=design,
                scenario=scenario,
                statistic=name,
            )
            for row, name in enumerate(STATISTICS)
        }
        outcomes.append(
            Outcome(
                design=design, scenario=scenario, of=summaries, degenerate=float(degenerate[column])
            )
        )
    return outcomes


def _summaries(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return count, mean, deviation and percentiles over the last axis, without NaN."""
    ordered = np.sort(values, axis=-1)  # NaN last
    size = values.shape[-1]
    kept = size - np.count_nonzero(np.isnan(ordered), axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(ordered, axis=-1) / kept
        squares = np.square(ordered - mean[..., np.newaxis])
        sd = np.sqrt(np.nansum(squares, axis=-1) / (kept - 1))
    sd[kept <= 1] = np.nan
    # Between the two nearest of the values that count, as NumPy does.
    place = np.maximum(kept - 1, 0)[..., np.newaxis] * (np.array(PERCENTS) / 100)
    below = place.astype(np.intp)
    low = np.take_along_axis(ordered, below, axis=-1)
    high = np.take_along_axis(ordered, np.minimum(below + 1, size - 1), axis=-1)
    part = place - below
    percentiles = np.where(part > 0, low + (high - low) * part, low)
    return kept, mean, sd, percentiles


def numbers(outcomes: Iterable[Outcome], statistics: Sequence[str] = STATISTICS) -> pd.DataFrame:
    """Return one row for each scenario and statistic, in full precision."""
    rows = []
    for outcome in outcomes:
        known = outcome.scenario
        for name in statistics:
            summary = outcome.of[name]
            percentiles = zip(PERCENTS, summary.percentiles, strict=True)
            rows.append(
                {
                    "mechanism": CATALOG[known.key].label,
                    "correlation": known.correlation,
                    "people": known.people,
                    "statistic": LABELS[name],
                    "true value": summary.truth,
                    "mean, simulated": summary.mean,
                    "mean, exact": summary.exact,
                    "bias, simulated": summary.bias,
                    "standard deviation": summary.sd,
                    **{f"percentile {p:g}": value for p, value in percentiles},
                    "repetitions counted": summary.kept,
                    "share exactly -1 or 1": summary.at_ends,
                    "share without a correlation": outcome.degenerate,
                    "real epsilon": outcome.spent,
                }
            )
    return pd.DataFrame(rows)


def costs(design: Design) -> pd.DataFrame:
    """Return what each step really costs, by mechanism and number of people."""
    rows = []
    for key in design.keys:
        for people in design.people:
            levels, spent = limits.costs(design, key, people)
            first, second, covariance = (float(level) for level in levels)
            rows.append(
                {
                    "mechanism": CATALOG[key].label,
                    "people": people,
                    "nominal epsilon": design.epsilon,
                    "first variance": first,
                    "second variance": second,
                    "covariance": covariance,
                    "real epsilon": spent,
                }
            )
    return pd.DataFrame(rows)
