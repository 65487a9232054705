"""The best attacker: against any mechanism, against one, and against a whole plan.

An attacker knows everything but one thing: whether a person's own record was used, or
what stands in its place (nothing, or another record). There are two worlds, and the
release tells them apart as well as the law of its noise allows. The *receiver operating
characteristic* says how often the person is found (*detection*) for how often somebody
who is not there is named (*false alarm*).

Of several releases together the trade-off function is known (``privacy.tradeoff``).

The ratio of the densities of every mechanism of the catalog at two positions is
monotone in the release, so that by the Neyman-Pearson lemma the best tests are
thresholds, split at random where a bound is released with positive probability. All is
worked out from the distribution functions, from public numbers alone.

Everything follows from the public numbers of a request: the sensitivity of its question
and the noise of its mechanism. No table is looked at, so that it may be shown, and
signed, before anything is released.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.catalog import Entry
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity, require_budget
from dpcore.mechanisms.person_laws import ScalarLaws
from dpcore.mechanisms.search import first_where
from dpcore.privacy.events import PrivacyEvent
from dpcore.privacy.interpretation import best_guess
from dpcore.privacy.tradeoff import TradeOff, of_events, require_prior


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """The worst case over all mechanisms that are (epsilon, delta)-DP.

    It is reached by the release that tells all with probability ``delta``, and else
    which world it is with the odds ``e^epsilon`` (Kairouz, Oh and Viswanath 2015).

    Attributes:
        epsilon: Positive and finite.
        delta: In [0, 1).

    Raises:
        ParameterError: One of them is outside its domain.

    >>> sure = Guarantee(epsilon=1.0)
    >>> round(float(sure.best_guess(0.5)), 10), round(sure.advantage, 10)
    (0.7310585786, 0.4621171573)

    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        require_budget(self.epsilon, self.delta)

    @property
    def advantage(self) -> float:
        """Return ``delta + (1 - delta) tanh(epsilon/2)``."""
        return self.delta + (1 - self.delta) * math.tanh(self.epsilon / 2)

    @property
    def largest_loss(self) -> float:
        """Return epsilon, and infinity where a delta may tell all."""
        return math.inf if self.delta > 0 else self.epsilon

    def detection(self, alarm: ArrayLike) -> FloatArray:
        """Return ``min(delta + e^epsilon a, 1 - e^-epsilon (1 - delta - a), 1)``."""
        alarm = np.asarray(alarm, dtype=np.float64)
        with np.errstate(divide="ignore", over="ignore"):
            steep = self.delta + np.exp(np.log(alarm) + self.epsilon)
        flat = 1 - math.exp(-self.epsilon) * (1 - self.delta - alarm)
        return np.asarray(np.clip(np.minimum(steep, flat), alarm, 1.0))

    def best_guess(self, prior: ArrayLike) -> FloatArray:
        """Return how often the best guess is right: the number of all pages.

        ``(e^epsilon + delta) / (1 + e^epsilon)`` at even odds, which a mechanism with
        this guarantee reaches (Kairouz, Oh and Viswanath 2015).

        At even odds it is the share of right guesses over both worlds, which are then
        equally likely: ``(1 + advantage) / 2``. A guarantee limits that share. It does
        not limit detections alone: an attacker who always says yes detects everybody,
        and at epsilon 1 a release may have probability 0.90 in one world and 0.729 in
        the other.
        """
        require_prior(prior)
        return best_guess(self.epsilon, delta=self.delta, prior=prior)


