"""Closer looks at study 2: one vector released many times, and what intervals cost.

How often intervals around released shares hold, simulated from public numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.analyses.shares import SharePlan
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL, intervals
from dpcore.inference.multiple_synthesis import combine
from dpcore.inference.proportion_intervals import allowing, sampling_variance, score_interval, wald
from dpcore.mechanisms.bounded import draw
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.postprocessing.share_constraints import all_but_one, project, rescale
from dpcore.postprocessing.universal_histogram import Tree
from dpcore.relations import TableSize
from dpcore.statistics.sums_and_means import Proportion
from dpcore.studies.proportion_study import (
    BOUNDING,
    UNIT,
    Procedure,
    calibrated,
    layered_sensitivity,
)

_ROUNDING = 1e-12
_GRID = 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What is released how."""

    mechanism: str
    epsilon: float
    people: int
    """Number of people behind the shares."""

    def release(self, *, layers: int = 1, sets: int = 1) -> Mechanism:
        """Return the mechanism of releases in layers or sets."""
        sensitivity = layered_sensitivity(layers, self.people)
        return calibrated(self.mechanism, sensitivity, self.epsilon / sets)

    def noise(self, *, layers: int = 1, sets: int = 1) -> float:
        """Return the scale of its noise."""
        return self.release(layers=layers, sets=sets).noise


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """Releases of one vector by one procedure."""

    procedure: Procedure
    releases: FloatArray
    """Shape ``(draws, cells)``."""
    distance: float
    """Root of the mean squared Euclidean distance from the truth."""
    emptied: float
    """Share of releases in which some cell is 0."""


def merged(shares: Sequence[float]) -> tuple[float, float, float]:
    """Return the first, the last, and all other cells together.

    Raises:
        ParameterError: There are fewer than three cells.

    >>> merged((0.1, 0.15, 0.25, 0.5))
    (0.1, 0.4, 0.5)

    """
    if len(shares) < 3:  # noqa: PLR2004 - a triangle has three corners
        raise ParameterError("three cells or more are needed.")
    return shares[0], sum(shares[1:-1]), shares[-1]


def clouds(
    shares: Sequence[float], point: Point, *, draws: int, rng: np.random.Generator
) -> tuple[Cloud, ...]:
    """Return many releases of ``shares`` by each way of making them add up."""
    truth = np.array(shares, dtype=np.float64)
    bounding, noise = BOUNDING[point.mechanism], point.noise()
    sample = np.broadcast_to(truth, (draws, len(truth)))
    noisy = draw(sample, noise=noise, bounding=bounding, rng=rng)
    tree = Tree.folded(len(truth))
    nodes = draw(
        tree.sums(sample), noise=point.noise(layers=tree.depth), bounding=bounding, rng=rng
    )
    order = range(len(truth))
    released = {
        Procedure.RESCALING: rescale(noisy),
        Procedure.PROJECTION: project(noisy),
        Procedure.ALL_BUT_ONE: all_but_one(
            sample, noise=noise, order=order, bounding=bounding, rng=rng
        ),
        Procedure.HISTOGRAM: tree.shares(tree.consistent(nodes, nonnegative=True)),
    }
    return tuple(
        Cloud(
            procedure=procedure,
            releases=releases,
            distance=float(np.sqrt(np.mean(np.sum((releases - truth) ** 2, axis=-1)))),
            emptied=float(np.mean(np.any(releases <= _ROUNDING, axis=-1))),
        )
        for procedure, releases in released.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalPrice:
    """What an interval for one share costs and gives."""

    name: str
    """What the interval is called."""
    sets: int
    """Releases that the budget is split over."""
    coverage: float
    """Share of the intervals that cover."""
    width: float
    """Their mean width."""


def prices(
    share: float, point: Point, *, sets: Sequence[int], draws: int, rng: np.random.Generator
) -> tuple[IntervalPrice, ...]:
    """Return coverage and width of 95% intervals around one released share.

    The first three split nothing: Wald's, the one that knows the noise, and the one
    that inverts the law of the release (``intervals``). The others learn the noise
    from so many ``sets``, each released with its part of epsilon. All are cut to
    [0, 1].
    """
    n, bounding = point.people, BOUNDING[point.mechanism]
    sample = rng.binomial(n, share, draws) / n
    noise = point.noise()
    one = draw(sample, noise=noise, bounding=bounding, rng=rng)
    aware = score_interval(one, people=n, noise_variance=2 * noise**2)
    found = [
        _price("Wald", 1, wald(one, people=n), share),
        _price("noise-aware", 1, aware, share),
        _price("test inversion", 1, _inverted(point, one), share),
    ]
    for m in sets:
        many = draw(
            np.broadcast_to(sample, (m, draws)),
            noise=point.noise(sets=m),
            bounding=bounding,
            rng=rng,
        )
        combined = combine(many, sampling_variance(many, n))
        ends = np.stack([combined.lower, combined.upper], axis=-1)
        found.append(_price("multiple synthesis", m, ends, share))
    return tuple(found)


def _inverted(point: Point, released: FloatArray) -> FloatArray:
    """Return the interval that inverts the law, interpolated between releases."""
    statistic = Proportion(size=TableSize(people=point.people, public=True))
    mechanism = point.release()
    grid = np.linspace(0.0, 1.0, _GRID)
    ends = np.array(
        [
            intervals(mechanism, statistic, grid[i : i + 1], bounds=UNIT).total[0]
            for i in range(_GRID)
        ]
    )
    return np.stack([np.interp(released, grid, end) for end in ends.T], axis=-1)


def _price(name: str, sets: int, ends: FloatArray, share: float) -> IntervalPrice:
    ends = UNIT.clip(ends)
    covered = (ends[:, 0] <= share) & (share <= ends[:, 1])
    return IntervalPrice(
        name=name,
        sets=sets,
        coverage=float(covered.mean()),
        width=float(np.mean(ends[:, 1] - ends[:, 0])),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Of how many simulated surveys an interval holds each true share."""

    naive: FloatArray
    """The interval that knows only of sampling, not of the noise."""
    released: FloatArray
    """The interval of the plan, which knows of both."""


def coverage(
    plan: SharePlan, shares: FloatArray, *, surveys: int, rng: np.random.Generator
) -> Coverage:
    """Return how often intervals hold if the population has these public ``shares``.

    Each survey draws as many people as the table has, then sanitizes their shares. Each
    interval here is for one share at 95%, not for all shares together, and not yet
    stretched to the share that is released.
    """
    people, shares = plan.query.size.people, shares / shares.sum()
    surveyed = rng.multinomial(people, shares, size=surveys) / people
    read, sets = plan.constraint.read(surveyed), plan.constraint.syntheses
    numbers = read.shape[-1]
    noisy = plan.mechanism.simulate(
        np.broadcast_to(read, (surveys, numbers))[..., np.newaxis, :],
        rng=rng,
        size=(surveys, sets, numbers),
    )
    released = plan.constraint.adjust(noisy, len(shares)).mean(axis=-2)
    naive = wald(released, people=people, level=LEVEL)
    readings = plan.constraint.readings(noisy, len(shares)).mean(axis=-2)
    allowed = np.array(
        [
            allowing(law, share, people=people, tail=1 - LEVEL)
            for law, share in zip(plan.laws, shares.tolist(), strict=True)
        ]
    )
    held = (allowed[:, 0] <= readings) & (readings <= allowed[:, 1])
    inside = (naive[..., 0] <= shares) & (shares <= naive[..., 1])
    return Coverage(naive=inside.mean(axis=0), released=held.mean(axis=0))
