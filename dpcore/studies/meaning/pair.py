"""What the best attacker can do against one mechanism, exactly, at a pair of values.

The ratio of the densities of every mechanism of the catalog at two positions is
monotone in the release, so that by the Neyman-Pearson lemma the best tests are
thresholds, split at random where a bound is released with positive probability. All is
worked out from the distribution functions, from public numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.base import Mechanism
from dpcore.mechanisms.person_laws import ScalarLaws
from dpcore.mechanisms.search import first_where
from dpcore.studies.meaning.guarantee import require_prior

_NEVER: Final = 1e-18
"""What is less likely is not looked at; far below what a float can tell from 1."""
_GRID: Final = 401
_ZOOMS: Final = 6
_FARTHEST: Final = 40.0
"""In scales: farther inside its bounds noise is that without bounds."""
_SAME: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A mechanism that adds noise to one of two values. PUBLIC.

    Which of both is that of the person's own record is not known: every answer is that
    of the attacker's better case.

    Attributes:
        mechanism: Adds the noise.
        low: One value.
        high: The other one, at least as large.

    """

    mechanism: Mechanism
    low: float
    high: float

    @property
    def advantage(self) -> float:
        """Return the total variation distance: the profile at epsilon 0."""
        return float(self.mechanism.pair_delta([self.low], [self.high], epsilon=0.0))

    @property
    def largest_loss(self) -> float:
        """Return the pure level of the pair; infinite for Gaussian noise."""
        return float(self.mechanism.pair_epsilon([self.low], [self.high]))

    def detection(self, alarm: ArrayLike) -> FloatArray:
        """Return the chance of detection at each chance of a false alarm."""
        alarm = np.asarray(alarm, dtype=np.float64)
        if self.low == self.high:
            return alarm
        if self.mechanism.noise == 0:
            return np.ones_like(alarm)
        # The ends need no law, which may be asked for at infinity there.
        ends = (alarm <= 0) | (alarm >= 1)
        inner = np.where(ends, 0.5, alarm)
        found = np.maximum(self._found_above(inner), self._found_below(inner))
        return np.where(ends, alarm, np.clip(found, inner, 1.0))

    def best_guess(self, prior: ArrayLike) -> FloatArray:
        """Return how often the best guess is right, with that belief before."""
        require_prior(prior)
        prior = np.asarray(prior, dtype=np.float64)
        known = np.asarray(np.maximum(prior, 1 - prior))
        if self.low == self.high:
            return known
        if self.mechanism.noise == 0:
            return np.ones_like(prior)
        told = np.maximum(self._right(prior), self._right(1 - prior))
        return np.asarray(np.maximum(told, known))

    def loss_within(self, share: float) -> float:
        """Return how far a release moves the log odds to the truth, at most.

        So far in ``share`` of the releases, and no farther.
        """
        if self.low == self.high:
            return 0.0
        if self.mechanism.noise == 0:
            return math.inf
        laws = ScalarLaws(mechanism=self.mechanism, absent=self.low, present=self.high, label="")
        above = self.mechanism.quantile(share, self.high)
        below = self.mechanism.quantile(1 - share, self.low)
        return float(max(laws.evidence_of(above), -laws.evidence_of(below)))

    def _found_above(self, alarm: FloatArray) -> FloatArray:
        """Return the detection of tests for the higher value."""
        at = self.mechanism.quantile(1 - alarm, self.low)
        missing, found = (self._above(at, place) for place in (self.low, self.high))
        return found + self._split(at, alarm - missing, self.low, self.high)

    def _found_below(self, alarm: FloatArray) -> FloatArray:
        """Return the detection of tests for the lower value."""
        at = self.mechanism.quantile(alarm, self.high)
        there = self._at(at, self.high)
        missing = self.mechanism.cdf(at, self.high) - there
        found = self.mechanism.cdf(at, self.low) - self._at(at, self.low)
        return found + self._split(at, alarm - missing, self.high, self.low)

    def _above(self, at: FloatArray, place: float) -> FloatArray:
        return 1 - self.mechanism.cdf(at, place)

    def _split(self, at: FloatArray, rest: FloatArray, absent: float, present: float) -> FloatArray:
        """Return what naming a part of the releases ``at`` a spike adds."""
        spike = self._at(at, absent)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(spike > 0, np.clip(rest, 0, spike) / spike, 0.0)
        return part * self._at(at, present)

    def _at(self, at: FloatArray, place: float) -> FloatArray:
        """Return the probability of releasing exactly ``at``."""
        bounds = self._bounds
        if bounds is None:
            return np.zeros_like(at)
        lower, upper = self.mechanism.atoms(place)
        on = np.where(at == bounds.lower, lower, 0.0)
        return np.where(at == bounds.upper, upper, on)

    def _right(self, prior: FloatArray) -> FloatArray:
        """Return how often the best threshold is right, ``prior`` for ``high``."""
        at = self._threshold(prior)
        below = self.mechanism.cdf(at, self.low)
        return np.asarray(prior * self._above(at, self.high) + (1 - prior) * below)

    def _threshold(self, prior: FloatArray) -> FloatArray:
        """Return the least release after which the higher value is the likelier one."""
        start, stop = (np.full_like(prior, end) for end in self._likely)
        pdf = self.mechanism.pdf
        return first_where(
            lambda x: prior * pdf(x, self.high) >= (1 - prior) * pdf(x, self.low), start, stop
        )

    @property
    def _likely(self) -> tuple[float, float]:
        """Return between which releases nearly all lie, spikes left out."""
        ends = (
            float(self.mechanism.quantile(_NEVER, self.low)),
            float(self.mechanism.quantile(1 - 2.0**-53, self.high)),
        )
        bounds = self._bounds
        if bounds is None:
            return ends
        inside = (math.nextafter(bounds.lower, math.inf), math.nextafter(bounds.upper, -math.inf))
        return max(ends[0], inside[0]), min(ends[1], inside[1])

    @property
    def _bounds(self) -> Interval | None:
        return getattr(self.mechanism, "bounds", None)


