"""The trade-off function of releases: the least false negative rate of every test.

Let ``P`` and ``Q`` be the laws of all results on two neighboring tables. Of all tests with a
false positive rate of at most ``a``, the best one has the false negative rate ``f(a)``
(Dong, Roth and Su 2022). What it says of a guess of an attribute or a record is in
``TradeOff.risk``.

``f`` and the profile have the same content: ``1 - delta(epsilon)`` is the least of ``e^epsilon
a + f(a)``. Both directions are covered, so that ``f`` is its own inverse. It is never above the
exact one: privacy losses are discretized upwards, and rounding errors are added.

Reported is the smallest ``mu`` of Gaussian DP whose trade-off function is nowhere above
``f``, with its regret (Gomez and others 2025, arXiv 2503.10945): how far ``f`` has to be
moved down and to the left to be nowhere above that of ``mu``. Moving a convex curve by
``(-r, -r)`` lowers the error of every Bayes decision by ``r``. So the regret is the largest
gap between the two in how often the best guess is right, over all priors.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.composition import convolved, rounding, step_of
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.privacy.events import PrivacyEvent, PureEvent
from dpcore.privacy.halving import halved
from dpcore.privacy.interpretation import false_positive_rate
from dpcore.relations import NeighboringRelation

ROUNDING: Final = 1e-12
"""Where losses are convolved, the Gaussian level does not speak of what is rarer."""
_UP: Final = 1 + 1e-12
_LEAST_DELTA: Final = 1e-15
_LINES: Final = 600
_LARGEST: Final = 600.0
"""Losses beyond it reveal everything, as far as floats tell."""
_STRIDE: Final = 4
_CLOSE: Final = 1e-13
_SURE: Final = 1 - 1e-12
_Point = tuple[float, float]


class GaussianLevel(NamedTuple):
    """The smallest level of Gaussian DP that holds, and what it says too much.

    Attributes:
        mu: The level; infinite where none holds.
        regret: The largest gap in the accuracy of the best guess, over all priors.
        failure: The probability with which the level does not hold: deltas that may reveal
            everything, and ``ROUNDING`` where losses are convolved.

    """

    mu: float
    regret: float
    failure: float


def require_prior(prior: ArrayLike) -> None:
    """Raise ParameterError unless ``prior`` is in [0, 1]."""
    if not np.all((np.asarray(prior) >= 0) & (np.asarray(prior) <= 1)):
        raise ParameterError(f"prior must be in [0, 1], got {np.asarray(prior)}.")


@dataclass(frozen=True, kw_only=True, eq=False)
class TradeOff:
    """A trade-off function that is its own inverse, by the vertices up to its diagonal.

    Attributes:
        alarm: False positive rates, rising, from 0 to that of the diagonal.
        power: One less the false negative rates there, rising; concave.
        largest_loss: The most that a release moves the log odds of the two tables.
        failure: Probability with which everything is revealed.

    """

    alarm: FloatArray = field(repr=False)
    power: FloatArray = field(repr=False)
    largest_loss: float
    failure: float = 0.0

    @classmethod
    def of_guarantee(cls, epsilon: float, delta: float = 0.0) -> Self:
        """Return that of (epsilon, delta)-DP, the worst over all its mechanisms.

        >>> curve = TradeOff.of_guarantee(1.0)
        >>> round(float(curve.detection(0.05)), 9), round(curve.level.mu, 9)
        (0.135914091, 1.232035385)
        """
        kink = math.exp(-epsilon) / (1 + math.exp(-epsilon))
        ends = np.array([0.0, kink]), np.array([0.0, 1 - kink])
        loss = math.inf if delta else epsilon
        return cls(alarm=ends[0], power=ends[1], largest_loss=loss, failure=delta)

    @classmethod
    def of_rho(cls, rho: float) -> Self:
        """Return a trade-off function that ``rho``-zCDP alone implies.

        It has the epsilons at many deltas (Canonne, Kamath and Steinke 2020).
        """
        deltas = np.geomspace(0.999, _LEAST_DELTA, _LINES)
        epsilon = np.array([epsilon_of_rho(rho, delta) for delta in deltas.tolist()])
        used = slice(max(int((epsilon <= 0).sum()) - 1, 0), None)
        return cls.of_profile(epsilon[used], deltas[used], largest_loss=math.inf)

    @classmethod
    def of_profile(
        cls, epsilon: FloatArray, delta: FloatArray, *, largest_loss: float, failure: float = 0.0
    ) -> Self:
        """Return the least that has these deltas at rising epsilons, the first of them 0."""
        # Each pair is a line below f; the lowest convex curve through them has those that count.
        slope, lost = _hull(np.exp(epsilon), delta)
        alarm = np.append(-np.diff(lost) / np.diff(slope), 0.0)[::-1]
        power = np.append(lost[:-1] + slope[:-1] * alarm[:0:-1], lost[-1])[::-1]
        # Where the last line reaches the diagonal; a vertex that rounding leaves there is on it.
        kink = float(((1 - lost) / (1 + slope)).max())
        kink = float(alarm[alarm >= kink * (1 - _CLOSE)].min(initial=kink))
        inside = (alarm < kink) & ((alarm > 0) | (np.arange(alarm.size) == 0))
        alarm, power = alarm[inside], power[inside]
        return cls(
            alarm=np.append(alarm, kink),
            power=np.append(power, 1 - kink),
            largest_loss=largest_loss,
            failure=failure,
        )

    @property
    def advantage(self) -> float:
        """Return the most by which power is above the false positive rate, in [0, 1]."""
        return float(self.delta(0.0))

    def detection(self, alarm: ArrayLike) -> FloatArray:
        """Return the power ``1 - f`` at each false positive rate."""
        require_prior(alarm)
        alarm = np.asarray(alarm, dtype=np.float64)
        held = 1 - self.failure
        share = np.minimum(alarm / held, 1.0) if held > 0 else np.ones_like(alarm)
        return np.asarray(self.failure + held * np.clip(self._power(share), share, 1.0))

    def risk(self, prior: float, relation: NeighboringRelation) -> float:
        """Return the most that a guess is right which is right with ``prior`` without the release.

        It names a record, or an attribute of one, out of candidates that exclude each other.
        Let ``p_i`` be their probabilities, ``p`` the largest, and ``q_j(i)`` the probability
        that ``i`` is named where ``j`` is true. The guess is right with ``r``, the sum of ``p_i
        q_i(i)``. The power ``G = 1 - f`` is concave and rises.

        *Add/remove.* In the table without the record ``i`` is named with ``q(i)``, and ``q_i(i)
        <= G(q(i))``. In the mean over ``i``, ``r <= G(sum p_i q(i)) <= G(p)`` (Kulynych and
        others 2025, arXiv 2507.06969).

        *Substitution.* The tables with ``i`` and with ``j`` are neighbors: ``q_i(i) <=
        G(q_j(i))``. In the mean over all other ``j`` with the weights ``p_j / (1 - p_i)``, then
        over ``i``, ``r <= G(sum_j p_j sum_(i != j) q_j(i) p_i / (1 - p_i))``. As ``p_i / (1 -
        p_i)`` is at most ``p / (1 - p)``, and a guess is wrong with ``1 - r = sum_j p_j
        sum_(i != j) q_j(i)``, ``r <= G(p (1 - r) / (1 - p))``. The right side falls in ``r``: the
        risk is where both sides meet. There the rate of ``G`` is at most ``p``, because ``r`` is
        at least ``p``. So the risk is never above ``G(p)``.

        Up to ``p = 1/2``, (epsilon, delta)-DP has the risk ``delta + (1 - delta) p e^epsilon / (1
        - p + p e^epsilon)``. With ``1/p`` candidates alike, the release reaches it that reveals
        all with probability ``delta``, and else is a randomized response.

        >>> for relation in NeighboringRelation:
        ...     print(relation, round(TradeOff.of_guarantee(1.0).risk(0.1, relation), 9))
        substitution 0.231969317
        add-remove 0.271828183
        """
        return float(self.detection(self.guess_alarm(prior, relation)))

    def guess_alarm(self, prior: float, relation: NeighboringRelation) -> float:
        """Return the false positive rate of the curve that has the ``risk`` of a guess."""
        require_prior(prior)
        if relation is NeighboringRelation.ADD_REMOVE or prior == 1:
            return prior

        def enough(alarm: float) -> bool:
            return alarm >= false_positive_rate(prior, float(self.detection(alarm)), relation)

        return halved(enough, 0.0, prior)[1]

    def delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return the delta at each epsilon of at least 0."""
        level = np.exp(np.asarray(epsilon, dtype=np.float64))
        held = np.max(self.power - level[..., np.newaxis] * self.alarm, axis=-1)
        return np.asarray(self.failure + (1 - self.failure) * np.maximum(held, 0.0))

    def best_guess(self, prior: ArrayLike) -> FloatArray:
        """Return how often the best guess between two tables is right, at most.

        With ``p`` the prior of the less likely one, ``1 - p + p delta(log((1 - p)/p))``.
        """
        require_prior(prior)
        prior = np.asarray(prior, dtype=np.float64)
        rarer = np.minimum(prior, 1 - prior)
        with np.errstate(divide="ignore"):
            odds = np.minimum(np.log1p(-rarer) - np.log(rarer), 700.0)
        return np.asarray(1 - rarer + rarer * self.delta(odds))

    @cached_property
    def level(self) -> GaussianLevel:
        """Return the smallest level of Gaussian DP whose curve is nowhere above this one.

        Between vertices ``f`` is a chord, and the other curve is convex: it is enough to
        compare at the vertices, but for those whose power is below ``ROUNDING``. For the
        regret, both profiles between two slopes of ``f`` are at most chords in ``e^epsilon``,
        and the ratio of two lines is monotone: it is enough to compare at the slopes.
        """
        if self.failure >= 1:
            return GaussianLevel(mu=math.inf, regret=0.0, failure=1.0)
        rare = ROUNDING if self.power[0] > 0 else 0.0
        used = self.power > rare
        power, normal = (self.power[used] - rare) / (1 - rare), ndtri(self.alarm[used])
        # On the diagonal the power is 1 less the rate, where floats cannot tell it from 1.
        mu = max(float((np.minimum(ndtri(power), -normal[-1]) - normal).max()), 0.0) * _UP
        slope = np.append(np.diff(self.power) / np.diff(self.alarm), 1.0)
        epsilon = np.log(np.maximum(slope, 1.0))
        # At the slope of a segment both of its ends give the delta.
        gap = rare + gaussian.delta_of(mu, epsilon) - (self.power - slope * self.alarm)
        regret = max(float((gap / (1 + slope)).max()), 0.0) * (1 - self.failure)
        return GaussianLevel(mu=mu, regret=regret, failure=self.failure + rare)

    def _power(self, share: FloatArray) -> FloatArray:
        below = np.interp(share, self.alarm, self.power)
        beyond = 1 - np.interp(1 - share, self.power, self.alarm)
        return np.where(share <= self.alarm[-1], below, beyond)


