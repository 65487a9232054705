"""How far the coefficients of a ridge fit lie from those without each person.

With ``h = x^T H^-1 x`` the leverage and ``r = y - x^T theta`` the residual, the fit
without a person leaves the residual ``e = r / (1 - h)``, and (Wang 2019, eq. 4; the
Sherman-Morrison formula)::

    theta - theta_-i = H^-1 x e
    |theta - theta_-i|_A = |e| sqrt(x^T H^-1 A H^-1 x)

A penalty per person shrinks with them. Then ``H_2`` and ``theta_2`` are those of all
rows under the smaller penalty, ``h`` and ``e`` belong to them, and::

    theta - theta_-i = (theta - theta_2) + H_2^-1 x e
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.models.blocks import row_blocks
from dpcore.models.influence import UNIQUE_FROM, Influence
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.ridge.fit import RidgeFit


def removals(
    fit: RidgeFit, metric: Metric = ISOTROPIC, people: NDArray[np.intp] | None = None
) -> Influence:
    """Return what everybody is to a linear fit, exact, in one pass over the rows.

    Or what some ``people`` are. Errors are NaN and moves infinite where the fit without
    the person does not exist.
    """
    if people is not None:
        return _removals(fit, metric, people)
    return fit.keep("removals", metric.name, lambda: _removals(fit, metric, None))


def _removals(fit: RidgeFit, metric: Metric, some: NDArray[np.intp] | None) -> Influence:
    rest = fit.with_penalty_of(fit.people - 1)
    x, y = (fit.features, fit.target) if some is None else fit.table.some(some)
    people = np.arange(len(y)) if some is None else some
    leverages, errors, shifts = (np.empty(len(y)) for _ in range(3))
    offset = (fit.theta - rest.theta) @ metric.root(fit.factor).T
    inverse_root = rest.factor.inverse_root
    directions = metric.directions(fit.factor, rest.factor)
    for part in row_blocks(*x.shape):
        # A person a column: sums over the entries of each then run along all people.
        block = x[part].T
        halves = inverse_root.T @ block
        h = np.einsum("ji,ji->i", halves, halves)
        kept = np.where(h >= UNIQUE_FROM, 1.0, 1 - h)
        missed = (y[part] - rest.theta @ block) / kept
        steps, pull = directions.T @ block, np.abs(missed)
        if rest is not fit:
            steps *= missed
            steps += offset[:, np.newaxis]
            pull = np.ones(len(missed))
        lengths = np.sqrt(np.einsum("ji,ji->i", steps, steps))
        leverages[part], errors[part], shifts[part] = h, missed, pull * lengths
    for place in np.flatnonzero(leverages >= UNIQUE_FROM):
        theta = fit.refit(people[[place]])
        if theta is None:
            errors[place], shifts[place] = np.nan, np.inf
            continue
        errors[place] = y[place] - x[place] @ theta
        shifts[place] = metric.lengths(fit.theta - theta, fit.factor)
    return Influence(
        leverage=leverages,
        residual=errors,
        move=shifts,
        square=np.einsum("ij,ij->i", x, x),
        spread=np.broadcast_to(np.nan, len(x)),
    )


def moves(fit: RidgeFit, people: NDArray[np.intp]) -> FloatArray:
    """Return ``theta - theta_-i`` of some people, shape ``(m, d)``.

    NaN where the fit without the person does not exist.
    """
    rest = fit.with_penalty_of(fit.people - 1)
    x, y = fit.table.some(people)
    halves = x @ rest.factor.inverse_root
    leverages = np.einsum("ij,ij->i", halves, halves)
    unique = leverages >= UNIQUE_FROM
    errors = (y - x @ rest.theta) / np.where(unique, 1, 1 - leverages)
    found = (fit.theta - rest.theta) + errors[:, np.newaxis] * rest.factor.solve(x.T).T
    for place in np.flatnonzero(unique):
        theta = fit.refit(people[[place]])
        found[place] = np.nan if theta is None else fit.theta - theta
    return np.asarray(found)
