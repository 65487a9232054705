"""Weighted means and totals of groups from released numbers, with the sums of weights.

A weighted mean is a ratio of two released numbers, as that of a group (``group_ratios``):
with ``u_i`` the part of the cap that a row weighs, ``sum(u_i (a_i - t))`` is 0 in the
table at the weighted mean height ``t``, so that what is released of it is noise alone.

For the population rows are drawn independently, with their weights. Then ``sum(u_i (a_i -
t))`` has mean 0 at the weighted mean ``t`` of the population, its terms lie in ``[-t, 1 -
t]``, and its variance is at most ``t (1 - t)`` times the expected sum of the ``u_i``: as
``u^2 <= u``, it is at most that of the heights under the law that has density ``u``
(Bhatia and Davis 2000), so Bernstein's inequality holds with the expected sum in the
place of the number of people. No design effect is assumed.

How much noise adds to the sampling error follows from the design effect that is assumed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.inference.group_ratios import GroupEstimates, Ratio, around, mean_heights, reach
from dpcore.inference.intervals import LEVEL, expected_sums, level_of_each
from dpcore.mechanisms.mechanism import Mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedEstimates:
    """What is known of ``G`` groups. PUBLIC: it follows from released numbers.

    Attributes:
        groups: Weighted means, and sums of weights in the place of counts.
        totals: Weighted totals, shape ``(G,)``; NaN where they are not told.
        totals_noise: Those of the table, shape ``(G, 2)``; NaN likewise.
        totals_total: Those to be expected in such a sample of the population.

    """

    groups: GroupEstimates
    totals: FloatArray
    totals_noise: FloatArray
    totals_total: FloatArray


def parts_told(*, totals: bool) -> int:
    """Return how many numbers of a group hold together: sum of weights, mean and total."""
    return 2 + totals


def estimate_weighted(
    mechanism: Mechanism,
    drawn: FloatArray,
    ratio: Ratio,
    *,
    cap: float,
    totals: bool,
    level: float = LEVEL,
    together: int | None = None,
) -> WeightedEstimates:
    """Return sums of weights, means and totals with intervals that hold together.

    For groups of every size, by the union bound. ``drawn`` are the released
    ``WeightedMoments``, shape ``(G, 2)``. ``totals`` are told of bounds from 0 up alone:
    the sampling error of a total of either sign depends on the private number of rows.
    ``together`` is how many groups hold together, ``G`` if not given.

    Raises:
        ParameterError: The noise is neither Laplace nor Gaussian.

    """
    told_of_each = parts_told(totals=totals)
    missed = 1 - level_of_each(told_of_each * (together or len(drawn)), level=level)
    both, size = missed / 2, drawn.sum(axis=1)
    log = math.log(2 / both)
    ones = np.ones(2)
    noise = around(size, float(reach(mechanism, ones, missed)))
    expected = expected_sums(around(size, float(reach(mechanism, ones, both))), both)
    told = noise[:, 0] > 0
    ratios = np.full(len(drawn), np.nan)
    inner, outer = np.full((2, len(drawn), 2), np.nan)
    if told.any():
        middle, near = mean_heights(mechanism, drawn[told], missed, None)
        _, far = mean_heights(mechanism, drawn[told], both, (expected[told, 1], log))
        ratios[told], inner[told] = ratio.in_units(middle), ratio.in_units(near)
        hull = [np.minimum(near[:, 0], far[:, 0]), np.maximum(near[:, 1], far[:, 1])]
        outer[told] = ratio.in_units(np.stack(hull, axis=-1))
    total = np.full(len(drawn), np.nan)
    total_noise, total_expected = np.full((2, len(drawn), 2), np.nan)
    if totals:
        ends, most = np.array([ratio.bounds.lower, ratio.bounds.upper]), ratio.bounds.upper
        total = drawn @ ends
        total_noise = around(total, float(reach(mechanism, ends, missed)))
        wider = around(total, float(reach(mechanism, ends, both)))
        total_expected = most * expected_sums(wider / most, both)
    return WeightedEstimates(
        groups=GroupEstimates(
            level=level,
            counts=cap * np.maximum(size, 0.0),
            counts_noise=cap * noise,
            counts_total=cap * expected,
            ratios=ratios,
            ratios_noise=inner,
            ratios_total=outer,
        ),
        totals=cap * np.maximum(total, 0.0),
        totals_noise=cap * total_noise,
        totals_total=cap * total_expected,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEffect:
    """How much noise adds to the sampling error of a weighted mean. PUBLIC.

    Of ``n`` rows with mean weight ``w``, the design effect ``d = n sum(w_i^2) / (sum
    w_i)^2`` and values of standard deviation ``s``, the weighted mean has about the
    standard error ``s sqrt(d / n)`` (Kish 1965). Halfway between the bounds the noise has
    that of ``(Z_2 - Z_1) / 2`` over ``n w / W``. No ``d`` is above ``W / w``, as no weight is
    above the cap ``W``.

    Attributes:
        effect: The design effect ``d``, from 1.
        weight: The mean weight as a part of the cap, ``w / W``, in (0, 1].
        spread: The standard deviation ``s``, in widths of the bounds.
        sd: The standard deviation of the noise of each number.

    """

    effect: float
    weight: float
    spread: float
    sd: float

    def added(self, rows: float) -> float:
        """Return by which part noise makes the standard error larger."""
        return math.sqrt(1 + self._ratio / rows) - 1

    def rows_for(self, added: float) -> float:
        """Return from how many rows on noise adds no more than such a part.

        >>> design = DesignEffect(effect=1.5, weight=0.5, spread=0.25, sd=2.0)
        >>> round(design.added(design.rows_for(0.05)), 12)
        0.05
        """
        return self._ratio / ((1 + added) ** 2 - 1)

    @property
    def _ratio(self) -> float:
        """Return the variance of the noise over that of sampling, times the rows.

        They are ``sd^2 / 2 / (n w / W)^2`` and ``s^2 d / n``.
        """
        return self.sd**2 / (2 * self.effect * (self.weight * self.spread) ** 2)
