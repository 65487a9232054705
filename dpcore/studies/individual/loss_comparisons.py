"""Losses compared: with published bounds, by mechanism, by moments. CONFIDENTIAL.

A bound that lies below the exact loss claims too much for that person. CONFIDENTIAL
where the people are those of a table.

Clamping (BIT) is done after the noise, so that it changes nobody's loss while both
answers lie within the bounds. Redrawing (truncation) is part of the draw: how often it
happens depends on the answer, and everybody's loss rises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.analyses.base import Request, offered
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.individual.per_instance_loss import StatisticLosses, per_instance_losses
from dpcore.individual.published_bounds import GAUSSIAN_BOUNDS, POSTERIOR_BOUNDS, PublishedBound
from dpcore.models import leverage_and_residual
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
    """Share of the people for whom it claims too much."""
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
    return tuple(_check(bound, exact, bound.of(people, delta)) for bound in GAUSSIAN_BOUNDS)


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


KEYS = ("laplace", "bit", "truncated-published", "truncated", "gaussian")
"""The mechanisms that are compared, where they are offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherExposure:
    """Losses through one mechanism. CONFIDENTIAL, all but the guarantee."""

    key: str
    noise: float
    worst_case: float
    """The guarantee that it gives, whatever it claims."""
    maximum: float = field(repr=False)
    """Loss of the most exposed person."""
    mean: float = field(repr=False)
    """Loss of the average person."""
    least: float = field(repr=False)
    """Smallest loss of a person over that through plain Laplace noise; NaN where nobody
    loses anything.
    """
    most: float = field(repr=False)
    """Largest such quotient."""


def other_exposures(
    asked: Request, known: StatisticLosses, *, delta: float
) -> tuple[OtherExposure, ...]:
    """Return the losses through each mechanism calibrated to the same epsilon.

    ``known`` are those through the mechanism that ``asked`` names.
    """
    found = []
    baseline: FloatArray | None = None
    for key in KEYS:
        entry = offered(asked.query.kind).get(key)
        if entry is None:
            continue
        try:
            request = replace(
                asked, mechanism_key=key, delta=delta if entry.needs_delta else 0.0, constraint=None
            )
            plan = request.plan
        except ParameterError:
            # Such noise does not exist for this budget.
            continue
        exposure = per_instance_losses(
            plan,
            asked.query.statistic,
            known.values,
            relation=known.relation,
            delta=request.used_delta,
            rows=asked.query.unit.rows,
            known=known.behind().moves,
        )
        if baseline is None:
            baseline = exposure.epsilon
        losing = (baseline > 0) & np.isfinite(baseline)
        quotients = exposure.epsilon[losing] / baseline[losing]
        found.append(
            OtherExposure(
                key=key,
                noise=plan.noise,
                worst_case=exposure.worst_case,
                maximum=exposure.maximum,
                mean=exposure.mean,
                least=float(quotients.min()) if len(quotients) else np.nan,
                most=float(quotients.max()) if len(quotients) else np.nan,
            )
        )
    return tuple(found)


_TOP, _GROUPS = 5000, 5000


def moment_curve(ordered: FloatArray, orders: FloatArray) -> FloatArray:
    """Return ``(mean of epsilon^order)^(1 / order)`` for each order.

    In a large table neighbors in the order of losses, all but the largest 5,000, count
    as having the mean of their group of about a five-thousandth of the people.

    Args:
        ordered: Losses, ascending, at least 0, shape ``(n,)``.
        orders: At least 1, shape ``(k,)``.

    Raises:
        ParameterError: Nobody is there, or an order is below 1.

    >>> moment_curve(np.array([0.0, 0.1, 0.2]), np.array([1.0, np.inf])).round(12)
    array([0.1, 0.2])

    """
    if len(ordered) == 0 or not np.all(orders >= 1):
        raise ParameterError("moments need at least one person, and orders of at least 1.")
    largest = float(ordered[-1])
    if largest == 0 or np.isinf(largest):
        return np.full(len(orders), largest)
    n = len(ordered)
    values, weights = ordered / largest, np.ones(n)
    if n > _TOP + _GROUPS:
        starts = np.linspace(0, n - _TOP, _GROUPS, endpoint=False).astype(np.intp)
        sizes = np.diff(np.append(starts, n - _TOP))
        means = np.add.reduceat(values[: n - _TOP], starts) / sizes
        values = np.concatenate([means, values[n - _TOP :]])
        weights = np.concatenate([sizes, np.ones(_TOP)])
    weights /= n
    found = [
        1.0 if np.isinf(order) else float((weights @ values**order) ** (1 / order))
        for order in orders.tolist()
    ]
    return largest * np.array(found)