@dataclass(frozen=True, kw_only=True, eq=False)
class GaussianTradeOff(TradeOff):
    """That of Gaussian noise alone, ``Phi(Phi^-1(1 - a) - mu)``, in closed form.

    Attributes:
        mu: The distance of the two laws in standard deviations.

    >>> curve = GaussianTradeOff.of(0.6)
    >>> round(float(curve.detection(0.05)), 9), curve.level.regret
    (0.148045313, 0.0)

    """

    mu: float = 0.0

    @classmethod
    def of(cls, mu: float, *, failure: float = 0.0) -> Self:
        """Return that of a level of Gaussian DP."""
        none = np.zeros(0)
        loss = 0.0 if mu == failure == 0 else math.inf
        return cls(alarm=none, power=none, largest_loss=loss, mu=mu, failure=failure)

    def delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return the delta at each epsilon of at least 0."""
        held = gaussian.delta_of(self.mu, epsilon)
        return np.asarray(self.failure + (1 - self.failure) * held)

    @property
    def level(self) -> GaussianLevel:
        """Return its own level, without regret."""
        mu = math.inf if self.failure >= 1 else self.mu
        return GaussianLevel(mu=mu, regret=0.0, failure=self.failure)

    def _power(self, share: FloatArray) -> FloatArray:
        return np.asarray(ndtr(ndtri(share) + self.mu))


def of_events(events: Iterable[PrivacyEvent]) -> TradeOff:
    """Return the trade-off function of releases whose mechanisms are fixed in advance.

    The deltas of approximate events are set aside. Gaussian noise alone adds up exactly,
    ``mu^2`` as the sum of theirs; other losses are convolved.

    >>> from dpcore.privacy.events import GaussianEvent, LaplaceEvent
    >>> of_events([GaussianEvent(parameter=2.0)] * 9).level.mu
    1.5
    >>> level = of_events([LaplaceEvent(parameter=2.0), GaussianEvent(parameter=2.0)]).level
    >>> round(level.mu, 4), round(level.regret, 4)
    (0.6992, 0.0026)

    """
    plan = Counter(event for event in events if event.ratio > 0 or event.delta > 0)
    return _composed(frozenset(plan.items()))


@lru_cache(maxsize=64)
def _composed(plan: frozenset[tuple[PrivacyEvent, int]]) -> TradeOff:
    held = Counter[PrivacyEvent]()
    for event, n in plan:
        # Of what is known by epsilon and delta alone, the delta fails aside.
        held[PureEvent(parameter=event.ratio) if event.delta else event] += n
    failure = 0.0 - math.expm1(math.fsum(n * math.log1p(-min(e.delta, _SURE)) for e, n in plan))
    levels = Counter({e: n for e, n in held.items() if not e.needs_delta})
    pure = math.fsum(n * event.epsilon(0.0) for event, n in levels.items())
    mu = math.sqrt(math.fsum(2 * n * e.rho for e, n in held.items() if e.needs_delta))
    if pure > _LARGEST or math.isinf(mu) or failure >= _SURE:
        return GaussianTradeOff.of(0.0, failure=1.0)
    if pure == 0 and all(event.kind == "gaussian" for event in held if event.ratio):
        return GaussianTradeOff.of(mu, failure=failure)
    if mu == 0 and _is_single_level(held):
        return TradeOff.of_guarantee(pure, failure)
    if not all(event.tractable for event in held):
        parts = [TradeOff.of_guarantee(e.epsilon(0.0)).level.mu for e in levels.elements()]
        return GaussianTradeOff.of(math.hypot(mu, *parts), failure=failure)
    return _convolved(held, math.inf if mu or failure else pure, failure)


def _is_single_level(held: Counter[PrivacyEvent]) -> bool:
    return [event.kind for event in held.elements() if event.ratio] == ["pure"]


def _convolved(held: Counter[PrivacyEvent], most: float, failure: float) -> TradeOff:
    """Return that of convolved losses: their deltas at the edges of cells are its lines."""
    together = {event: n for event, n in held.items() if event.ratio > 0}
    interval = _cells(together)
    whole, steps = convolved(together, interval)
    # A loss beyond that is as good as one that reveals everything.
    reach = min(math.fsum(n * event.reach for event, n in together.items()), _LARGEST)
    lines = math.ceil(reach / interval / _STRIDE) + 2
    epsilon = _STRIDE * interval * np.arange(lines, dtype=np.float64)
    lost = np.asarray(whole.get_delta_for_epsilon(epsilon), dtype=np.float64)
    return TradeOff.of_profile(epsilon, lost + rounding(steps), largest_loss=most, failure=failure)


def _cells(events: Mapping[PrivacyEvent, int]) -> float:
    """Return the width of cells, in whole ones of which levels of pure DP are counted.

    ``_STRIDE`` times as many of them as there are lines.
    """
    interval = step_of(events)
    levels = [event.ratio for event in events if event.kind == "pure"]
    if not levels:
        return interval
    exact = [Fraction(repr(level)) for level in levels]
    over = math.lcm(*(level.denominator for level in exact))
    unit = math.gcd(*(int(level * over) for level in exact)) / over
    for parts in range(max(int(unit / interval / _STRIDE), 1), 0, -1):
        cell = unit / parts / _STRIDE
        if all((level / cell).is_integer() for level in levels) and cell >= interval / _STRIDE:
            return cell
    return interval


def _hull(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the vertices of the greatest convex curve below points, from left to right."""
    kept: list[tuple[float, float]] = []
    for point in zip(x.tolist(), y.tolist(), strict=True):
        while len(kept) > 1 and _is_above(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    found = np.array(kept)
    return found[:, 0], found[:, 1]


def _is_above(first: _Point, middle: _Point, last: _Point) -> bool:
    """Tell whether a point is not below the chord of its neighbors, but for rounding errors."""
    share = (middle[0] - first[0]) / (last[0] - first[0])
    return middle[1] + _CLOSE * middle[1] >= first[1] + (last[1] - first[1]) * share