_NEVER: Final = 1e-18
"""What is less likely is not looked at; far below what a float can tell from 1."""
_GRID: Final = 401
_ZOOMS: Final = 6
_FARTHEST: Final = 40.0
"""In scales: farther inside its bounds noise is that without bounds."""
_SAME: Final = 1e-12
_RATES: Final = np.linspace(0, 1, 401)
_REACH: Final = 4
_LINES: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePair:
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
        return float(self.mechanism.pairwise_delta([self.low], [self.high], epsilon=0.0))

    @property
    def largest_loss(self) -> float:
        """Return the pure level of the pair; infinite for Gaussian noise."""
        return float(self.mechanism.pairwise_epsilon([self.low], [self.high]))

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
        missing = self.mechanism.cdf(at, self.high) - self._at(at, self.high)
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
        return np.where(at == bounds.upper, upper, np.where(at == bounds.lower, lower, 0.0))

    def _right(self, prior: FloatArray) -> FloatArray:
        """Return how often the best threshold is right, ``prior`` for ``high``."""
        start, stop = (np.full_like(prior, end) for end in self._likely)
        pdf = self.mechanism.pdf
        at = first_where(
            lambda x: prior * pdf(x, self.high) >= (1 - prior) * pdf(x, self.low), start, stop
        )
        below = self.mechanism.cdf(at, self.low)
        return np.asarray(prior * self._above(at, self.high) + (1 - prior) * below)

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


def worst_pair(mechanism: Mechanism, shift: float) -> ValuePair:
    """Return the two values at most ``shift`` apart that are easiest to tell apart.

    They have the largest ``advantage``; as the family is ordered by likelihood ratio,
    they are as far apart as may be. Where noise is kept within bounds, it depends on
    where they lie: that is searched near both bounds, by zooming into a grid. The
    middle stands for all places that do equally well.
    """
    bounds = getattr(mechanism, "bounds", None)
    if bounds is None or not (0 < mechanism.noise < math.inf):
        return ValuePair(mechanism=mechanism, low=0.0, high=shift)
    apart = min(shift, bounds.width)
    starts = [_highest(mechanism, apart, *ends) for ends in _searched(mechanism, bounds, apart)]
    pairs = [ValuePair(mechanism=mechanism, low=start, high=start + apart) for start in starts]
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
        top = int(mechanism.pairwise_delta(grid, grid + apart, epsilon=0.0).argmax())
        best = float(grid[top, 0])
        low, high = float(grid[max(top - 1, 0), 0]), float(grid[min(top + 1, 400), 0])
    return best


@dataclass(frozen=True, kw_only=True, eq=False)
class WorstAttack:
    """What one release tells at most, beside what its guarantee allows anybody.

    Attributes:
        guarantee: The epsilon and delta that are really given; ``None`` where there is
            none.
        attack: The best attacker against this very mechanism.
        largest_loss: The most that a release moves the log odds, over all neighbors;
            infinite where single releases may tell all.
        event: What the accountant knows of the release.

    """

    guarantee: Guarantee | None
    attack: ValuePair
    largest_loss: float
    event: PrivacyEvent

    @property
    def curve(self) -> TradeOff:
        """Return the trade-off function of the event, and of the guarantee where it says more."""
        known, sure = of_events([self.event]), self.guarantee
        if sure is None or np.all(known.detection(_RATES) <= sure.detection(_RATES) + _SAME):
            return known
        other = TradeOff.of_guarantee(sure.epsilon, sure.delta)
        epsilon = np.unique([*np.linspace(0, _REACH * sure.epsilon, _LINES), sure.epsilon])
        delta = np.minimum(known.delta(epsilon), other.delta(epsilon))
        return TradeOff.of_profile(epsilon, delta, largest_loss=self.largest_loss)


def of_mechanism(
    entry: Entry, *, sensitivity: Sensitivity, epsilon: float, delta: float, bounds: Interval
) -> WorstAttack:
    """Return what a mechanism of the catalog tells of one number.

    Raises:
        ParameterError: The budget is outside its domain.

    """
    used = delta if entry.needs_delta else 0.0
    mechanism = entry.calibrate(sensitivity=sensitivity, epsilon=epsilon, delta=used, bounds=bounds)

    def worst_case(*, delta: float) -> float:
        return mechanism.epsilon(sensitivity, delta=delta)

    return WorstAttack(
        guarantee=_guarantee(worst_case(delta=used), used),
        attack=worst_pair(mechanism, sensitivity.largest),
        largest_loss=worst_case(delta=0.0),
        event=mechanism.event(sensitivity),
    )


def _guarantee(epsilon: float, delta: float) -> Guarantee | None:
    """Return what is really given; none where that is nothing finite."""
    return Guarantee(epsilon=epsilon, delta=delta) if 0 < epsilon < math.inf else None
