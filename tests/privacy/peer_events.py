"""Privacy events as ``dp_accounting`` states them, to compare with its accountants."""

from __future__ import annotations

import math

from dpcore.privacy.conversions import mu_of_pure
from dpcore.privacy.events import (
    BootstrapEvent,
    FixedSampleEvent,
    GaussianEvent,
    LaplaceEvent,
    SampleEvent,
)

NOISE = {"laplace": LaplaceEvent, "gaussian": GaussianEvent}


def dp_event(events):
    """Return the events as one ``dp_accounting.ComposedDpEvent``.

    The library has no event for a pure level. It is stated as the Gaussian noise that
    is nowhere more private (``mu_of_pure``): an upper bound, which ``compose`` does not
    need.
    """
    import dp_accounting as dpa  # noqa: PLC0415 - a second to import, rarely used

    def translate(event):
        match event:
            case FixedSampleEvent():
                # The library counts the rows of such a sample: an upper bound instead.
                return translate(unsampled(event))
            case SampleEvent():
                return dpa.PoissonSampledDpEvent(
                    event.rate, translate(unsampled(event))
                )
            case LaplaceEvent():
                return dpa.LaplaceDpEvent(event.parameter)
            case GaussianEvent():
                return dpa.GaussianDpEvent(event.parameter)
        if event.delta > 0 or isinstance(event, BootstrapEvent):
            # The library composes no (epsilon, delta) pairs and no profiles.
            return dpa.NonPrivateDpEvent()
        mu = float(mu_of_pure(event.parameter))
        return dpa.GaussianDpEvent(1 / mu if mu else math.inf)

    return dpa.ComposedDpEvent([translate(event) for event in events])


def unsampled(event):
    """Return the same noise on the whole table."""
    return NOISE[event.law](parameter=event.parameter)
