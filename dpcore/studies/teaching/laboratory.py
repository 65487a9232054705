"""One mechanism at one value: two worlds, the effective epsilon, and how it is caught.

Everything lies on the unit interval: positions, shifts and scales are shares of the
range of the statistic. No table is needed.

The truncated Laplace mechanism draws until it lands in the bounds, and how often
depends on the secret. That is why redrawing is no post-processing, and a second leak
besides: whoever can time the release sees it.

Under pure DP no event is more than ``e^epsilon`` times as likely in one world as in the
other. The event looked at is a release near the bound on the far side from the other
value: that is where truncation gives the secret away.

Somebody releases a sum with Laplace noise and takes the largest epsilon at which nobody
in the table loses more than a limit ``x``. A person with pay ``p`` loses ``epsilon p /
c`` (``c`` is the upper bound), so that the choice is ``epsilon = x c / max p``: it says
the largest pay to everybody who hears it, before any answer, and without any noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.inference.proportion_intervals import clopper_pearson
from dpcore.mechanisms.bounded import place
from dpcore.mechanisms.catalog import STUDIED, Entry
from dpcore.mechanisms.laplace_law import incomplete_sum
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity, require_budget
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.privacy.halving import halved

UNIT = Interval(lower=0.0, upper=1.0)
DELTA = 1e-5
"""What a mechanism that needs a delta is calibrated to."""

PUBLISHED, REPAIRED, CLAMPED = "truncated-published", "truncated", "bit"
"""The lesson: the mechanism whose claim fails, its repair, and the alternative."""

_SAME = 1e-9
_SMALLEST = 1e-290
_OUTSIDE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A mechanism of the catalog, calibrated, and the two values it shall hide.

    Raises:
        ParameterError: If one of them lies outside its domain.

    """

    key: str
    epsilon: float
    """The privacy parameter that it is calibrated to."""
    place: float
    """The value without noise, in [0, 1]."""
    shift: float
    """The most that one person can move it (the sensitivity), in (0, 1]."""

    def __post_init__(self) -> None:
        require_budget(self.epsilon)
        if self.key not in STUDIED:
            raise ParameterError(f"no mechanism is called {self.key!r}; take one of the catalog.")
        if not 0 <= self.place <= 1:
            raise ParameterError(f"place must be in [0, 1], got {self.place}.")
        if not 0 < self.shift <= 1:
            raise ParameterError(f"shift must be in (0, 1], got {self.shift}.")

    @property
    def entry(self) -> Entry:
        """Return what the catalog says about the mechanism."""
        return STUDIED[self.key]

    @property
    def delta(self) -> float:
        """Return the delta of the calibration, 0 for pure mechanisms."""
        return DELTA if self.entry.needs_delta else 0.0

    @property
    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of a statistic with one coordinate."""
        return Sensitivity.scalar(self.shift)

    @property
    def other(self) -> float:
        """Return the value in the other world.

        It lies ``shift`` above, or below where there is no room above, or on the
        farther bound where there is room on neither side.

        >>> Setup(key="bit", epsilon=1.0, place=0.75, shift=0.5).other
        0.25
        """
        if self.place + self.shift <= 1:
            return self.place + self.shift
        if self.place - self.shift >= 0:
            return self.place - self.shift
        return 0.0 if self.place >= 1 - self.place else 1.0

    def mechanism(self) -> Mechanism:
        """Return the calibrated mechanism."""
        return self.entry.calibrate(
            sensitivity=self.sensitivity, epsilon=self.epsilon, delta=self.delta, bounds=UNIT
        )

    def through(self, key: str) -> Setup:
        """Return the same question put to another mechanism."""
        return replace(self, key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """A single point that is released with positive probability."""

    at: float
    first: float
    """Its probability in the first world."""
    second: float
    """Its probability in the second world."""
    log_ratio: float
    """``log(first / second)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoWorlds:
    """The law of the release in two worlds that differ in one person."""

    positions: tuple[float, float]
    x: FloatArray
    """Shape ``(m,)``: possible releases."""
    first: FloatArray
    """Shape ``(m,)``: density in the first world, NaN on an atom."""
    second: FloatArray
    """Shape ``(m,)``: density in the second world."""
    log_ratio: FloatArray
    """Shape ``(m,)``: ``log(first/second)``, NaN where a density is 0 or too small for
    a float.
    """
    atoms: tuple[Atom, ...]
    """The points with positive probability in both worlds."""

    @property
    def largest(self) -> float:
        """Return the largest absolute log ratio of any possible release."""
        on_atoms = [abs(atom.log_ratio) for atom in self.atoms]
        inside = np.abs(self.log_ratio[~np.isnan(self.log_ratio)])
        return max([*on_atoms, float(inside.max(initial=0.0))])


