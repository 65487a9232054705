"""Bounds on the loss from Gaussian noise, as published, beside the exact loss.

``mu`` is the shift of a person over the standard deviation of the noise, and the exact
loss is ``privacy.gaussian.epsilon_of``. The bounds are for comparison only: two of them
fall below the exact loss from some ``mu`` on, and then promise too much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from dpcore.arrays import FloatArray


def lemma_four(mu: ArrayLike, delta: float) -> FloatArray:
    """Return ``mu sqrt(log(1.25/delta))``: Wang 2019, lemma 4, as far as it is known.

    The formula is reconstructed from the text; without the factor 2 of the textbook
    bound it understates the loss from a small ``mu`` on (``valid_up_to``).
    """
    _check(delta)
    return np.asarray(
        np.asarray(mu, dtype=np.float64) * math.sqrt(math.log(1.25 / delta))
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A published bound.

    Attributes:
        label: Its name on the screen.
        of: Its value for ``mu`` and ``delta``.
        always_valid: Whether it never falls below the exact loss.

    """

    label: str
    of: Callable[[ArrayLike, float], FloatArray]
    always_valid: bool


BOUNDS: tuple[Bound, ...] = (
    Bound(label="Lemma 4, as published", of=lemma_four, always_valid=False),
    Bound(label="textbook, with the factor 2", of=textbook, always_valid=False),
    Bound(label="tail of the loss", of=tail, always_valid=True),
    Bound(label="Chernoff", of=chernoff, always_valid=True),
)


def valid_up_to(bound: Bound, delta: float) -> float:
    """Return the largest ``mu`` up to which ``bound`` covers the exact loss.

    ``inf`` for those that always do.

    Raises:
        ParameterError: ``delta`` is not in (0, 1/2).

    >>> round(valid_up_to(BOUNDS[0], 1e-6), 10), round(valid_up_to(BOUNDS[1], 1e-6), 8)
    (0.0432734076, 1.65737291)

    """
    _check(delta)
    if bound.always_valid:
        return math.inf

    def surplus(log_mu: float) -> float:
        """Return by which part of ``mu`` the bound exceeds the exact loss."""
        mu = math.exp(log_mu)
        exact = gaussian.epsilon_of(mu, delta)
        return float(bound.of(mu, delta) - exact) / mu

    # Exact loss over mu rises from 0, where a shift is free, without limit.
    low = math.log(math.sqrt(2 * math.pi) * delta)
    high = math.log(4 * math.sqrt(-2 * math.log(delta)) + 4)
    return math.exp(brentq(surplus, low, high, xtol=1e-15, rtol=1e-14))


def _check(delta: float) -> None:
    if not 0 < delta < 0.5:  # noqa: PLR2004 - beyond it, the bounds turn negative
        message = f"these bounds need a delta above 0 and below 1/2, got {delta}."
        raise ParameterError(message)
