"""What each kind of privacy event gives: its epsilon at a delta, its loss distribution.

One entry a kind. The distributions are those of ``dp_accounting``, discretized upwards.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from dpcore.privacy.composition import PrivacyEvent


def epsilon_of(event: PrivacyEvent, delta: float) -> float:
    """Return the epsilon of one event at ``delta``.

    An event that has a delta of its own gives its epsilon at that one only; the
    caller sets it aside. One that is pure gives its epsilon at every delta.
    """
    if event.kind == "gaussian":
        return float(gaussian.epsilon_of(event.ratio, delta))
    return event.ratio


def distribution_of(event: PrivacyEvent, interval: float) -> Any:  # noqa: ANN401 - untyped library
    """Return the privacy loss distribution of one event, in cells of ``interval``."""
    from dp_accounting.pld import (  # noqa: PLC0415 - a second to import, rarely used
        common,
        privacy_loss_distribution,
    )

    options = {"value_discretization_interval": interval}
    if event.kind == "laplace":
        return privacy_loss_distribution.from_laplace_mechanism(
            event.parameter, **options
        )
    if event.kind == "gaussian":
        return privacy_loss_distribution.from_gaussian_mechanism(
            event.parameter, **options
        )
    # Any (epsilon, delta)-DP mechanism is dominated by a randomized response that
    # tells all with probability delta (Kairouz, Oh and Viswanath 2015).
    return privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(event.ratio, event.delta), **options
    )


def needs_delta(event: PrivacyEvent) -> bool:
    """Tell whether an event has a finite epsilon only at a share of the delta."""
    return event.kind == "gaussian"


def reach_of(event: PrivacyEvent) -> float:
    """Return a loss that the event hardly ever exceeds, to choose the cells by."""
    loss = epsilon_of(event, 1e-15)
    return loss if math.isfinite(loss) else 0.0
