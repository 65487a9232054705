"""What several releases cost together, by four ways of counting.

All four answer for a plan whose mechanisms are fixed in advance. A release chosen after
seeing earlier answers needs a filter, which adds up epsilon and delta, or rho.

What k equal pure releases cost together, exactly in the worst case.

Kairouz, Oh and Viswanath 2015: no pure mechanism of level ``e`` loses more than
randomized response, so that its composition is that of all of them. With ``i`` the
number of answers that speak for the other world,

``delta(epsilon) = sum_i C(k, i) (1 + e^e)^-k [e^((k-i) e) - e^(epsilon + i e)]_+``

(theorem 3.3 with its levels filled in between).

What can be read off convolved privacy losses, in spite of their rounding errors.

What many releases cost together, each with noise on a fresh secret sample.

Privacy loss distributions are convolved, in cells so narrow that rounding losses up
hardly shows (a thousandth is too wide where a single step loses little). Renyi
divergences, which add up, give the older and larger total.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from itertools import count
from typing import Any

import numpy as np
from scipy.special import gammaln

from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.privacy import conversions, gaussian
from dpcore.privacy.conversions import advanced_epsilon, epsilon_of_rho, rho_of_pure
from dpcore.privacy.events import GaussianEvent, PrivacyEvent
from dpcore.privacy.halving import halved
from dpcore.privacy.subsampling_amplification import (
    NoiseLaw,
    subsampled_divergence,
    subsampled_epsilon,
)
from dpcore.privacy_filter import PrivacyCost, typed

FINEST_INTERVAL = 1e-7
"""Least width of a cell of the discretized privacy loss."""
MOST_CELLS = 20_000
"""The total loss of a plan is discretized into at most about so many cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The epsilon of a plan at one delta. Each is valid; the smallest is the best.

    Attributes:
        basic: Sum of the epsilons; of the charged ones, where these are known.
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


