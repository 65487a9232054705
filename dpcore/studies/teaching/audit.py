"""Catching a mechanism that promises too much: count an event in two worlds.

Under pure DP no event is more than ``e^epsilon`` times as likely in one world as in the
other. The event looked at is a release near the bound on the far side from the other
value: that is where truncation gives the secret away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.share_intervals import clopper_pearson
from dpcore.privacy.halving import halved
from dpcore.studies.teaching.laboratory import Setup

CONFIDENCE = 0.95
_LARGEST_SAMPLE = 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
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
        return f"release ≤ {margin:g}" if self.at_lower else f"release ≥ {1 - margin:g}"

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
class Audit:
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


def audit(event: Event, draws: ArrayLike, *, rng: np.random.Generator) -> Audit:
    """Simulate both worlds and count, after each of ``draws`` releases.

    The limits hold with 95 % confidence at each number of draws.

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
    return Audit(draws=sizes.astype(np.float64), hits=hits, estimate=estimate, low=low, high=high)


def detectable_from(event: Event) -> float:
    """Return the number of draws of each world at which the promise is refuted.

    That is where the lower confidence limit of the log ratio, at expected counts,
    passes the nominal epsilon; ``inf`` where the event does not break the promise, or
    only beyond 10^12 draws.
    """
    first, second = event.probabilities()
    promised = event.setup.epsilon

    def refuted(draws: float) -> bool:
        hits = np.array([[first * draws], [second * draws]])
        return bool(log_ratio(hits, draws)[1][0] > promised)

    if not refuted(_LARGEST_SAMPLE):
        return math.inf
    _, high = halved(lambda log: refuted(math.exp(log)), 0.0, math.log(_LARGEST_SAMPLE))
    return float(np.ceil(math.exp(high)))


def log_ratio(hits: FloatArray, draws: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the log ratio of two frequencies, and both of its limits.

    The two probabilities have Clopper-Pearson limits of 97.5 % each: together 95 %
    (union bound).
    """
    lower, upper = clopper_pearson(hits, draws, confidence=(1 + CONFIDENCE) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs, low, high = np.log(hits), np.log(lower), np.log(upper)
        return logs[0] - logs[1], low[0] - high[1], high[0] - low[1]
