"""What the penalty takes from a model: by public numbers, and exactly.

Let ``theta`` minimize the losses with the penalty ``lambda |theta|^2 / 2``, and
``plain`` minimize them without. The penalty is an error of its own, beside that of the
noise for privacy: more data make it smaller, more draws do not.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import DataError
from dpcore.models.question import Fit


def taken(strength: float, information: float) -> float:
    """Return the share of a coefficient that the penalty takes, in [0, 1].

    ``lambda / (lambda + h)``, where ``h`` is the curvature of the losses in the
    direction of the coefficient: how much the table says about it. Exact for a linear
    model along an eigenvector of ``X'X``, and to first order otherwise. PUBLIC for a
    public ``information``.

    >>> taken(100.0, 300.0), taken(100.0, 0.0), taken(0.0, 0.0)
    (0.25, 1.0, 0.0)
    """
    if strength == 0:
        return 0.0
    return strength / (strength + information)


def moved_predictions(
    strength: float, people: int, *, length: float, curvature: float = 1.0
) -> float:
    """Return how far the penalty moves predictions, at most: root of the mean square.

    ``length sqrt(lambda/(n c)) / 2``, and never more than ``length``, where ``length``
    is that of ``plain`` and ``c`` the curvature of the loss. PUBLIC.

    Proof for squared losses (``c = 1``). With ``H = X'X`` the predictions move by ``X
    (theta - plain) = -lambda X (H + lambda)^-1 plain``. In a direction of eigenvalue
    ``h`` the square of that is ``lambda^2 h/(h + lambda)^2 <= lambda/4`` times that of
    ``plain``, with equality at ``h = lambda``. And ``|theta - plain| <= |plain|``,
    while no row is longer than 1. For other losses the first part holds to first order.

    >>> moved_predictions(100.0, 10_000, length=1.0)
    0.05
    >>> moved_predictions(1e9, 1, length=2.0)
    2.0
    """
    return length * min(math.sqrt(strength / (people * curvature)) / 2, 1.0)


class Plain(NamedTuple):
    """A fit without a penalty, beside the one with it. CONFIDENTIAL."""

    theta: FloatArray | None
    """Its coefficients, shape ``(d,)``; ``None`` as for ``plain_fit``."""
    moved: float
    """How far the penalty moves predictions: root of the mean square."""


def plain_beside(fit: Fit) -> Plain:
    """Return the fit to the same rows without a penalty, and how far that one is."""
    plain = plain_fit(fit)
    if plain is None:
        return Plain(None, math.nan)
    squares = fit.table.each(partial(_squared, fit.theta - plain.theta))
    return Plain(plain.theta, math.sqrt(math.fsum(squares) / max(fit.people, 1)))


def _squared(difference: FloatArray, x: FloatArray, y: FloatArray) -> float:
    del y
    return float(np.sum((x @ difference) ** 2))


def plain_fit(fit: Fit) -> Fit | None:
    """Return the fit to the same rows without a penalty. CONFIDENTIAL.

    ``None`` where the rows do not determine one: some features depend linearly on
    others, or tell every yes from every no.
    """
    try:
        return fit.with_penalty(replace(fit.penalty, strength=0.0))
    except DataError:
        return None