def compose(
    events: Iterable[PrivacyEvent], *, delta: float, added: PrivacyCost | None = None
) -> Totals:
    """Return what all ``events`` together cost at ``delta``.

    The deltas of approximate events are set aside first. Gaussian noise has no epsilon
    of its own: basic composition gives each of ``g`` Gaussian events a part ``1/g`` of
    what is left; advanced composition gives them ``1/(2g)`` and keeps the other half
    for itself. A method that says nothing answers ``inf``. ``added`` is the sum of what
    they were charged, which is the basic composition unless its delta is above ``delta``.

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
    sums: tuple[float, ...] = (basic,)
    if added is not None and added.delta <= typed(delta):
        sums = (basic, float(added.epsilon))
    rho = math.fsum(n * event.rho for event, n in plan.items())
    return Totals(
        basic=sums[-1],
        advanced=min(*sums, _advanced(plan, sharing, left)),
        zcdp=epsilon_of_rho(rho, delta) if rho < math.inf else math.inf,
        pld=min(*sums, _pld_epsilon(plan, delta)),
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


def _pld_epsilon(plan: Counter[PrivacyEvent], delta: float) -> float:
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
        together[GaussianEvent.from_ratio(mu)] = 1
    whole, steps = convolved(together, step_of(together))
    return epsilon_of_convolved(whole, delta, steps=steps)


def convolved(events: Mapping[PrivacyEvent, int], interval: float) -> tuple[Any, int]:
    """Return the distribution of the losses of counted events together, and of how many."""
    # The shortest two first, so that most convolutions are short; numbers break ties.
    turn = count()
    parts = [
        (n * event.reach, next(turn), event.loss(interval).self_compose(n, 0.0))
        for event, n in events.items()
    ]
    heapify(parts)
    while len(parts) > 1:
        reach, _, one = heappop(parts)
        further, _, other = parts[0]
        heapreplace(parts, (reach + further, next(turn), one.compose(other)))
    ((_, _, whole),) = parts
    return whole, sum(n * event.times for event, n in events.items())


_MOST_PARTS = 1_000_000
_ROUND_UP = 1 + 1e-12


def optimal_delta(part: float, times: int, epsilon: float) -> float:
    """Return the smallest delta at ``epsilon`` of ``times`` releases of ``part`` each.

    Each summand is kept as the logarithm of its probability times
    ``1 - e^(epsilon + (2i - k) part)``: nothing overflows, and nothing cancels.

    Raises:
        ParameterError: A level is negative, NaN or infinite, or ``times`` is not a
            whole number from 1 to a million.

    """
    _check(part, times, epsilon)
    i = np.arange(times + 1, dtype=np.float64)
    ways = gammaln(times + 1) - gammaln(i + 1) - gammaln(times - i + 1)
    log_probability = ways - i * part - times * math.log1p(math.exp(-part))
    gap = epsilon + (2 * i - times) * part
    lost = np.where(gap < 0, -np.expm1(np.minimum(gap, 0.0)), 0.0)
    return math.fsum(np.exp(log_probability) * lost)


def optimal_epsilon(part: float, times: int, delta: float) -> float:
    """Return the smallest epsilon at ``delta``, by halving, on the private side.

    >>> round(optimal_epsilon(0.1, 50, 1e-6), 9)
    3.172902734

    Raises:
        ParameterError: As ``delta_of``, or ``delta`` is not in [0, 1).

    """
    _check_delta(delta)
    if optimal_delta(part, times, 0.0) <= delta:
        return 0.0
    _, high = halved(
        lambda epsilon: optimal_delta(part, times, epsilon) <= delta, 0.0, times * part
    )
    return high * _ROUND_UP


def optimal_part(epsilon: float, times: int, delta: float) -> float:
    """Return the largest level of ``times`` equal parts that together cost ``epsilon``.

    At least ``epsilon / times`` (basic composition); rounded down.

    Raises:
        ParameterError: As ``delta_of``, or ``delta`` is not in [0, 1).

    """
    _check_delta(delta)
    _check(0.0, times, epsilon)
    low, _ = halved(
        lambda part: optimal_delta(part, times, epsilon) > delta,
        epsilon / times,
        epsilon + 2 * math.atanh(delta),
    )
    return max(epsilon / times, low / _ROUND_UP)


def _check(part: float, times: int, epsilon: float) -> None:
    for name, level in (("each part", part), ("the total", epsilon)):
        if not 0 <= level < math.inf:
            raise ParameterError(f"epsilon of {name} must be in [0, inf), got {level}.")
    if times != int(times) or not 1 <= times <= _MOST_PARTS:
        raise ParameterError(
            f"the number of releases must be a whole number from 1 to {_MOST_PARTS:,}, got {times}."
        )


def _check_delta(delta: float) -> None:
    if not 0 <= delta < 1:
        raise ParameterError(f"delta must be at least 0 and below 1, got {delta}.")


_LEAST = 4e-15
_OF_EACH = 1e-16


def rounding(steps: int) -> float:
    """Return how far rounding errors may move a delta after ``steps`` convolutions.

    Fast Fourier transforms are exact up to a share of the largest probability, not of
    each, so that small deltas suffer. Against compositions that are known otherwise
    (Gaussian noise, randomized response) the errors were at most half of that.
    """
    return max(_LEAST, steps * _OF_EACH)


def epsilon_of_convolved(whole: Any, delta: float, *, steps: int) -> float:  # noqa: ANN401 - untyped library
    """Return the epsilon at ``delta`` of ``steps`` losses that make up ``whole``.

    Rounded up by the errors of computing it; ``inf`` where ``delta`` is smaller than
    these, and where the epsilon is no float.

    Args:
        whole: A privacy loss distribution of ``dp_accounting``.
        delta: In [0, 1].
        steps: How many losses were convolved, at least 1.

    """
    left = delta - rounding(steps)
    if left <= 0:
        return math.inf
    try:
        return float(whole.get_epsilon_for_delta(left))
    except OverflowError:
        return math.inf


MOST_TIMES = 10_000
"""The largest number of releases."""
LEAST_RATIO, LARGEST_RATIO = 1e-9, 1e4
"""From and up to which shift over the noise releases are counted."""
_ORDERS = (*range(2, 64), 80, 100, 128, 200, 256, 400, 512, 1024)
_WIDEST_CELL = 1e-4
_MOST_CELLS = 50_000
_SURE = 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedSamples:
    """The epsilon of several releases at one delta. Each is valid; the least counts.

    Attributes:
        basic: One release at ``delta / times``, added up.
        renyi: Renyi divergences added up (Gaussian noise), or zCDP levels (Laplace).
        pld: Privacy loss distributions convolved; ``inf`` at deltas below their
            rounding errors.

    """

    basic: float
    renyi: float
    pld: float

    @property
    def best(self) -> float:
        """Return the least."""
        return min(self.basic, self.renyi, self.pld)


def repeated(
    law: NoiseLaw, ratio: float, rate: float, *, times: int, delta: float
) -> RepeatedSamples:
    """Return what ``times`` releases cost, everybody sampled with chance ``rate``.

    One person more or less. ``ratio`` is the shift over the scale of Laplace, over the
    standard deviation of Gaussian noise.

    Raises:
        ParameterError: ``ratio`` is not from ``LEAST_RATIO`` to ``LARGEST_RATIO``,
            ``rate`` not in (0, 1], ``delta`` not in (0, 1), or ``times`` not from 1 to
            ``MOST_TIMES``.

    """
    if not LEAST_RATIO <= ratio <= LARGEST_RATIO:
        raise ParameterError(
            f"the shift over the noise must be from {in_full(LEAST_RATIO)} to "
            f"{in_full(LARGEST_RATIO)}, got {ratio}."
        )
    if not (0 < rate <= 1 and 0 < delta < 1):
        raise ParameterError(
            f"the rate must be in (0, 1] and delta in (0, 1), got {rate} and {delta}."
        )
    if not 1 <= times <= MOST_TIMES:
        raise ParameterError(f"there must be from 1 to {MOST_TIMES:,} releases, got {times}.")
    share = delta / times if law == "gaussian" else 0.0
    basic = times * float(subsampled_epsilon(law, ratio, rate, share))
    added = _added(law, ratio, rate, times=times, delta=delta)
    reach = _added(law, ratio, rate, times=times, delta=_SURE)
    cell = max(_WIDEST_CELL, min(reach, basic or reach) / _MOST_CELLS)
    return RepeatedSamples(
        basic=basic,
        renyi=added,
        pld=_convolved(law, ratio, rate, times=times, delta=delta, cell=cell),
    )


def _added(law: NoiseLaw, ratio: float, rate: float, *, times: int, delta: float) -> float:
    if law == "laplace":
        level = float(rho_of_pure(subsampled_epsilon(law, ratio, rate, 0.0)))
        return epsilon_of_rho(times * level, delta)
    divergences = [subsampled_divergence(ratio, rate, order) for order in _ORDERS]
    orders = np.array(_ORDERS, dtype=np.float64)
    return conversions.epsilon_of_divergences(times * np.array(divergences), orders, delta)


def _convolved(
    law: NoiseLaw, ratio: float, rate: float, *, times: int, delta: float, cell: float
) -> float:
    from dp_accounting.pld import privacy_loss_distribution  # noqa: PLC0415 - a second to import, rarely used

    of = (
        privacy_loss_distribution.from_gaussian_mechanism
        if law == "gaussian"
        else privacy_loss_distribution.from_laplace_mechanism
    )
    try:
        one = of(1 / ratio, sampling_prob=rate, value_discretization_interval=cell)
        whole = one.self_compose(times)
    except OverflowError:
        # Losses so large that the probability of one is no float.
        return math.inf
    return epsilon_of_convolved(whole, delta, steps=times)
