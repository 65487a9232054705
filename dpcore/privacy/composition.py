"""What several releases cost together, by four ways of counting.

All four answer for a plan whose mechanisms are fixed in advance. A release chosen after
seeing earlier answers needs a filter, which adds up epsilon and delta, or rho.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from itertools import count

import numpy as np

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.conversions import advanced_epsilon, epsilon_of_rho
from dpcore.privacy.convolution_rounding import epsilon_of_convolved
from dpcore.privacy.events import GaussianEvent, PrivacyEvent

FINEST_INTERVAL = 1e-7
"""Least width of a cell of the discretized privacy loss."""
MOST_CELLS = 20_000
"""The total loss of a plan is discretized into at most about so many cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The epsilon of a plan at one delta. Each is valid; the smallest is the best.

    Attributes:
        basic: Sum of the epsilons.
        advanced: Closed form of Kairouz, Oh and Viswanath (2015).
        zcdp: Sum of rho, converted (Canonne, Kamath and Steinke 2020).
        pld: Privacy loss distributions convolved: tight up to the discretization,
            which errs upwards. ``inf`` at deltas below its rounding errors, unless
            another way answers there.

    """

    basic: float
    advanced: float
    zcdp: float
    pld: float


def compose(events: Iterable[PrivacyEvent], *, delta: float) -> Totals:
    """Return what all ``events`` together cost at ``delta``.

    The deltas of approximate events are set aside first. Gaussian noise has no epsilon
    of its own: basic composition gives each of ``g`` Gaussian events a part ``1/g`` of
    what is left; advanced composition gives them ``1/(2g)`` and keeps the other half
    for itself. A method that says nothing answers ``inf``.

    Raises:
        ParameterError: ``delta`` is not in [0, 1).

    >>> from dpcore.privacy.events import LaplaceEvent
    >>> plan = [LaplaceEvent(parameter=10.0)] * 10
    >>> totals = compose(plan, delta=1e-6)
    >>> round(totals.basic, 3), round(totals.pld, 4)
    (1.0, 0.999)

    """
    if not 0 <= delta < 1:
        raise ParameterError(f"delta must be at least 0 and below 1, got {delta}.")
    plan = Counter(event for event in events if event.ratio > 0 or event.delta > 0)
    if any(math.isinf(event.ratio) for event in plan):
        return Totals(basic=math.inf, advanced=math.inf, zcdp=math.inf, pld=math.inf)
    left = delta - math.fsum(n * event.delta for event, n in plan.items())
    sharing = sum(n for event, n in plan.items() if event.needs_delta)
    basic = math.inf
    if left >= 0:
        epsilons = _epsilons(plan, left / max(sharing, 1))
        basic = math.fsum(n * e for e, n in epsilons)
    rho = math.fsum(n * event.rho for event, n in plan.items())
    return Totals(
        basic=basic,
        advanced=min(basic, _advanced(plan, sharing, left)),
        zcdp=epsilon_of_rho(rho, delta) if rho < math.inf else math.inf,
        pld=min(basic, _pld(plan, delta)),
    )


def step_of(events: Mapping[PrivacyEvent, int]) -> float:
    """Return the width of the cells that the loss of events is discretized into.

    ``events`` are counted; those with Gaussian noise stand together as one.
    """
    span = math.fsum(n * event.reach for event, n in events.items())
    return max(FINEST_INTERVAL, span / MOST_CELLS)


def _epsilons(plan: Counter[PrivacyEvent], share: float) -> Iterable[tuple[float, int]]:
    """Yield each event's epsilon, where need be at delta ``share``, and its count.

    Those of Gaussian noise, which have to be solved for, are found all at once.
    """
    normal = [event for event in plan if isinstance(event, GaussianEvent)]
    ratios = np.asarray([event.ratio for event in normal])
    known = dict(zip(normal, gaussian.epsilon_of(ratios, share), strict=True))
    for event, number in plan.items():
        yield float(known[event] if event in known else event.epsilon(share)), number


def _advanced(plan: Counter[PrivacyEvent], sharing: int, delta: float) -> float:
    if delta <= 0:
        return math.inf
    slack = delta / 2 if sharing else delta
    parts = list(_epsilons(plan, delta / (2 * max(sharing, 1))))
    mean = math.fsum(n * e * math.tanh(e / 2) for e, n in parts)
    squares = math.fsum(n * e * e for e, n in parts)
    return float(advanced_epsilon(mean, squares, slack))


def _pld(plan: Counter[PrivacyEvent], delta: float) -> float:
    """Return the epsilon of the convolved privacy losses.

    Gaussian events alone make one Gaussian event with ``mu^2`` the sum of theirs, of
    which the profile is known; only other plans need the discretized distributions.
    """
    squares = [n * e.ratio**2 for e, n in plan.items() if isinstance(e, GaussianEvent)]
    mu = math.sqrt(math.fsum(squares))
    others = {e: n for e, n in plan.items() if not isinstance(e, GaussianEvent)}
    if not others:
        return float(gaussian.epsilon_of(mu, delta))
    if delta == 0:
        return math.inf
    tractable = {e: n for e, n in others.items() if e.tractable}
    large = {e: n for e, n in others.items() if not e.tractable}
    if any(event.needs_delta for event in large):
        return math.inf
    added = math.fsum(n * event.ratio for event, n in large.items())
    delta -= math.fsum(n * event.delta for event, n in large.items())
    if delta <= 0:
        return math.inf
    if not tractable:
        return added + float(gaussian.epsilon_of(mu, delta))
    return added + _discretized(tractable, mu, delta)


def _discretized(others: Mapping[PrivacyEvent, int], mu: float, delta: float) -> float:
    together: dict[PrivacyEvent, int] = dict(others)
    if mu > 0:
        together[GaussianEvent.of(mu)] = 1
    interval = step_of(together)
    # The shortest two first, so that most convolutions are short; numbers break ties.
    turn = count()
    parts = [
        (n * event.reach, next(turn), event.loss(interval).self_compose(n, 0.0))
        for event, n in together.items()
    ]
    heapify(parts)
    while len(parts) > 1:
        reach, _, one = heappop(parts)
        further, _, other = parts[0]
        heapreplace(parts, (reach + further, next(turn), one.compose(other)))
    ((_, _, whole),) = parts
    steps = sum(n * event.times for event, n in together.items())
    return epsilon_of_convolved(whole, delta, steps=steps)
