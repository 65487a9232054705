"""What the bounded mechanisms cost once they all give the same true epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.studies.teaching.laboratory import Setup, measure

COMPARED = ("bit", "folded", "truncated", "truncated-published", "laplace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """One mechanism at one value."""

    key: str
    place: float
    """The value, as a share of the range."""
    real: float
    """The epsilon that it really gives."""
    bias: float
    """Mean of the release less the value, as a share of the range."""
    rmse: float
    """Root mean squared error, as a share of the range."""


def remedies(shift: float, epsilon: float, places: Sequence[float]) -> tuple[Remedy, ...]:
    """Return every mechanism compared at each of ``places``, place by place.

    Truncation as published is listed too, with the larger epsilon that it gives.

    Raises:
        ParameterError: A parameter lies outside its domain.

    """
    return tuple(
        _remedy(Setup(key=key, epsilon=epsilon, place=place, shift=shift))
        for place in places
        for key in COMPARED
    )


def _remedy(setup: Setup) -> Remedy:
    mechanism = setup.mechanism()
    return Remedy(
        key=setup.key,
        place=setup.place,
        real=measure(setup).real,
        bias=float(mechanism.bias(setup.place)),
        rmse=float(np.sqrt(mechanism.mse(setup.place))),
    )
