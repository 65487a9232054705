"""The loss of one person beside published bounds on it. CONFIDENTIAL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.individual.published_bounds import BOUNDS
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.person_laws import PersonLaws, ScalarLaws
from dpcore.models.laws.sampled import PosteriorLaws
from dpcore.models.posterior import leverage_and_residual
from dpcore.models.posterior.published import BOUNDS as POSTERIOR_BOUNDS
from dpcore.models.posterior.published import PublishedBound
from dpcore.privacy import gaussian
from dpcore.privacy.halving import halved

DELTAS: Final = np.geomspace(1e-12, 0.3, 120)
_ROUNDING: Final = 1e-9
_MOST: Final = 1e6
_HALVINGS: Final = 45


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundCurve:
    """A bound on the epsilon of one person, at each of ``DELTAS``.

    Attributes:
        label: Its name on the screen.
        epsilon: What it says.
        understates: Where it lies below the loss, and promises too much.
        published: Whether it is as published.

    """

    label: str
    epsilon: FloatArray = field(repr=False)
    understates: NDArray[np.bool_] = field(repr=False)
    published: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """The exact loss of one person, and what bounds say of it.

    Attributes:
        epsilon: Ascending.
        delta: The smallest delta at each.
        bounds: Published and corrected bounds; empty where there are none.

    """

    epsilon: FloatArray = field(repr=False)
    delta: FloatArray = field(repr=False)
    bounds: tuple[BoundCurve, ...] = field(repr=False)


def profile(laws: PersonLaws) -> Profile:
    """Return the profile of a person's two laws with the bounds that exist for them."""
    if isinstance(laws, ScalarLaws) and isinstance(laws.mechanism, Gaussian):
        mu = abs(laws.present - laws.absent) / laws.mechanism.noise
        if mu > 0:
            return _compared(gaussian.epsilon_of, (mu,), BOUNDS)
    if isinstance(laws, PosteriorLaws) and laws.samples == 1 and laws.leverage > 0:
        numbers = laws.leverage, laws.residual
        return _compared(leverage_and_residual.epsilon_of, numbers, POSTERIOR_BOUNDS)
    levels = np.linspace(0, _reach(laws), 120)
    return Profile(epsilon=levels, delta=laws.delta(levels), bounds=())


def at_delta(curve: BoundCurve, delta: float) -> float:
    """Return what a bound says at ``delta``, between the points of its curve."""
    found = np.interp(np.log(delta), np.log(DELTAS), curve.epsilon)
    return float(found)


def epsilon_at(laws: PersonLaws, delta: float) -> float:
    """Return the smallest epsilon of two laws at ``delta``, rounded up.

    >>> from dpcore.mechanisms.person_laws import gaussian_laws
    >>> round(epsilon_at(gaussian_laws(1.0), 1e-6), 9)
    4.886554117
    """

    def enough(epsilon: float) -> bool:
        return not laws.delta(np.array([epsilon]))[0] > delta

    if enough(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while not enough(high) and high < _MOST:
        low, high = high, 2 * high
    return halved(enough, low, high, times=_HALVINGS)[1]


def _compared(
    exact: Callable[..., FloatArray], numbers: tuple[float, ...], bounds: Sequence[PublishedBound]
) -> Profile:
    """Return the profile of who is described by ``numbers``, and bounds on it."""

    def along(of: Callable[..., FloatArray]) -> FloatArray:
        return np.array([float(of(*numbers, delta)) for delta in DELTAS])

    loss = along(exact)
    curves = tuple(
        BoundCurve(
            label=bound.label,
            epsilon=curve,
            understates=curve < loss * (1 - _ROUNDING),
            published=bound.published,
        )
        for bound, curve in ((bound, along(bound.of)) for bound in bounds)
    )
    return Profile(epsilon=loss[::-1].copy(), delta=DELTAS[::-1].copy(), bounds=curves)


def _reach(laws: PersonLaws) -> float:
    """Return an epsilon from which on next to nothing is given away."""
    high = 1e-3
    while float(laws.delta(np.array([high]))[0]) > DELTAS[0] and high < 1e3:  # noqa: PLR2004 - far enough to draw
        high *= 1.5
    return high
