"""The loss of one person beside published bounds on it. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.individual import published_bounds
from dpcore.mechanisms.gaussian.mechanism import Gaussian
from dpcore.mechanisms.person_laws import ScalarLaws
from dpcore.models import posterior_profile, published_posterior
from dpcore.models.laws.sampled import PosteriorLaws
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.mechanisms.person_laws import PersonLaws

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
            return _of_gaussian(mu)
    if isinstance(laws, PosteriorLaws) and laws.samples == 1 and laws.leverage > 0:
        return _of_posterior(laws)
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

    def beyond(epsilon: float) -> bool:
        return bool(laws.delta(np.array([epsilon]))[0] > delta)

    if not beyond(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while beyond(high) and high < _MOST:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) else (low, middle)
    return high


def _of_gaussian(mu: float) -> Profile:
    exact = np.array([float(gaussian.epsilon_of(mu, delta)) for delta in DELTAS])
    bounds = tuple(
        _curve(
            bound.label,
            np.array([float(bound.of(mu, delta)) for delta in DELTAS]),
            exact,
            published=bound.published,
        )
        for bound in published_bounds.BOUNDS
    )
    return _profile(exact, bounds)


def _of_posterior(laws: PosteriorLaws) -> Profile:
    m, e = laws.leverage, laws.residual
    exact = np.array(
        [float(posterior_profile.epsilon_of(m, e, delta)) for delta in DELTAS]
    )
    bounds = tuple(
        _curve(
            bound.label,
            np.array([float(bound.of(m, e, delta)) for delta in DELTAS]),
            exact,
            published=bound.published,
        )
        for bound in published_posterior.BOUNDS
    )
    return _profile(exact, bounds)


def _profile(exact: FloatArray, bounds: tuple[BoundCurve, ...]) -> Profile:
    return Profile(epsilon=exact[::-1].copy(), delta=DELTAS[::-1].copy(), bounds=bounds)


def _curve(
    label: str, epsilon: FloatArray, exact: FloatArray, *, published: bool
) -> BoundCurve:
    return BoundCurve(
        label=label,
        epsilon=epsilon,
        understates=epsilon < exact * (1 - _ROUNDING),
        published=published,
    )


def _reach(laws: PersonLaws) -> float:
    """Return an epsilon from which on next to nothing is given away."""
    high = 1e-3
    while float(laws.delta(np.array([high]))[0]) > DELTAS[0] and high < 1e3:  # noqa: PLR2004 - far enough to draw
        high *= 1.5
    return high
