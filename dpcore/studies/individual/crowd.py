"""Blend into the crowd: how one person's loss falls as others join. CONFIDENTIAL.

The noise stays as it is now. Whoever calibrates it anew to a larger table trades the
lower losses for a more precise answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.individual.ridge_moves import quick_law
from dpcore.models.influence import Influence
from dpcore.models.penalty import Penalty
from dpcore.relations import TableSize
from dpcore.statistics.blocks import shifts_of
from dpcore.statistics.joint_query import JointQuery
from dpcore.statistics.query import Query
from dpcore.studies.individual.one_person import alternatives_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.arrays import FloatArray
    from dpcore.individual.exposure import Exposure
    from dpcore.models.laws.law import Law
    from dpcore.models.ridge.fit import RidgeFit
    from dpcore.releases.request import Request

MOST_ROWS: Final = 2_000_000
"""Rows of the largest table that is built for a statistic."""
_FEWEST: Final = 10
_SINGULAR: Final = 1e-13


def copies_in_ridge(
    fit: RidgeFit,
    law: Law,
    person: int,
    *,
    more: Sequence[int],
    delta: float,
    rows: int = 1,
) -> FloatArray:
    """Return the loss of a person of whom there are so many copies more.

    With ``k`` more copies the leverage is ``h/(1 + k h)`` and the residual
    ``r/(1 + k h)``.
    """
    setting, strength = _setting(fit, law, person, delta, rows), fit.penalty.constant
    x, y = setting.record
    gram, right, xx = fit.factor.hessian, _right(fit), np.outer(x, x)
    return np.array(
        [
            _loss(setting, gram + k * xx, right + k * y * x, strength=strength)
            for k in more
        ]
    )


def people_in_ridge(
    fit: RidgeFit,
    law: Law,
    person: int,
    *,
    times: Sequence[float],
    delta: float,
    rows: int = 1,
) -> FloatArray:
    """Return the loss of a person if there were so many times as many of everybody."""
    setting, strength = _setting(fit, law, person, delta, rows), fit.penalty.constant
    x, y = setting.record
    penalty = np.diag(_diagonal(fit))
    xx, right = np.outer(x, x), _right(fit) - y * x
    rest = fit.factor.hessian - penalty - xx
    # The person stays once; all others are as many times there.
    return np.array(
        [
            _loss(
                setting, c * rest + xx + penalty, c * right + y * x, strength=strength
            )
            for c in times
        ]
    )


def penalties_in_ridge(
    fit: RidgeFit,
    law: Law,
    person: int,
    *,
    strengths: Sequence[float],
    delta: float,
    rows: int = 1,
) -> FloatArray:
    """Return the loss of a person under other penalties; the noise stays."""
    setting, right = _setting(fit, law, person, delta, rows), _right(fit)
    gram = fit.factor.hessian - np.diag(_diagonal(fit))
    losses = []
    for each in strengths:
        penalty = Penalty(strength=each, spares_first=fit.penalty.spares_first)
        hessian = gram + np.diag(penalty.diagonal(len(right), fit.people))
        losses.append(_loss(setting, hessian, right, strength=penalty.constant))
    return np.array(losses)


def copies_of_statistic(
    request: Request, exposure: Exposure, entry: int, *, more: Sequence[int]
) -> FloatArray:
    """Return the loss of a person of whom there are so many copies more."""
    values = exposure.values
    return np.array(
        [
            _statistic_loss(
                request,
                exposure,
                np.concatenate([values, np.repeat(values[[entry]], k, axis=0)]),
                entry,
            )
            for k in more
        ]
    )


def people_of_statistic(
    request: Request,
    exposure: Exposure,
    entry: int,
    *,
    people: Sequence[int],
    rng: np.random.Generator,
) -> FloatArray:
    """Return the loss of a person in tables of so many people.

    Smaller tables are drawn from this one, each within the next, and keep the person;
    larger ones repeat everybody. At most ``MOST_ROWS`` people.

    Raises:
        ParameterError: A number of people is below 2 or too large.

    """
    if min(people) < 2 or max(people) > MOST_ROWS:  # noqa: PLR2004 - one more than nobody
        message = f"tables must have from 2 to {MOST_ROWS:,} people."
        raise ParameterError(message)
    n = exposure.people
    order = rng.permutation(n)
    order = np.concatenate([[entry], order[order != entry]])
    values = exposure.values[order]
    losses = []
    for size in people:
        tables = np.resize(values, (size, *values.shape[1:]))
        losses.append(_statistic_loss(request, exposure, tables, 0))
    return np.array(losses)


def copies(people: int) -> tuple[int, ...]:
    """Return numbers of copies more to compare, up to as many as there are people.

    >>> copies(120)
    (0, 1, 3, 10, 30, 100)
    """
    steps = [factor * 10**power for power in range(9) for factor in (1, 3)]
    most = min(people, MOST_ROWS - people)
    return (0, *(step for step in steps if step <= most))


def sizes(people: int) -> tuple[int, ...]:
    """Return numbers of people to compare, a factor of two apart, with today's.

    >>> sizes(100)
    (12, 25, 50, 100, 200, 400, 800, 1600)
    """
    smaller: list[int] = []
    size = people // 2
    while size >= _FEWEST and len(smaller) < 6:  # noqa: PLR2004 - enough to see a slope
        smaller.append(size)
        size //= 2
    larger = [people * 2**k for k in range(5) if people * 2**k <= MOST_ROWS]
    return (*smaller[::-1], *(larger or [people]))


def slope(people: Sequence[float], losses: FloatArray) -> float:
    """Return the slope of ``log loss`` in ``log people``: -1 is a decay like 1/n.

    By least squares over the finite, positive losses; NaN for fewer than two.
    """
    at = np.log(np.asarray(people, dtype=float))
    known = np.isfinite(losses) & (losses > 0)
    if np.count_nonzero(known) < 2:  # noqa: PLR2004 - a line
        return float("nan")
    at, logs = at[known] - at[known].mean(), np.log(losses[known])
    return float(at @ (logs - logs.mean()) / (at @ at))


def _statistic_loss(
    request: Request, exposure: Exposure, values: FloatArray, entry: int
) -> float:
    query = request.query
    if not isinstance(query, Query | JointQuery):
        message = "larger tables are not compared for statistics of groups."
        raise ParameterError(message)
    if query.size.public:
        size = TableSize(people=len(values), public=True)
        query = replace(query, size=size)
    statistic = query.statistic
    shifts = shifts_of(statistic, values, exposure.relation)
    actual = np.asarray(shifts.actual)
    others = alternatives_of(shifts, entry)
    if np.isnan(others).any():
        message = "the statistic is undefined with one person less."
        raise DataError(message)
    rows = query.unit.rows
    if rows > 1:
        others = statistic.range.clip(actual + rows * (others - actual))
    losses = request.plan.pair_epsilon(actual, others, delta=exposure.delta)
    return float(np.max(losses))


def _right(fit: RidgeFit) -> FloatArray:
    """Return ``X^T y``."""
    return np.asarray(fit.factor.root.T @ fit.factor.projected)


def _setting(fit: RidgeFit, law: Law, person: int, delta: float, rows: int) -> _Setting:
    _diagonal(fit)
    record = fit.features[person], float(fit.target[person])
    return _Setting(record, quick_law(fit, law), delta, rows)


def _diagonal(fit: RidgeFit) -> FloatArray:
    if fit.penalty.per_person:
        message = "larger tables need a penalty of the sum of losses."
        raise ParameterError(message)
    return fit.penalty.diagonal(len(fit.theta), fit.people)


class _Setting(NamedTuple):
    """What stays the same while the table grows."""

    record: tuple[FloatArray, float]
    law: Law
    delta: float
    rows: int


def _loss(
    setting: _Setting, hessian: FloatArray, right: FloatArray, *, strength: float
) -> float:
    """Return the loss of a record in the fit with this Hessian and right side.

    ``strength`` is what every coefficient is penalized by.
    """
    (x, y), law = setting.record, setting.law
    scales = np.sqrt(np.diag(hessian))
    if not (scales > 0).all():
        return float("inf")
    scaled = hessian / scales / scales[:, np.newaxis]
    eigenvalues = np.linalg.eigvalsh(scaled)
    if eigenvalues[0] <= _SINGULAR * eigenvalues[-1]:
        return float("inf")
    both = np.linalg.solve(scaled, (np.column_stack([right, x]).T / scales).T)
    theta, direction = both.T / scales
    matrix = np.eye(len(x)) if law.metric.matrix is None else law.metric.matrix
    here = Influence.of_members(
        leverage=np.clip([x @ direction], 0.0, 1.0),
        residual=np.array([y - x @ theta]),
        length=np.array([direction @ matrix @ direction]),
        square=np.array([x @ x]),
    )
    units = here.owned(setting.rows, strength=strength, largest=law.metric.largest)
    return float(law.losses(units, delta=setting.delta)[0])
