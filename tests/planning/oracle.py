"""What a ledger costs by ``dp_accounting`` alone, and by laws that real tables have.

Each kind of event is stated anew, from what it means: noise and samples by the
library's own mechanisms, a level by the randomized response that has it, a bootstrap by
how often a person is drawn. Rounded down, that is a truth that no total may be below:
some pair of neighbors has it.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial, reduce

from dp_accounting.pld import privacy_loss_distribution as pld
from scipy.special import comb

from dpcore.privacy.events import (
    ApproximateEvent,
    BootstrapEvent,
    FixedSampleEvent,
    GaussianChoicesEvent,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    SampleEvent,
)

DRAWN = {
    "laplace": LaplaceEvent.from_ratio,
    "gaussian": GaussianEvent.from_ratio,
    "pure": PureEvent.from_ratio,
    "approximate": partial(ApproximateEvent.from_ratio, delta=1e-6),
    "subsampled-laplace": partial(SampleEvent.from_ratio, law="laplace", rate=0.4),
    "subsampled-gaussian": partial(SampleEvent.from_ratio, law="gaussian", rate=0.4),
    "fixed-size-laplace": partial(FixedSampleEvent.from_ratio, law="laplace", rate=0.4),
    "fixed-size-gaussian": partial(FixedSampleEvent.from_ratio, law="gaussian", rate=0.4),
    # One size alone: the library takes a second for it.
    "bootstrap": lambda _: BootstrapEvent.from_ratio(0.1, people=3, times=2),
    "gaussian-choices": lambda size: GaussianChoicesEvent(
        parameter=1 / size, choice=size, choices=3
    ),
}
"""One event of each kind that a ledger holds, of a size."""
LOOSE = {"fixed-size-laplace", "fixed-size-gaussian", "bootstrap", "gaussian-choices"}
"""Kinds of which only bounds are known, so that totals are above the truth."""


INTERVAL = 2e-3
"""Width of the cells that losses are rounded to."""


def epsilon_of(events, delta, *, above, interval=INTERVAL):
    """Return the epsilon of all events at ``delta``, rounded to the one side."""
    parts = (_loss(event, above=above, interval=interval) for event in events)
    return reduce(lambda one, other: one.compose(other), parts).get_epsilon_for_delta(delta)


@lru_cache
def _loss(event, *, above, interval):
    known = {"pessimistic_estimate": above, "value_discretization_interval": interval}
    if not above and not isinstance(event, PureEvent):
        known["use_connect_dots"] = False
    if isinstance(event, PureEvent):
        return _response(event.ratio, event.delta, known)
    if isinstance(event, BootstrapEvent):
        return _drawn(event, known)
    if isinstance(event, GaussianChoicesEvent):
        noise = _loss(GaussianEvent(parameter=event.parameter), above=above, interval=interval)
        known.pop("use_connect_dots", None)
        return noise.compose(_choice(event.choice, known).self_compose(event.choices))
    make = {"laplace": pld.from_laplace_mechanism, "gaussian": pld.from_gaussian_mechanism}[
        event.law
    ]
    return make(event.parameter, sampling_prob=event.rate, **known)


def _response(epsilon, delta, known):
    """Return the loss of a yes or no that is told at the odds, or given away."""
    yes = math.log1p(-delta) - math.log1p(math.exp(-epsilon))
    lower, upper = {"yes": yes, "no": yes - epsilon}, {"yes": yes - epsilon, "no": yes}
    if delta:
        lower["given away"], upper["given away, too"] = (math.log(delta),) * 2
    return pld.from_two_probability_mass_functions(lower, upper, **known)


def _choice(epsilon, known):
    """Return the loss of a choice between two that are alike in one of the tables."""
    alike = {"first": -math.log(2), "second": -math.log(2)}
    apart = {
        name: -math.log1p(math.exp(sign * epsilon))
        for name, sign in zip(alike, (-1, 1), strict=True)
    }
    return pld.from_two_probability_mass_functions(alike, apart, **known)


def _drawn(event, known):
    """Return the loss of a record that is drawn as often as a binomial says."""
    n = event.people
    chances = [comb(n, k) * (1 / n) ** k * (1 - 1 / n) ** (n - k) for k in range(n + 1)]
    one = pld.from_mixture_gaussian_mechanism(event.parameter, list(range(n + 1)), chances, **known)
    return one.self_compose(event.times)
