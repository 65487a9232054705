"""Privacy events as ``dp_accounting`` states them, to compare with its accountants."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpcore.privacy.conversions import mu_of_pure
from dpcore.privacy.event_distributions import is_sampled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpcore.privacy.composition import EventKind, PrivacyEvent


def dp_event(events: Iterable[PrivacyEvent]) -> Any:  # noqa: ANN401 - untyped library
    """Return the events as one ``dp_accounting.ComposedDpEvent``.

    The library has no event for a pure level. It is stated as the Gaussian noise that
    is nowhere more private (``mu_of_pure``): an upper bound, which ``compose`` does not
    need.
    """
    import dp_accounting as dpa  # noqa: PLC0415 - a second to import, rarely used

    def translate(event: PrivacyEvent) -> Any:  # noqa: ANN401 - untyped library
        if event.kind.startswith("subsampled"):
            whole = translate(unsampled(event))
            return dpa.PoissonSampledDpEvent(event.rate, whole)
        if is_sampled(event):
            # The library counts the rows of such a sample: an upper bound instead.
            return translate(unsampled(event))
        if event.kind == "laplace":
            return dpa.LaplaceDpEvent(event.parameter)
        if event.kind == "gaussian":
            return dpa.GaussianDpEvent(event.parameter)
        if event.delta > 0 or event.kind == "bootstrap":
            # The library composes no (epsilon, delta) pairs and no profiles.
            return dpa.NonPrivateDpEvent()
        mu = float(mu_of_pure(event.parameter))
        return dpa.GaussianDpEvent(1 / mu if mu else math.inf)

    return dpa.ComposedDpEvent([translate(event) for event in events])


def unsampled(event: PrivacyEvent) -> PrivacyEvent:
    """Return the same noise on the whole table."""
    kind: EventKind = "gaussian" if event.kind.endswith("gaussian") else "laplace"
    return replace(event, kind=kind, rate=1.0)