def two_worlds(setup: Setup, points: int = 201) -> TwoWorlds:
    """Return both laws on a grid that holds the bounds and both values.

    Releases of an unbounded mechanism are drawn 0.3 beyond the bounds.
    """
    mechanism = setup.mechanism()
    reach = 0.0 if setup.entry.bounded else _OUTSIDE
    positions = (setup.place, setup.other)
    grid = np.linspace(-reach, 1 + reach, points)
    x = np.unique(np.concatenate([grid, positions, (0.0, 1.0)]))
    ends = zip((UNIT.lower, UNIT.upper), *map(mechanism.atoms, positions), strict=True)
    found = ((at, float(first), float(second)) for at, first, second in ends)
    atoms = tuple(
        Atom(at=at, first=first, second=second, log_ratio=float(np.log(first) - np.log(second)))
        for at, first, second in found
        if first > _SMALLEST and second > _SMALLEST
    )
    on_atom = np.isin(x, [atom.at for atom in atoms])
    first, second = (np.where(on_atom, np.nan, mechanism.pdf(x, at)) for at in positions)
    seen = (first > _SMALLEST) & (second > _SMALLEST)
    seen &= np.isfinite(first) & np.isfinite(second)
    log_ratio = np.full(x.shape, np.nan)
    log_ratio[seen] = np.log(first[seen]) - np.log(second[seen])
    return TwoWorlds(
        positions=positions, x=x, first=first, second=second, log_ratio=log_ratio, atoms=atoms
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """What a mechanism claims, and what holds."""

    nominal: float
    """The epsilon it was calibrated to."""
    real: float
    """The epsilon that it really gives over all pairs of values, at the delta of its
    calibration.
    """
    here: float
    """The epsilon of the two values looked at."""
    delta: float
    """What has to be added for the nominal epsilon to be true after all: the mechanism
    is (nominal, delta)-DP.
    """
    scale: float
    """The scale of its noise, as a share of the range."""
    error: float
    """Root mean squared error at the value looked at."""

    @property
    def inflation(self) -> float:
        """Return ``real / nominal``."""
        return self.real / self.nominal

    @property
    def holds(self) -> bool:
        """Return whether the claim holds, up to rounding."""
        return self.inflation <= 1 + _SAME


def measure(setup: Setup) -> Meter:
    """Return claim and actual epsilon of a mechanism.

    At its nominal epsilon the truncated law as published is only (epsilon, delta)-DP.
    With ``alpha`` the distance of the lower value to its bound over the scale, ``Z0 <
    Z1`` the probabilities of landing inside the bounds in both worlds, and ``y = log(
    Z1/Z0)/2``, the delta of a pair ``Delta`` apart at ``epsilon = Delta/b`` is ``[2 -
    e^-alpha - e^-y]/(2 Z0) - [e^y - e^-alpha]/(2 Z1)``; the meter shows its maximum.

    >>> setup = Setup(key="truncated-published", epsilon=1.0, place=0.0, shift=0.1)
    >>> meter = measure(setup)
    >>> round(meter.real, 4), round(meter.delta, 4)
    (1.4898, 0.0729)
    """
    mechanism = setup.mechanism()
    nominal, sensitivity, delta = setup.epsilon, setup.sensitivity, setup.delta
    real = mechanism.epsilon(sensitivity, delta=delta)
    if real > nominal * (1 + _SAME) and isinstance(mechanism, TruncatedLaplace):
        delta = mechanism.delta_at(sensitivity, epsilon=nominal)
    here = mechanism.pairwise_epsilon([setup.place], [setup.other], delta=setup.delta)
    return Meter(
        nominal=nominal,
        real=real,
        here=float(here),
        delta=delta,
        scale=mechanism.noise,
        error=float(np.sqrt(mechanism.mse(setup.place))),
    )


def redrawing_limit(epsilon: float) -> float:
    """Return the epsilon that redrawing stays below, however small the step.

    With noise for ``epsilon`` and a step of ``s`` of the range, the truncated Laplace
    law as published gives ``epsilon + log(Z(s)/Z(0))``, where ``Z`` is ``acceptance``.
    The ratio is ``(2 - e^-epsilon - e^epsilon q)/(1 - q)`` with ``q = e^(-epsilon/s)``.
    It falls in ``q``, because ``e^epsilon + e^-epsilon >= 2``, so that its supremum is
    ``2 - e^-epsilon``, at steps near 0.

    >>> round(redrawing_limit(1.0), 4)
    1.4899
    """
    return epsilon + math.log(2 - math.exp(-epsilon))


def acceptance(position: ArrayLike, noise: float, bounds: Interval) -> FloatArray:
    """Return the probability that ``position + Lap(b)`` lies in the bounds.

    ``Z = [P_1(a) + P_1(d)] / 2`` with ``a`` and ``d`` the distances to the bounds over
    ``b`` (Liu 2016, eq. 4). A position outside counts as the nearest point inside.

    Raises:
        ParameterError: ``noise`` is not in (0, inf).

    """
    if not 0 < noise < np.inf:
        raise ParameterError(f"the scale of the noise must be positive and finite, got {noise}.")
    at = place(position, bounds, noise)
    return np.asarray(incomplete_sum(1, at.a, at.d) / 2)


def tries(position: ArrayLike, noise: float, bounds: Interval) -> FloatArray:
    """Return how many draws it takes on average: ``1/Z``.

    >>> unit = Interval(lower=0.0, upper=1.0)
    >>> round(float(tries(0.3, 10.0, unit)), 1)
    20.6
    """
    return np.asarray(1 / acceptance(position, noise, bounds))


CONFIDENCE = 0.95
_LARGEST_SAMPLE = 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundEvent:
    """A release at most ``margin`` away from the bound beyond the first value."""

    setup: Setup
    margin: float
    """Width of the strip at the bound, in (0, 1)."""

    def __post_init__(self) -> None:
        if not 0 < self.margin < 1:
            raise ParameterError(f"the event's margin must be in (0, 1), got {self.margin}.")

    @property
    def at_lower(self) -> bool:
        """Return whether the strip lies at the lower bound."""
        return self.setup.other > self.setup.place

    @property
    def text(self) -> str:
        """Return the event in symbols."""
        margin = self.margin
        return (
            f"release ≤ {in_full(margin)}" if self.at_lower else f"release ≥ {in_full(1 - margin)}"
        )

    def seen(self, releases: FloatArray) -> FloatArray:
        """Return whether each release lies in the strip."""
        margin = self.margin
        inside = releases <= margin if self.at_lower else releases >= 1 - margin
        return np.asarray(inside, dtype=np.float64)

    def probabilities(self) -> tuple[float, float]:
        """Return the exact probabilities in the two worlds."""
        mechanism = self.setup.mechanism()
        cut = self.margin if self.at_lower else 1 - self.margin
        ends = (self.setup.place, self.setup.other)
        first, second = (float(mechanism.cdf(cut, at)) for at in ends)
        return (first, second) if self.at_lower else (1 - first, 1 - second)

    def log_ratio(self) -> float:
        """Return the exact log ratio of the two probabilities.

        NaN where both are 0 to the last digit.
        """
        first, second = self.probabilities()
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.log(first) - np.log(second))


