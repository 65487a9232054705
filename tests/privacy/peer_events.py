"""Privacy events as ``dp_accounting`` states them, to compare with its accountants."""

from __future__ import annotations

import math

from scipy.special import expit, ndtri

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
    is nowhere more private (Dong, Roth and Su 2022): an upper bound, which ``compose``
    does not need.
    """
    import dp_accounting as dpa  # noqa: PLC0415 - a second to import, rarely used

    def translate(event):
        match event:
            case FixedSampleEvent():
                # The library counts the rows of such a sample: an upper bound instead.
                return translate(unsampled(event))
            case SampleEvent():
                return dpa.PoissonSampledDpEvent(event.rate, translate(unsampled(event)))
            case LaplaceEvent():
                return dpa.LaplaceDpEvent(event.parameter)
            case GaussianEvent():
                return dpa.GaussianDpEvent(event.parameter)
        if event.delta > 0 or isinstance(event, BootstrapEvent):
            # The library composes no (epsilon, delta) pairs and no profiles.
            return dpa.NonPrivateDpEvent()
        mu = -2 * float(ndtri(expit(-event.parameter)))
        return dpa.GaussianDpEvent(1 / mu if mu else math.inf)

    return dpa.ComposedDpEvent([translate(event) for event in events])


def unsampled(event):
    """Return the same noise on the whole table."""
    return NOISE[event.law](parameter=event.parameter)
