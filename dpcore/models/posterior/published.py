"""Bounds on the loss of a posterior sample, as published, beside the exact loss.

Wang 2019, theorem 14, gives two bounds, from the fit without a person (equation 7)
and from the fit with the person (equation 8). Their constants are reconstructed here
from the text and its proof. As reconstructed they understate the loss, for two
reasons: the tail of a normal number needs ``2 log(2/delta)`` under the root; and the
proof checks the loss under one of the two laws, while both matter (under the uniform
laws on [0, 1] and [0, 2] the loss is ``log 2`` wherever the first one falls, yet half
of the second lies beyond it). The corrected forms have the right constants, and each of
them covers the direction whose law it was derived under.

Everybody is described by ``leverage`` and ``residual``, both from the fit without the
person. The exact loss is ``leverage_and_residual.epsilon_of``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError


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


BOUNDS: tuple[PublishedBound, ...] = (
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