@dataclass(frozen=True, slots=True, kw_only=True)
class LabAudit:
    """What counting has shown after more and more draws."""

    draws: FloatArray
    """Shape ``(m,)``: how many releases of each world were looked at."""
    hits: FloatArray
    """Shape ``(2, m)``: how many of them lay in the event."""
    estimate: FloatArray
    """Shape ``(m,)``: log ratio of the two shares; infinite or NaN where an event was
    never seen.
    """
    low: FloatArray
    """Lower confidence limit of the log ratio."""
    high: FloatArray

    def caught_from(self, epsilon: float) -> float:
        """Return the number of draws from which on ``epsilon`` is refuted.

        ``inf`` where it is not refuted after all draws: a limit that lay above it
        earlier and no longer does counts for nothing.
        """
        fine = np.flatnonzero(self.low <= epsilon)
        since = 0 if fine.size == 0 else int(fine[-1]) + 1
        return float(self.draws[since]) if since < len(self.draws) else math.inf


def audit(event: BoundEvent, draws: ArrayLike, *, rng: np.random.Generator) -> LabAudit:
    """Simulate both worlds and count, after each of ``draws`` releases.

    The limits hold with 95% confidence at each number of draws.

    Raises:
        ParameterError: If a number of draws is below 1.

    """
    sizes = np.asarray(draws, dtype=np.int64)
    if sizes.size == 0 or sizes.min() < 1:
        raise ParameterError("an audit needs at least one draw.")
    mechanism = event.setup.mechanism()
    most = (int(sizes.max()),)
    counts = [
        np.cumsum(event.seen(mechanism.simulate(at, rng=rng, size=most)))[sizes - 1]
        for at in (event.setup.place, event.setup.other)
    ]
    hits = np.array(counts)
    estimate, low, high = log_ratio(hits, sizes)
    return LabAudit(
        draws=sizes.astype(np.float64), hits=hits, estimate=estimate, low=low, high=high
    )