def worst_pair(mechanism: Mechanism, shift: float) -> Pair:
    """Return the two values at most ``shift`` apart that are easiest to tell apart.

    They have the largest ``advantage``; as the family is ordered by likelihood ratio,
    they are as far apart as may be. Where noise is kept within bounds, it depends on
    where they lie: that is searched near both bounds, by zooming into a grid. The
    middle stands for all places that do equally well.
    """
    bounds = getattr(mechanism, "bounds", None)
    if bounds is None or not (0 < mechanism.noise < math.inf):
        return Pair(mechanism=mechanism, low=0.0, high=shift)
    apart = min(shift, bounds.width)
    starts = [_highest(mechanism, apart, *ends) for ends in _searched(mechanism, bounds, apart)]
    pairs = [Pair(mechanism=mechanism, low=start, high=start + apart) for start in starts]
    best, *others = pairs
    for other in others:
        if other.advantage > best.advantage * (1 + _SAME):
            best = other
    return best


def _searched(mechanism: Mechanism, bounds: Interval, apart: float) -> list[tuple[float, float]]:
    """Return between what the lower value is looked for: the middle, then the ends."""
    reach = min(_FARTHEST * mechanism.noise, bounds.width - apart)
    first, last = bounds.lower, bounds.upper - apart
    if math.isfinite(bounds.width):
        middle = first + (last - first) / 2
    else:
        middle = 0.0 if math.isinf(first) and math.isinf(last) else math.nan
    places = [(middle, middle)] if math.isfinite(middle) else []
    if math.isfinite(first):
        places.append((first, first + reach))
    if math.isfinite(last):
        places.append((last - reach, last))
    return places


def _highest(mechanism: Mechanism, apart: float, low: float, high: float) -> float:
    """Return where the lower value lies, between two places, at the best advantage."""
    best = low
    for _ in range(_ZOOMS if high > low else 0):
        grid = np.linspace(low, high, _GRID)[:, np.newaxis]
        told = mechanism.pair_delta(grid, grid + apart, epsilon=0.0)
        top = int(told.argmax())
        best = float(grid[top, 0])
        low, high = float(grid[max(top - 1, 0), 0]), float(grid[min(top + 1, 400), 0])
    return best
