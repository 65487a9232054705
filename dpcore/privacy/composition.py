"""What several releases cost together, by four ways of counting.

All four answer for a plan whose mechanisms are fixed in advance. A release chosen after
seeing earlier answers needs a filter, which adds up epsilon and delta, or rho.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.bootstrap_composition import LARGEST_STEP, require_times
from dpcore.privacy.bootstrap_counterexamples import zcdp_level
from dpcore.privacy.bootstrap_profile import require_people
from dpcore.privacy.conversions import epsilon_of_rho, rho_of_pure
from dpcore.privacy.convolution import epsilon_of_convolved
from dpcore.privacy.event_distributions import (
    distribution_of,
    epsilon_of,
    is_sampled,
    needs_delta,
    reach_of,
)
from dpcore.privacy.laplace import rho_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EventKind = Literal[
    "laplace",
    "gaussian",
    "pure",
    "approximate",
    "subsampled-laplace",
    "subsampled-gaussian",
    "fixed-size-laplace",
    "fixed-size-gaussian",
    "bootstrap",
]

FINEST_INTERVAL = 1e-7
"""Least width of a cell of the discretized privacy loss."""
LARGEST_LOSS = 500.0
"""An event beyond it is not discretized: its epsilon is added to the rest."""
MOST_CELLS = 20_000
"""The total loss of a plan is discretized into at most about so many cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyEvent:
    """One release, as the accountant sees it.

    Attributes:
        kind: "laplace" and "gaussian" noise, "pure" for any mechanism of which only
            its pure level is used, "approximate" for one that is (epsilon, delta)-DP;
            noise on a "subsampled" table, everybody in the sample with the same
            chance, or on a sample of a "fixed-size" without replacement.
            "bootstrap" is Gaussian noise on each of several resamples.
        parameter: Laplace: scale over l1 sensitivity. Gaussian: standard deviation
            over l2 sensitivity; of each bootstrap, over that of the whole table. Pure
            and approximate: epsilon. In [0, inf].
        delta: Approximate: the delta that goes with epsilon, in [0, 1]; 0 otherwise.
        rate: Of a sample: the chance that a row is in it, in (0, 1]; 1 otherwise.
        people: Of bootstraps: how many people are drawn, from as many; 1 otherwise.
        times: Of bootstraps: how many there are; 1 otherwise.

    Raises:
        ParameterError: The kind is unknown or the parameter outside its domain.

    """

    kind: EventKind
    parameter: float
    delta: float = 0.0
    rate: float = 1.0
    people: int = 1
    times: int = 1

    def __post_init__(self) -> None:
        if self.kind not in get_args(EventKind):
            message = f"an event is one of {', '.join(get_args(EventKind))}."
            raise ParameterError(message)
        if not self.parameter >= 0:
            message = f"an event's parameter must be at least 0, got {self.parameter}."
            raise ParameterError(message)
        if not 0 <= self.delta <= (1 if self.kind == "approximate" else 0):
            message = (
                "the delta of an event must be in [0, 1], and 0 unless the event is "
                f"approximate, got {self.delta}."
            )
            raise ParameterError(message)
        if not 0 < self.rate <= 1 or (self.rate < 1 and not is_sampled(self)):
            message = (
                "the rate of an event must be in (0, 1], and 1 unless the event is on "
                f"a sample, got {self.rate}."
            )
            raise ParameterError(message)
        if self.kind == "bootstrap":
            require_people(self.people)
            require_times(self.times)
        elif (self.people, self.times) != (1, 1):
            message = "only bootstraps have a number of people and of resamples."
            raise ParameterError(message)

    @classmethod
    def of(cls, kind: EventKind, ratio: float) -> Self:
        """Return the event whose shift over noise (or whose epsilon) is ``ratio``."""
        return cls(kind=kind, parameter=_swap(kind, ratio))

    @property
    def ratio(self) -> float:
        """Return the shift over the noise: Laplace r, Gaussian mu; or epsilon."""
        return _swap(self.kind, self.parameter)

    @property
    def rho(self) -> float:
        """Return the zCDP level: ``r + e^-r - 1``, ``mu^2/2``, ``e tanh(e/2)``.

        Infinite where there is none, because something is told with probability delta.
        """
        if self.delta > 0:
            return math.inf
        if self.kind == "bootstrap":
            return self.times * zcdp_level(self.ratio, people=self.people)
        if self.kind.endswith("gaussian"):
            # A sample does not make zCDP stronger.
            return self.ratio * self.ratio / 2
        if is_sampled(self):
            amplified = float(rho_of_pure(epsilon_of(self, 0.0)))
            return min(amplified, float(rho_of(self.ratio)))
        return float((rho_of if self.kind == "laplace" else rho_of_pure)(self.ratio))

    def to_dict(self) -> dict[str, str | float]:
        """Return the event as JSON types, without what does not concern its kind."""
        event: dict[str, str | float] = {"kind": self.kind, "parameter": self.parameter}
        if self.kind == "approximate":
            event["delta"] = self.delta
        if is_sampled(self):
            event["rate"] = self.rate
        if self.kind == "bootstrap":
            event |= {"people": self.people, "times": self.times}
        return event

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the event that ``to_dict`` described.

        >>> PrivacyEvent.from_dict({"kind": "pure", "parameter": 0.5}).ratio
        0.5
        """
        try:
            return cls(
                kind=values["kind"],
                parameter=float(values["parameter"]),
                delta=float(values.get("delta", 0.0)),
                rate=float(values.get("rate", 1.0)),
                people=int(values.get("people", 1)),
                times=int(values.get("times", 1)),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            message = "a privacy event needs a kind and a numeric parameter."
            raise ParameterError(message) from None


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

    >>> plan = [PrivacyEvent(kind="laplace", parameter=10.0)] * 10
    >>> totals = compose(plan, delta=1e-6)
    >>> round(totals.basic, 3), round(totals.pld, 4)
    (1.0, 0.999)

    """
    if not 0 <= delta < 1:
        message = f"delta must be at least 0 and below 1, got {delta}."
        raise ParameterError(message)
    plan = Counter(event for event in events if event.ratio > 0 or event.delta > 0)
    if any(math.isinf(event.ratio) for event in plan):
        return Totals(basic=math.inf, advanced=math.inf, zcdp=math.inf, pld=math.inf)
    left = delta - math.fsum(n * event.delta for event, n in plan.items())
    sharing = sum(n for event, n in plan.items() if needs_delta(event))
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


