"""How far ridge coefficients move when other records come or go.

A newcomer ``(x, y)`` moves them by ``H^-1 x e / (1 + m)``, with ``e`` the residual that
the present fit leaves and ``m = x^T H^-1 x``. Replacing a record is leaving and coming.
A group ``G`` that leaves, with rows ``X_G``, in-sample residuals ``r`` and ``U = X_G
R^-1`` for ``H = R^T R``, moves them by ``R^-1 (I - U^T U)^-1 U^T r`` (the Woodbury
formula, in the form whose size does not grow with the group).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models.blocks import row_blocks
from dpcore.models.influence import UNIQUE_FROM
from dpcore.models.metrics import ISOTROPIC, Metric

if TYPE_CHECKING:
    from dpcore.models.ridge.fit import RidgeFit

_TOGETHER: Final = 1 << 18
"""Numbers in the matrices of the groups that are solved at once."""


def additions(
    fit: RidgeFit, x: FloatArray, y: FloatArray, metric: Metric = ISOTROPIC
) -> FloatArray:
    """Return the shift when one of ``m`` people joins, shape ``(m,)``."""
    rest = fit.with_penalty_of(fit.people + 1)
    halves = x @ rest.factor.inverse_root
    factors = (y - x @ rest.theta) / (1 + np.einsum("ij,ij->i", halves, halves))
    moved = x @ metric.directions(fit.factor, rest.factor)
    offset = (rest.theta - fit.theta) @ metric.root(fit.factor).T
    return np.asarray(np.linalg.norm(factors[:, np.newaxis] * moved + offset, axis=-1))


def substitutions(
    fit: RidgeFit, record: tuple[FloatArray, float], metric: Metric = ISOTROPIC
) -> FloatArray:
    """Return the shift when each person's record becomes ``record``, shape ``(n,)``.

    ``record`` is a row, shape ``(d,)``, and a target. The number of people, and so the
    penalty, stays. Infinite where the coefficients are then not determined.
    """
    x, y = np.asarray(record[0], dtype=np.float64), float(record[1])
    own = fit.factor.solve(x)
    inverse_root = fit.factor.inverse_root
    directions = metric.directions(fit.factor)
    moved_by_record = own @ metric.root(fit.factor).T
    base, error = 1 + x @ own, y - x @ fit.theta
    shifts = np.empty(fit.people)
    unique = []
    for rows in row_blocks(*fit.features.shape):
        block = fit.features[rows]
        halves = block @ inverse_root
        h = np.einsum("ij,ij->i", halves, halves)
        unique.extend(rows.start + np.flatnonzero(h >= UNIQUE_FROM))
        kept = np.where(h >= UNIQUE_FROM, 1.0, 1 - h)
        errors = (fit.target[rows] - block @ fit.theta) / kept
        across = block @ own
        # What the record does to the fit without the person, per unit of its direction.
        factors = (error + across * errors) / (base + across * across / kept)
        stay = errors - across * factors / kept
        moves = stay[:, np.newaxis] * (block @ directions)
        moves -= factors[:, np.newaxis] * moved_by_record
        shifts[rows] = np.sqrt(np.einsum("ij,ij->i", moves, moves))
    for person in unique:
        theta = fit.refit(np.array([person]), (x, y))
        shifts[person] = np.inf if theta is None else metric.lengths(fit.theta - theta, fit.factor)
    return shifts


def group_removals(
    fit: RidgeFit, codes: NDArray[np.intp], metric: Metric = ISOTROPIC
) -> FloatArray:
    """Return the shift when each group leaves together, shape ``(G,)``.

    ``codes`` has everybody's group, from 0 to ``G - 1``. A group of nobody has shift 0;
    it is infinite where the others do not determine the coefficients.

    Raises:
        ParameterError: There is not one code a person, or the penalty is per person.

    """
    # A move R^-1 v has the length of F R^-1 v.
    root = metric.root(fit.factor) @ fit.factor.inverse_root
    shifts = np.zeros(_count(fit, codes))
    for found, grams, pulls in group_moments(fit, codes):
        kept = np.eye(len(root)) - grams
        near = np.linalg.eigvalsh(kept)[:, 0] > 1 - UNIQUE_FROM
        solved = np.linalg.solve(kept[near], pulls[near][..., np.newaxis])[..., 0]
        shifts[found[near]] = np.linalg.norm(solved @ root.T, axis=1)
        for group in found[~near]:
            theta = fit.refit(np.flatnonzero(codes == group))
            shifts[group] = (
                np.inf if theta is None else metric.lengths(fit.theta - theta, fit.factor)
            )
    return shifts


def group_moments(
    fit: RidgeFit, codes: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], FloatArray, FloatArray]]:
    """Yield some groups at a time, with ``U^T U`` and ``U^T r`` of each.

    Shapes ``(m,)``, ``(m, d, d)`` and ``(m, d)``. Groups of nobody are left out.
    Arguments and errors as for ``group_removals``.
    """
    groups, d = _count(fit, codes), fit.features.shape[1]
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(groups + 1))
    step = max(1, _TOGETHER // (d * d))
    for first in range(0, groups, step):
        ends = starts[first : first + step + 1]
        found = np.flatnonzero(np.diff(ends) > 0)
        if len(found) > 0:
            rows = order[ends[0] : ends[-1]]
            begins = ends[found] - ends[0]
            yield first + found, *_moments(fit, rows, begins, fit.factor.inverse_root)


def _count(fit: RidgeFit, codes: NDArray[np.intp]) -> int:
    if codes.shape != fit.target.shape or (len(codes) and codes.min() < 0):
        raise ParameterError(f"{fit.people} people need as many codes of groups, at least 0.")
    if fit.penalty.per_person:
        raise ParameterError("groups need a penalty of the sum of losses, not one per person.")
    return int(codes.max()) + 1


def _moments(
    fit: RidgeFit, rows: NDArray[np.intp], begins: NDArray[np.intp], inverse_root: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return ``U^T U`` and ``U^T r`` of groups of consecutive ``rows``."""
    d = len(inverse_root)
    groups = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(rows))))
    grams, pulls = np.zeros((len(begins), d, d)), np.zeros((len(begins), d))
    for part in row_blocks(len(rows), d):
        block = fit.features[rows[part]]
        halves = block @ inverse_root
        residuals = fit.target[rows[part]] - block @ fit.theta
        # Groups run on: the first of a block may have begun in the one before.
        present, firsts = np.unique(groups[part], return_index=True)
        squares = halves[:, :, np.newaxis] * halves[:, np.newaxis]
        grams[present] += np.add.reduceat(squares, firsts, axis=0)
        pulls[present] += np.add.reduceat(halves * residuals[:, np.newaxis], firsts, axis=0)
    return grams, pulls
