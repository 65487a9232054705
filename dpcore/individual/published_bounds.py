"""Bounds on the loss from Gaussian noise, as published, beside the exact loss.

``mu`` is the shift of a person over the standard deviation of the noise, and the exact
loss is ``privacy.gaussian.epsilon_of``. The bounds are for comparison only: two of them
fall below the exact loss from some ``mu`` on, and then promise too much.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models.posterior.published import PublishedBound


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


BOUNDS: tuple[PublishedBound, ...] = (
    PublishedBound(label="Lemma 4, as published", of=lemma_four, published=True),
    PublishedBound(label="textbook, with the factor 2", of=textbook, published=True),
    PublishedBound(label="tail of the loss", of=tail, published=False),
    PublishedBound(label="Chernoff", of=chernoff, published=False),
)


def _check(delta: float) -> None:
    if not 0 < delta < 0.5:  # noqa: PLR2004 - beyond it, the bounds turn negative
        raise ParameterError(f"these bounds need a delta above 0 and below 1/2, got {delta}.")