def _swap(kind: EventKind, number: float) -> float:
    """Turn noise over sensitivity into sensitivity over noise, and back."""
    if kind in {"pure", "approximate"}:
        return number
    return math.inf if number == 0 else 1 / number


def _epsilons(plan: Counter[PrivacyEvent], share: float) -> Iterable[tuple[float, int]]:
    """Return each event's epsilon, where need be at delta ``share``, and its count."""
    for event, count in plan.items():
        yield epsilon_of(event, share), count


def _advanced(plan: Counter[PrivacyEvent], sharing: int, delta: float) -> float:
    if delta <= 0:
        return math.inf
    slack = delta / 2 if sharing else delta
    parts = list(_epsilons(plan, delta / (2 * max(sharing, 1))))
    mean = math.fsum(n * e * math.tanh(e / 2) for e, n in parts)
    squares = math.fsum(n * e * e for e, n in parts)
    tail = -math.log(slack)
    other = math.log(math.e + math.sqrt(squares) / slack)
    return mean + math.sqrt(2 * squares * min(tail, other))


def _pld(plan: Counter[PrivacyEvent], delta: float) -> float:
    """Return the epsilon of the convolved privacy losses.

    Gaussian events alone make one Gaussian event with ``mu^2`` the sum of theirs, of
    which the profile is known; only other plans need the discretized distributions.
    """
    squares = [n * e.ratio**2 for e, n in plan.items() if e.kind == "gaussian"]
    mu = math.sqrt(math.fsum(squares))
    others = {e: n for e, n in plan.items() if e.kind != "gaussian"}
    if not others:
        return float(gaussian.epsilon_of(mu, delta))
    if delta == 0:
        return math.inf
    tractable = {e: n for e, n in others.items() if e.ratio <= _largest(e)}
    large = {e: n for e, n in others.items() if e.ratio > _largest(e)}
    if any(needs_delta(event) for event in large):
        return math.inf
    added = math.fsum(n * event.ratio for event, n in large.items())
    delta -= math.fsum(n * event.delta for event, n in large.items())
    if delta <= 0:
        return math.inf
    if not tractable:
        return added + float(gaussian.epsilon_of(mu, delta))
    return added + _discretized(tractable, mu, delta)


def _largest(event: PrivacyEvent) -> float:
    """Return up to which ratio an event of that kind is discretized."""
    return LARGEST_STEP if event.kind == "bootstrap" else LARGEST_LOSS


def _discretized(others: Mapping[PrivacyEvent, int], mu: float, delta: float) -> float:
    together = dict(others)
    if mu > 0:
        together[PrivacyEvent.of("gaussian", mu)] = 1
    span = math.fsum(n * reach_of(event) for event, n in together.items())
    interval = max(FINEST_INTERVAL, span / MOST_CELLS)
    whole: Any = None
    for event, count in together.items():
        one = distribution_of(event, interval).self_compose(count)
        whole = one if whole is None else whole.compose(one)
    steps = sum(n * event.times for event, n in together.items())
    return epsilon_of_convolved(whole, delta, steps=steps)
