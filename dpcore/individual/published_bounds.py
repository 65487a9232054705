"""Published bounds on the loss of one person, beside the exact loss. CONFIDENTIAL.

Under Gaussian noise a person is described by ``mu``, the shift over the standard deviation
of the noise, and the exact loss is ``privacy.gaussian.epsilon_of``. Two of the bounds fall
below it from some ``mu`` on, and then claim too much.

In a posterior sample a person is described by ``leverage`` and ``residual``, both from the
fit without the person, and the exact loss is ``models.leverage_and_residual.epsilon_of``.
Wang 2019, theorem 14, gives two bounds, from the fit without a person (equation 7) and from
the fit with the person (equation 8). Their constants are reconstructed here from the text
and its proof. As reconstructed they understate the loss, for two reasons: the tail of a
normal number needs ``2 log(2/delta)`` under the root; and the proof checks the loss under
one of the two laws, while both matter (under the uniform laws on [0, 1] and [0, 2] the loss
is ``log 2`` wherever the first one falls, yet half of the second lies beyond it). The
corrected forms have the right constants, and each of them covers the direction whose law it
was derived under.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.person_laws import PersonLaws, ScalarLaws
from dpcore.models import leverage_and_residual
from dpcore.models.model_mechanisms.posterior_samples import PosteriorLaws
from dpcore.privacy import gaussian
from dpcore.privacy.halving import halved

DELTAS: Final = np.geomspace(1e-12, 0.3, 120)
_ROUNDING: Final = 1e-9
_MOST: Final = 1e6
_HALVINGS: Final = 45


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedBound:
    """A bound on a person's loss that was published, or its correction."""

    label: str
    """Its name on the screen."""
    of: Callable[..., FloatArray]
    """Its value for what describes each person (``mu``, or leverage and residual), and
    delta.
    """
    published: bool
    """Whether it is as published, rather than never below the exact loss."""


def lemma_four(mu: ArrayLike, delta: float) -> FloatArray:
    """Return ``mu sqrt(log(1.25/delta))``: Wang 2019, lemma 4, as far as it is known.

    The formula is reconstructed from the text; without the factor 2 of the textbook
    bound it understates the loss from a small ``mu`` on.
    """
    _check(delta)
    return np.asarray(np.asarray(mu, dtype=np.float64) * math.sqrt(math.log(1.25 / delta)))


def textbook(mu: ArrayLike, delta: float) -> FloatArray:
    """Return ``mu sqrt(2 log(1.25/delta))`` (Dwork and Roth 2014, theorem A.1).

    Proved for epsilon up to 1; it understates the loss from a larger ``mu`` on.
    """
    return lemma_four(mu, delta) * math.sqrt(2)


def tail(mu: ArrayLike, delta: float) -> FloatArray:
    """Return ``mu^2/2 + mu Phi^-1(1 - delta)``, at least 0: valid for every ``mu``.

    The quantile of the privacy loss, which is normal with mean ``mu^2/2`` and standard
    deviation ``mu``.
    """
    _check(delta)
    mu = np.asarray(mu, dtype=np.float64)
    return np.asarray(np.maximum(mu * (mu / 2 - ndtri(delta)), 0.0))


def chernoff(mu: ArrayLike, delta: float) -> FloatArray:
    """Return ``mu^2/2 + mu sqrt(2 log(1/delta))``: valid for every ``mu``.

    The tail of the normal law is bounded by its moment generating function.
    """
    _check(delta)
    mu = np.asarray(mu, dtype=np.float64)
    return np.asarray(mu * (mu / 2 + math.sqrt(-2 * math.log(delta))))


GAUSSIAN_BOUNDS: tuple[PublishedBound, ...] = (
    PublishedBound(label="Lemma 4, as published", of=lemma_four, published=True),
    PublishedBound(label="textbook, with the factor 2", of=textbook, published=True),
    PublishedBound(label="tail of the loss", of=tail, published=False),
    PublishedBound(label="Chernoff", of=chernoff, published=False),
)


def _check(delta: float) -> None:
    if not 0 < delta < 0.5:  # noqa: PLR2004 - beyond it, the bounds turn negative
        raise ParameterError(f"these bounds need a delta above 0 and below 1/2, got {delta}.")