def detectable_from(event: BoundEvent) -> float:
    """Return the number of draws per dataset at which the claim is refuted.

    That is where the lower confidence limit of the log ratio, at expected counts,
    passes the nominal epsilon; ``inf`` where the event does not break the guarantee, or
    only beyond 10^12 draws.
    """
    first, second = event.probabilities()
    claimed = event.setup.epsilon

    def refuted(draws: float) -> bool:
        hits = np.array([[first * draws], [second * draws]])
        return bool(log_ratio(hits, draws)[1][0] > claimed)

    if not refuted(_LARGEST_SAMPLE):
        return math.inf
    _, high = halved(lambda log: refuted(math.exp(log)), 0.0, math.log(_LARGEST_SAMPLE))
    return float(np.ceil(math.exp(high)))


def log_ratio(hits: FloatArray, draws: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the log ratio of two frequencies, and both of its limits.

    The two probabilities have Clopper-Pearson limits of 97.5% each: together 95%
    (union bound).
    """
    lower, upper = clopper_pearson(hits, draws, confidence=(1 + CONFIDENCE) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs, low, high = np.log(hits), np.log(lower), np.log(upper)
        return logs[0] - logs[1], low[0] - high[1], high[0] - low[1]


COLLEAGUES: Final = (31_000, 34_500, 38_000, 41_000, 44_500, 52_000, 58_000, 63_000)
"""Simulated pay of those who are in the table in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataDependentEpsilon:
    """What somebody chooses who looks, with one more person in the table or not.

    Attributes:
        inside: The epsilon chosen with the person.
        outside: The one chosen without.
        read: The pay that follows from ``inside`` and public numbers.

    """

    inside: float
    outside: float
    read: float

    @property
    def tells(self) -> bool:
        """Tell whether the choice alone says if the person is there."""
        return self.inside != self.outside


def largest_harmless_epsilon(pays: Sequence[float], *, limit: float, bound: float) -> float:
    """Return the largest epsilon at which nobody loses more than ``limit``.

    Raises:
        ParameterError: A number is not positive, or a pay is above the bound.

    >>> largest_harmless_epsilon([20_000, 50_000], limit=0.1, bound=100_000)
    0.2

    """
    if not (pays and min(*pays, limit, bound) > 0 and max(pays) <= bound):
        raise ParameterError(f"pays must be above 0 and at most {bound:,.0f}, the limit positive.")
    return limit * bound / max(pays)


def data_dependent_epsilon(pay: float, *, limit: float, bound: float) -> DataDependentEpsilon:
    """Return what is chosen with and without a person of that pay."""
    inside = largest_harmless_epsilon((*COLLEAGUES, pay), limit=limit, bound=bound)
    outside = largest_harmless_epsilon(COLLEAGUES, limit=limit, bound=bound)
    return DataDependentEpsilon(inside=inside, outside=outside, read=limit * bound / inside)
