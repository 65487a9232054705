"""Published bounds on everybody's loss, held against the exact loss.

A bound that lies below the exact loss promises too much to that person. CONFIDENTIAL
where the people are those of a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.individual.published_bounds import BOUNDS
from dpcore.models.posterior import leverage_and_residual
from dpcore.models.posterior.published import BOUNDS as POSTERIOR_BOUNDS
from dpcore.models.posterior.published import PublishedBound
from dpcore.privacy import gaussian

_ROUNDING = 1e-9
_BINS = 40
_MOST = 4000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundCheck:
    """One published bound beside the exact losses of some people. CONFIDENTIAL."""

    label: str
    """Its name on the screen."""
    published: bool
    """Whether it is as published rather than corrected."""
    understated: float = field(repr=False)
    """Share of the people whom it promises too much."""
    worst: float = field(repr=False)
    """The largest exact loss over the bound; 1 or less where it never does."""
    epsilon: FloatArray = field(repr=False)
    """Exact losses, ascending: the middles of up to 40 groups of people."""
    quotient: FloatArray = field(repr=False)
    """Bound over exact loss, the median of each group."""
    lowest: FloatArray = field(repr=False)
    """The same, the smallest of each group."""


def gaussian_checks(mu: ArrayLike, delta: float) -> tuple[BoundCheck, ...]:
    """Return the bounds of Lemma 4 and its kin for Gaussian noise.

    Args:
        mu: Shift of each person over the standard deviation of the noise, ``(n,)``.
        delta: In (0, 1/2).

    Raises:
        ParameterError: Nobody has a finite positive loss.

    """
    ordered = np.sort(np.asarray(mu, dtype=np.float64))
    ordered = ordered[np.isfinite(ordered)]
    people = ordered[_even(len(ordered))]
    exact = gaussian.epsilon_of(people, delta)
    return tuple(_check(bound, exact, bound.of(people, delta)) for bound in BOUNDS)


def posterior_checks(
    leverage: FloatArray, residual: FloatArray, delta: float
) -> tuple[BoundCheck, ...]:
    """Return the bounds of Theorem 14 for one posterior sample.

    Everybody as in ``models.posterior.leverage_and_residual``: from the fit without the
    person, the residual in units of the noise. At most 4,000 people are looked at,
    evenly spread.

    Raises:
        ParameterError: Nobody has a finite positive loss.

    """
    known = np.isfinite(leverage) & np.isfinite(residual)
    m, e = leverage[known], np.abs(residual[known])
    order = np.argsort(e * np.sqrt(m), kind="stable")
    order = order[_even(len(order))]
    m, e = m[order], e[order]
    exact = leverage_and_residual.epsilon_of(m, e, delta)
    return tuple(_check(bound, exact, bound.of(m, e, delta)) for bound in POSTERIOR_BOUNDS)


def _check(bound: PublishedBound, exact: FloatArray, told: FloatArray) -> BoundCheck:
    known = np.isfinite(exact) & (exact > 0)
    if not known.any():
        raise ParameterError("nobody has a finite loss above 0 to compare with a bound.")
    exact, told = exact[known], told[known]
    quotient = told / exact
    order = np.argsort(exact, kind="stable")
    groups = np.array_split(order, min(_BINS, len(order)))

    def of_groups(values: FloatArray, of: Callable[[FloatArray], float]) -> FloatArray:
        return np.array([of(values[group]) for group in groups])

    return BoundCheck(
        label=bound.label,
        published=bound.published,
        understated=float(np.mean(quotient < 1 - _ROUNDING)),
        worst=float(np.max(exact / np.maximum(told, np.finfo(float).tiny))),
        epsilon=of_groups(exact, np.median),
        quotient=of_groups(quotient, np.median),
        lowest=of_groups(quotient, np.min),
    )


def _even(n: int) -> NDArray[np.intp]:
    """Return at most 4,000 ranks of ``n``, evenly spread, the last one included."""
    return np.unique(np.linspace(0, n - 1, min(n, _MOST)).round().astype(np.intp))