def equation_seven(leverage: ArrayLike, residual: ArrayLike, delta: float) -> FloatArray:
    """Return the bound from the fit without the person, as reconstructed.

    ``|-log(1+m) + m e^2/(1+m)|/2 + m l/2 + e sqrt(m l)`` with ``l = log(2/delta)``.
    """
    m, e = _numbers(leverage, residual, delta)
    return _without(m, e, math.log(2 / delta) / 2)


def equation_eight(leverage: ArrayLike, residual: ArrayLike, delta: float) -> FloatArray:
    """Return the bound from the fit with the person, as reconstructed.

    ``(-log(1-h) + h r^2/(1-h))/2 + h l/2 + r sqrt(h l)``, ``h = m/(1+m)`` and
    ``r = e/(1+m)`` from that fit.
    """
    m, e = _numbers(leverage, residual, delta)
    return _with(m, e, math.log(2 / delta) / 2)


def corrected_seven(leverage: ArrayLike, residual: ArrayLike, delta: float) -> FloatArray:
    """Return equation 7 with ``2 l`` for ``l``: covers the evidence of absence.

    >>> round(float(corrected_seven(0.1, 1.0, 1e-6)), 5)
    3.15651
    """
    m, e = _numbers(leverage, residual, delta)
    return _without(m, e, math.log(2 / delta))


def corrected_eight(leverage: ArrayLike, residual: ArrayLike, delta: float) -> FloatArray:
    """Return equation 8 with ``2 l`` for ``l``: covers the evidence of presence only.

    It is often below the two-sided loss, although the text recommends it for people in
    the table.
    """
    m, e = _numbers(leverage, residual, delta)
    return _with(m, e, math.log(2 / delta))


def remark_fifteen(leverage: ArrayLike, residual: ArrayLike, delta: float) -> FloatArray:
    """Return ``max(m, m e^2)/2 + m l + e sqrt(2 m l)``, above corrected equation 7."""
    m, e = _numbers(leverage, residual, delta)
    log_odds = math.log(2 / delta)
    return np.asarray(m * np.maximum(1, e * e) / 2 + m * log_odds + e * np.sqrt(2 * m * log_odds))


POSTERIOR_BOUNDS: tuple[PublishedBound, ...] = (
    PublishedBound(label="Theorem 14, equation 7", of=equation_seven, published=True),
    PublishedBound(label="Theorem 14, equation 8", of=equation_eight, published=True),
    PublishedBound(label="equation 7, corrected", of=corrected_seven, published=False),
    PublishedBound(label="equation 8, corrected", of=corrected_eight, published=False),
    PublishedBound(label="Remark 15, corrected", of=remark_fifteen, published=False),
)


def _without(m: FloatArray, e: FloatArray, log_odds: float) -> FloatArray:
    """Tail of the loss under the law without the person, ``l = 2 log_odds``."""
    middle = np.abs(m * e * e / (1 + m) - np.log1p(m)) / 2
    return np.asarray(middle + m * log_odds + e * np.sqrt(2 * m * log_odds))


def _with(m: FloatArray, e: FloatArray, log_odds: float) -> FloatArray:
    h, r = m / (1 + m), e / (1 + m)
    middle = (np.log1p(m) + m * r * r) / 2  # h/(1 - h) is m
    return np.asarray(middle + h * log_odds + r * np.sqrt(2 * h * log_odds))


def _numbers(
    leverage: ArrayLike, residual: ArrayLike, delta: float
) -> tuple[FloatArray, FloatArray]:
    if not 0 < delta < 1:
        raise ParameterError(f"these bounds need a delta in (0, 1), got {delta}.")
    return (np.asarray(leverage, dtype=np.float64), np.abs(np.asarray(residual, dtype=np.float64)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundCurve:
    """A bound on the epsilon of one person, at each of ``DELTAS``.

    Attributes:
        label: Its name on the screen.
        epsilon: What it says.
        understates: Where it lies below the loss, and claims too much.
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
            return _compared(gaussian.epsilon_of, (mu,), GAUSSIAN_BOUNDS)
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
