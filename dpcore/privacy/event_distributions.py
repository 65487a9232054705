"""What each kind of privacy event gives: its epsilon at a delta, its loss distribution.

One entry a kind. The distributions are those of ``dp_accounting``, discretized upwards.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.privacy import gaussian, subsampled
from dpcore.privacy.bootstrap_bounds import Bound
from dpcore.privacy.bootstrap_composition import (
    LARGEST_STEP,
    LEAST_DELTA,
    epsilon_of_step,
    losses,
)

if TYPE_CHECKING:
    from dpcore.privacy.composition import PrivacyEvent
    from dpcore.privacy.subsampled import Law

_FINEST_CELLS = 200_000


def epsilon_of(event: PrivacyEvent, delta: float) -> float:
    """Return the epsilon of one event at ``delta``.

    An event that has a delta of its own gives its epsilon at that one only; the
    caller sets it aside. One that is pure gives its epsilon at every delta.
    """
    if event.kind == "gaussian":
        return float(gaussian.epsilon_of(event.ratio, delta))
    if event.kind == "bootstrap":
        return _of_bootstraps(event, delta)
    if is_sampled(event):
        share = delta if needs_delta(event) else 0.0
        return float(
            subsampled.epsilon_of(law_of(event), event.ratio, event.rate, share)
        )
    return event.ratio


def distribution_of(event: PrivacyEvent, interval: float) -> Any:  # noqa: ANN401 - untyped library
    """Return the privacy loss distribution of one event, in cells of ``interval``."""
    from dp_accounting.pld import (  # noqa: PLC0415 - a second to import, rarely used
        common,
        privacy_loss_distribution,
    )

    options = {"value_discretization_interval": interval}
    if is_fixed_size(event):
        return _symmetric(event, interval)
    if event.kind == "bootstrap":
        one = losses(
            event.ratio, people=event.people, bound=Bound.GENERIC, interval=interval
        )
        return one.self_compose(event.times)
    if event.kind.endswith("laplace"):
        return privacy_loss_distribution.from_laplace_mechanism(
            event.parameter, sampling_prob=event.rate, **options
        )
    if event.kind.endswith("gaussian"):
        return privacy_loss_distribution.from_gaussian_mechanism(
            event.parameter, sampling_prob=event.rate, **options
        )
    # Any (epsilon, delta)-DP mechanism is dominated by a randomized response that
    # tells all with probability delta (Kairouz, Oh and Viswanath 2015).
    return privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(event.ratio, event.delta), **options
    )


def needs_delta(event: PrivacyEvent) -> bool:
    """Tell whether an event has a finite epsilon only at a share of the delta."""
    return event.kind == "bootstrap" or event.kind.endswith("gaussian")


def is_sampled(event: PrivacyEvent) -> bool:
    """Tell whether the noise is on a sample of the table."""
    return event.kind.startswith(("subsampled", "fixed-size"))


def is_fixed_size(event: PrivacyEvent) -> bool:
    """Tell whether the noise is on a sample of a fixed size."""
    return event.kind.startswith("fixed-size")


def law_of(event: PrivacyEvent) -> Law:
    """Return the law of noise on a sample."""
    return "gaussian" if event.kind.endswith("gaussian") else "laplace"


def reach_of(event: PrivacyEvent) -> float:
    """Return a loss that the event hardly ever exceeds, to choose the cells by."""
    least = LEAST_DELTA if event.kind == "bootstrap" else 1e-15
    loss = epsilon_of(event, least)
    return loss if math.isfinite(loss) else 0.0


def _of_bootstraps(event: PrivacyEvent, delta: float) -> float:
    if delta < LEAST_DELTA:
        return math.inf if event.ratio > 0 else 0.0
    if event.ratio > LARGEST_STEP:
        return math.inf
    return epsilon_of_step(
        event.ratio, times=event.times, people=event.people, delta=delta
    )


def _symmetric(event: PrivacyEvent, interval: float) -> Any:  # noqa: ANN401 - untyped library
    """Return the loss of a sample of fixed size when a record is replaced.

    Both directions have one bound, so that below 0 its profile is ``delta(-e) = 1 -
    e^-e + e^-e delta(e)``. Convex in ``e^epsilon``, it is the profile of a pair of laws
    that dominates every pair of neighbors (Zhu, Dong and Wang 2022).
    """
    from dp_accounting.pld import (  # noqa: PLC0415 - a second to import, rarely used
        pld_pmf,
        privacy_loss_distribution,
    )

    cells = min(max(math.ceil(reach_of(event) / interval), 1), _FINEST_CELLS)
    level = np.arange(cells + 1) * interval
    above = subsampled.delta_of(law_of(event), event.ratio, event.rate, level)
    # Rounding must not let the profile rise.
    above = np.minimum.accumulate(above)
    below = -np.expm1(-level[1:]) + np.exp(-level[1:]) * above[1:]
    below = np.maximum.accumulate(np.maximum(below, above[0]))
    return privacy_loss_distribution.PrivacyLossDistribution(
        pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(
            interval, -cells, cells, np.concatenate([below[::-1], above])
        )
    )
