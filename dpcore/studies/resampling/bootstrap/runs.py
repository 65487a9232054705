"""Simulated tables with everything that is released of them, and what it covers.

The counterpart of ``coverage`` that assumes nothing about the laws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.inference.bootstrap.bought_variance import BoughtVariance
from dpcore.inference.bootstrap.intervals import Method
from dpcore.studies.resampling.bootstrap.coverage import Experiment

_BLOCK = 1 << 18
_PART = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """What simulated tables led to, one entry a table."""

    means: FloatArray
    """Mean of the table."""
    variances: FloatArray
    """Its variance (divisor ``n``)."""
    centers: FloatArray
    """Average of its noisy bootstraps."""
    spreads: FloatArray
    """Their sample variance (divisor ``k - 1``)."""
    one_shots: FloatArray
    """A release of its mean with all of the budget at once."""

    @property
    def tables(self) -> int:
        """Return how many tables there are."""
        return len(self.means)

    @classmethod
    def joined(cls, parts: list[Runs]) -> Runs:
        """Return several parts as one."""
        names = ("means", "variances", "centers", "spreads", "one_shots")
        return cls(**{n: np.concatenate([getattr(p, n) for p in parts]) for n in names})


def simulate(experiment: Experiment, tables: int, rng: np.random.Generator) -> Runs:
    """Draw ``tables`` tables, and everything that is released of them.

    Bootstraps are made in blocks: memory does not grow with their number.
    """
    shape = (5, tables)
    found = np.empty(shape)
    for i in range(tables):
        values = experiment.population.draw(rng, experiment.people)
        drawn = _bootstraps(experiment, values, rng)
        found[:4, i] = values.mean(), values.var(), drawn.mean(), drawn.var(ddof=1)
    noise = math.sqrt(experiment.one_shot_noise)
    found[4] = found[0] + noise * rng.standard_normal(tables)
    return Runs(
        means=found[0], variances=found[1], centers=found[2], spreads=found[3], one_shots=found[4]
    )


def run(
    experiment: Experiment, tables: int, rng: np.random.Generator, *, part: int = _PART
) -> Iterator[Runs]:
    """Yield the simulated tables in parts, so that a run can be stopped."""
    for start in range(0, tables, part):
        yield simulate(experiment, min(part, tables - start), rng)


def one_table(experiment: Experiment, rng: np.random.Generator) -> FloatArray:
    """Return the noisy bootstraps of one simulated table."""
    values = experiment.population.draw(rng, experiment.people)
    return _bootstraps(experiment, values, rng)


def coverage(experiment: Experiment, method: Method, runs: Runs) -> float:
    """Return the share of the intervals that hold the mean of the population."""
    reach = method.half_width(experiment.bootstraps, runs.spreads)
    away = np.abs(runs.centers - experiment.population.mean)
    return float(np.mean(away <= reach))


def z_scores(experiment: Experiment, method: Method, runs: Runs) -> FloatArray:
    """Return how many estimated standard errors each average is off, or ``+-inf``."""
    away = runs.centers - experiment.population.mean
    errors = np.sqrt(method.variance(experiment.bootstraps, runs.spreads))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = away / errors
    return np.where(away == 0, 0.0, scores)


def bought_coverage(
    experiment: Experiment,
    bought: BoughtVariance,
    runs: Runs,
    rng: np.random.Generator,
    *,
    level: float,
) -> tuple[float, float]:
    """Return coverage and mean length of the intervals with a bought variance."""
    means, variances = bought.simulate(runs.means, runs.variances, rng=rng)
    reach = bought.half_width(variances, level=level)
    held = np.abs(means - experiment.population.mean) <= reach
    return float(held.mean()), float(2 * reach.mean())


def _bootstraps(experiment: Experiment, values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the noisy means of resamples, a block of resamples at a time."""
    n, k = len(values), experiment.times
    means = np.empty(k)
    rows = max(1, _BLOCK // n)
    for start in range(0, k, rows):
        stop = min(start + rows, k)
        chosen = rng.integers(n, size=(stop - start, n), dtype=np.uint32)
        means[start:stop] = values[chosen].mean(axis=1)
    noise = math.sqrt(k * experiment.bootstraps.noise)
    return np.asarray(means + noise * rng.standard_normal(k))
